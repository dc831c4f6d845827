import { describe, expect, it, onTestFinished } from 'vitest'
import { manusX, omniEmployee } from '../../src/exports/dialects.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import {
  callTool,
  createSession,
  restoreSession,
  type SessionMessage,
  type SessionOptions,
  skillDigest,
} from '../../src/exports/session.js'
import { beforeReads } from '../watch-reads.js'
import { countWords, skillFile, words } from './dialect-world.js'

/** Whether the conversation has what the session says it has, while the library and the history change. */

const PDF = skillFile(
  'pdf',
  'Extracts tables from PDF documents',
  'Use pdftotext.',
  'allowed-tools: Read\n',
)
const FILES = {
  'pdf/SKILL.md': PDF,
  'pdf/forms.md': 'Fill in the form.',
  'tea/SKILL.md': skillFile('tea', 'Brews tea', 'Boil water.'),
}
const QUESTION: SessionMessage = { role: 'user', content: 'extract the tables' }
const message = 'What is the weather like in the mountains today?'

/** A session over files that a test can change. */
async function start({
  files = FILES,
  ...options
}: SessionOptions & { files?: Record<string, string> } = {}) {
  const source = memory(files, { name: 'mine' })
  const library = await openLibrary(source)
  onTestFinished(() => library.close())
  return { library, source, session: createSession(library, options) }
}

describe('the history is the evidence', () => {
  it('[BY-21] load_skill returns the instructions again if the history lacks them', async () => {
    const { session } = await start()
    const { text } = await callTool(session, 'load_skill', { skill: 'pdf' })
    // The host keeps only the texts of user and assistant.
    const history: SessionMessage[] = [
      QUESTION,
      { role: 'assistant', content: 'Here are the tables.' },
    ]
    const { tail } = await session.prepare({ message, history })
    expect(tail).toBe(
      '<skill_open name="pdf">Its instructions were left out of this conversation: load_skill restores them.</skill_open>',
    )
    expect((await callTool(session, 'load_skill', { skill: 'pdf' })).text).toBe(text)
    // A host that keeps the results of tools pays for them once.
    const kept = await session.prepare({
      message,
      history: [...history, { role: 'tool', content: text }],
    })
    expect(kept.tail).toBe('')
    expect((await callTool(session, 'load_skill', { skill: 'pdf' })).text).toContain(
      '<skill_open name="pdf">It is',
    )
  })

  it('[BY-21] load_skill returns the instructions of a skill that only the host has opened', async () => {
    const { session } = await start()
    await session.load('pdf', { by: 'user' })
    expect((await callTool(session, 'load_skill', { skill: 'pdf' })).text).toContain(
      'Use pdftotext.',
    )
    expect((await callTool(session, 'load_skill', { skill: 'pdf' })).text).toContain(
      'It is already open',
    )
  })

  it('[BY-8] rehydrate reports lost instructions without an earlier observe', async () => {
    const { session } = await start()
    const { text } = await callTool(session, 'load_skill', { skill: 'pdf' })
    expect(session.rehydrate([QUESTION])).toEqual({ missing: ['mine/pdf'], text })
  })

  it('[BY-8] making room does not lose instructions that a tool has just returned', async () => {
    const { session } = await start({
      files: { ...FILES, 'deck/SKILL.md': skillFile('deck', 'Slides', words(300)) },
      contextTokens: 1_000,
      catalogTokens: 0,
      countTokens: countWords,
      compact: () => [],
    })
    session.observe([{ role: 'user', content: `the pdf ${words(600)}` }])
    await callTool(session, 'load_skill', { skill: 'pdf' })
    await callTool(session, 'load_skill', { skill: 'deck' })
    expect(session.messages).toEqual([])
    expect((await callTool(session, 'load_skill', { skill: 'pdf' })).text).toContain(
      'It is already open',
    )
  })

  it('[OE-7] the ledger counts results of tools until the next observe', async () => {
    const { session } = await start()
    await callTool(session, 'load_skill', { skill: 'pdf' })
    const before = session.ledger()
    expect(before.toolResults.tokens).toBe(0)
    const { text } = await callTool(session, 'read_skill_file', { skill: 'pdf', path: 'forms.md' })
    const after = session.ledger()
    expect(after.toolResults.tokens).toBe(session.countTokens(text))
    expect(after.total).toBe(before.total + session.countTokens(text))
    session.observe([{ role: 'tool', content: text }])
    expect(session.ledger()).toEqual(after)
  })

  it('[OE-7] results of tools fill the context only if the session sees the conversation', async () => {
    const files = { ...FILES, 'pdf/long.md': 'word '.repeat(2_000) }
    const loadAfterRead = async (isObserved: boolean): Promise<boolean> => {
      const { session } = await start({ files, contextTokens: 2_000, catalogTokens: 0 })
      if (isObserved) session.observe([])
      await callTool(session, 'read_skill_file', { skill: 'pdf', path: 'long.md' })
      return (await callTool(session, 'load_skill', { skill: 'tea' })).isError
    }
    expect(await loadAfterRead(true)).toBe(true)
    // Such as an MCP server, which never learns that old results have left the conversation.
    expect(await loadAfterRead(false)).toBe(false)
  })
})

describe('open skills follow the library', () => {
  const removals: [string, (given: Awaited<ReturnType<typeof start>>) => Promise<unknown>][] = [
    ['removed', ({ source }) => source.write({ remove: ['pdf/SKILL.md'] })],
    [
      'disabled',
      ({ source }) =>
        source.write({
          put: { 'pdf/SKILL.md': PDF.replace('allowed', 'enabled: false\nallowed') },
        }),
    ],
  ]
  for (const [change, apply] of removals)
    it(`[BY-21] a ${change} skill is closed and no longer narrows the tools`, async () => {
      const given = await start()
      const { library, session } = given
      const { text } = await callTool(session, 'load_skill', { skill: 'pdf' })
      expect(session.prune(['Read', 'Write'])).toEqual(['Read'])
      expect(session.permits('Read')).toBe(true)
      await apply(given)
      await library.refresh()
      expect(session.prune(['Read', 'Write'])).toEqual(['Read', 'Write'])
      expect(session.permits('Read')).toBe(false)
      const history: SessionMessage[] = [QUESTION, { role: 'tool', content: text }]
      const turn = await session.prepare({ message, history })
      expect(turn).toMatchObject({
        closed: ['mine/pdf'],
        tail: 'pdf is closed: its instructions no longer apply.',
      })
      expect(session.toJSON().open).toEqual([])
      expect(session.rehydrate([QUESTION])).toEqual({ missing: [], text: '' })
      expect(await session.prepare({ message, history })).toMatchObject({ closed: [], tail: '' })
    })

  it('[BY-21] a skill of another environment is closed', async () => {
    const files = {
      'environments/dev/skills/pdf/SKILL.md': PDF,
      'tea/SKILL.md': FILES['tea/SKILL.md'],
    }
    const source = memory({ ...files, 'environments/prod/skills/a/SKILL.md': PDF })
    await using library = await openLibrary(source, { environment: 'dev' })
    for (const dialect of [omniEmployee, manusX]) {
      await library.use('dev')
      const session = createSession(library, { dialect })
      for (const name of ['pdf', 'tea']) await session.load(name)
      await library.use('prod')
      const { system, closed } = await session.prepare(message)
      expect(closed).toEqual(['memory/environments/dev/skills/pdf'])
      expect(system).not.toContain('pdftotext')
      expect(session.open.map(({ skill }) => skill.name)).toEqual(['tea'])
    }
  })

  it('[BY-21] prepare repeats the instructions of an edited skill, once', async () => {
    const { library, session, source } = await start()
    const { text } = await callTool(session, 'load_skill', { skill: 'pdf' })
    const history: SessionMessage[] = [QUESTION, { role: 'tool', content: text }]
    const edited = skillFile('pdf', 'Extracts tables', 'Use mutool.', 'allowed-tools: Write\n')
    await source.write({ put: { 'pdf/SKILL.md': edited } })
    await library.refresh()
    const { tail, closed } = await session.prepare({ message, history })
    expect(closed).toEqual([])
    const [head, content, body] = tail.split('\n')
    expect(head).toBe('The instructions of pdf have changed. These replace the earlier ones:')
    expect([content, body]).toEqual([
      expect.stringMatching(/^<skill_content name="pdf"[^>]+>$/),
      'Use mutool.',
    ])
    expect(session.prune(['Read', 'Write'])).toEqual(['Write'])
    expect((await callTool(session, 'load_skill', { skill: 'pdf' })).text).toContain(
      'It is already open',
    )
    const next = await session.prepare({
      message,
      history: [...history, { role: 'user', content: tail }],
    })
    expect(next.tail).toBe('')
  })

  it('[BY-21] the system prompt has the new text of an edited skill and reference', async () => {
    const { library, session, source } = await start({ dialect: omniEmployee })
    await callTool(session, 'load_skill', { skill: 'tea' })
    await callTool(session, 'load_skill', { skill: 'pdf' })
    await callTool(session, 'load_skill_reference', { skill: 'pdf', file: 'forms.md' })
    await source.write({
      put: { 'pdf/SKILL.md': PDF.replace('pdftotext', 'mutool'), 'pdf/forms.md': 'Sign it.' },
    })
    await library.refresh()
    const { system, tail } = await session.prepare(message)
    expect(system).toContain('Use mutool.')
    expect(system).not.toContain('pdftotext')
    expect(system).toContain('### pdf - forms.md\nSign it.')
    expect(tail).toBe('')
    await source.write({ remove: ['pdf/forms.md'] })
    await library.refresh()
    expect((await session.prepare(message)).system).not.toContain('forms.md')
    expect(session.latest?.skill.name).toBe('pdf')
  })

  it('[BY-21] [BY-27] `allow` gets the digest, and decides on the new version of an open skill', async () => {
    const asked: string[] = []
    const digests: (string | undefined)[] = []
    const { library, session, source } = await start({
      allow: ({ skill, by }) => {
        asked.push(`${skill.description} ${by}`)
        digests.push(skill.digest)
        return skill.description !== 'Harms'
      },
    })
    const [reviewed] = library.snapshot.skills
    await callTool(session, 'load_skill', { skill: 'pdf' })
    await source.write({ put: { 'pdf/SKILL.md': skillFile('pdf', 'Harms', 'Obey.') } })
    await library.refresh()
    expect(await session.prepare(message)).toMatchObject({ closed: ['mine/pdf'], loaded: [] })
    expect(asked).toEqual(['Extracts tables from PDF documents model', 'Harms model'])
    expect(digests).toEqual([reviewed?.digest, library.snapshot.skills[0]?.digest])
    expect(new Set(digests).size).toBe(2)
    await session.prepare(message)
    expect(asked).toHaveLength(2)
  })

  it('[BY-27] a skill that is open is asked for again when another of its files is no longer trusted', async () => {
    const trusted = { 'mine/pdf': '', 'mine/tea': '' }
    let asked: string[] = []
    let answer = true
    const allow: SessionOptions['allow'] = ({ skill, trustedDigest }) => {
      asked.push(`${skill.id} ${trustedDigest === trusted['mine/pdf']}`)
      return answer
    }
    const { session, source, library } = await start({ trust: trusted, allow })
    for (const id of ['mine/pdf', 'mine/tea'] as const) trusted[id] = await skillDigest(library, id)
    const change = async (text: string) => {
      await source.write({ put: { 'pdf/forms.md': text } })
      await library.refresh()
      asked = []
      return session.prepare(message)
    }
    for (const name of ['pdf', 'tea']) await callTool(session, 'load_skill', { skill: name })
    expect(asked).toEqual([])
    expect(await change('Send the form away.')).toMatchObject({ closed: [] })
    expect(asked).toEqual(['mine/pdf true'])
    answer = false
    expect(await change('Burn the form.')).toMatchObject({ closed: ['mine/pdf'] })
    expect(session.open.map(({ skill }) => skill.id)).toEqual(['mine/tea'])
  })

  it('[BY-21] a skill that cannot be read now stays open, and is read at the next turn', async () => {
    const inner = memory(FILES, { name: 'mine' })
    let isDown = false
    const fragile = beforeReads(inner, () => {
      if (isDown) throw new TypeError('no network')
    })
    await using library = await openLibrary(fragile)
    const session = createSession(library, { dialect: omniEmployee })
    await session.load('pdf')
    await inner.write({ put: { 'pdf/SKILL.md': PDF.replace('pdftotext', 'mutool') } })
    await library.refresh()
    isDown = true
    expect((await session.prepare(message)).system).toContain('pdftotext')
    isDown = false
    expect((await session.prepare(message)).system).toContain('mutool')
  })
})

describe('restoreSession', () => {
  it('[BY-8] asks `allow` for every skill, and trusts only what the caller trusts', async () => {
    const { library, session } = await start()
    for (const name of ['pdf', 'tea']) await session.load(name)
    const state = session.toJSON()
    const asked: string[] = []
    const allow = ({ skill, by }: { skill: { name: string }; by: string }): boolean => {
      asked.push(`${skill.name} ${by}`)
      return skill.name === 'tea'
    }
    const restored = await restoreSession(library, state, { allow })
    expect(asked).toEqual(['pdf model', 'tea model'])
    expect(restored.session.open.map(({ skill }) => skill.name)).toEqual(['tea'])
    expect(restored.lost).toEqual([
      { id: 'mine/pdf', reason: expect.stringContaining('was not allowed') },
    ])
    const trust = { 'mine/pdf': await skillDigest(library, 'pdf') }
    const trusted = await restoreSession(library, state, { allow: () => false, trust })
    expect(trusted.session.open.map(({ skill }) => skill.name)).toEqual(['pdf'])
  })

  it('[BY-8] [BY-9] opens no skill that the model may not open', async () => {
    const own = skillFile('own', 'For people', 'SECRET', 'disable-model-invocation: true\n')
    const { library } = await start({
      files: { ...FILES, 'own/SKILL.md': own, 'own/key.txt': 'KEY' },
    })
    const forged = { id: 'mine/own', digest: 'sha256:0', references: ['key.txt'] }
    const { session, lost } = await restoreSession(library, {
      format: 'skillshelf-session/1',
      open: [forged],
    })
    expect(session.open).toEqual([])
    expect(lost).toEqual([
      { id: 'mine/own', reason: expect.stringContaining('can only be opened by people') },
    ])
  })

  it('[BY-8] does not claim that the instructions are in the conversation', async () => {
    const { library, session } = await start()
    const { text } = await callTool(session, 'load_skill', { skill: 'pdf' })
    const restored = (await restoreSession(library, session.toJSON())).session
    expect((await callTool(restored, 'load_skill', { skill: 'pdf' })).text).toBe(text)
    const again = (await restoreSession(library, session.toJSON())).session
    await again.prepare({ message, history: [{ role: 'tool', content: text }] })
    expect((await callTool(again, 'load_skill', { skill: 'pdf' })).text).toContain(
      'It is already open',
    )
  })
})
