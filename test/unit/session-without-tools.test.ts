import { describe, expect, it } from 'vitest'
import { estimateTokens, memory, openLibrary } from '../../src/exports/index.js'
import { createSession, type SessionMessage } from '../../src/exports/session.js'
import type { WritableSource } from '../../src/exports/sources.js'
import { skill } from '../skill-file.js'
import { countWords as countTokens } from './dialect-world.js'

/** Lines of one word. Each word is a token in these tests. */
const lines = (amount: number, word: string): string =>
  Array.from({ length: amount }, () => word).join('\n')

const STEPS = 'Look up rates.csv, then long.md, then scripts/check.py. <b>Add</b> tax.md.'
const FILES = {
  'invoice-check/SKILL.md': skill('invoice-check', 'Checks an invoice before it is paid', STEPS),
  'invoice-check/rates.csv': 'standard,21',
  'invoice-check/long.md': lines(2_000, 'long'),
  'invoice-check/tax.md': 'Tax is due.',
  'invoice-check/other.md': 'Nobody names this file.',
  'invoice-check/scripts/check.py': 'print(21)',
  'tea/SKILL.md': skill('tea', 'Brews tea', 'Boil water.'),
  'manual/SKILL.md': skill(
    'manual',
    'Repairs a combustion engine',
    `${lines(5_000, 'Unscrew.')}\nEnd.`,
  ),
}
const INVOICE = 'check this invoice before I pay it'

async function start(options: { contextTokens?: number } = {}) {
  const source: WritableSource = memory(FILES, { name: 'mine' })
  const library = await openLibrary(source)
  return { source, library, session: createSession(library, { countTokens, ...options }) }
}

describe('models without tools', () => {
  it('[BY-19] prepare opens the best match and adds the text files that its instructions name', async () => {
    const { session } = await start()
    const { system, tail, loaded, matches } = await session.prepare(INVOICE, { tools: 'none' })
    expect(system).toBe('')
    expect(loaded).toEqual(['mine/invoice-check'])
    expect(matches[0]?.id).toBe('mine/invoice-check')
    expect(tail).toMatch(
      /^Follow the instructions below[^\n]*\n<skill_content name="invoice-check"/,
    )
    expect(tail).toContain('&lt;b>Add&lt;/b> tax.md.')
    expect(tail.match(/(?<=<skill_file path=")[^"]*(?=">)/g)).toEqual(['rates.csv', 'tax.md'])
    expect(tail).toContain('standard,21')
    expect(tail).not.toMatch(/load_skill|search_skills|read_skill_file|print\(21\)|Nobody/)
    expect(countTokens(tail)).toBeLessThan(200)
    const { instructions, references, metadata } = session.ledger()
    expect([instructions.tokens, references.tokens, metadata.tokens]).toEqual([9, 4, 0])
  })

  it('[BY-19] prepare cuts long instructions to the size of the prompt, and counts what is left', async () => {
    const { session } = await start()
    const { tail } = await session.prepare('repair the combustion engine', { tools: 'none' })
    expect(countTokens(tail)).toBeLessThanOrEqual(1_500)
    expect(countTokens(tail)).toBeGreaterThan(1_450)
    expect(tail).toMatch(/Unscrew\.\n\[\d+ more characters are left out\]\n<\/skill_content>$/)
    expect(session.ledger().instructions.tokens).toBeLessThan(1_500)
    const small = await start({ contextTokens: 1_000 })
    const prepared = await small.session.prepare('repair the combustion engine', { tools: 'none' })
    expect(prepared.loaded).toEqual(['mine/manual'])
    expect(countTokens(prepared.tail)).toBeLessThanOrEqual(450)
    const tiny = await start()
    expect((await tiny.session.prepare(INVOICE, { tools: 'none', maxTokens: 5 })).tail).toBe('')
  })

  const screws =
    'Take out each screw of the engine before you lift it, and keep them in a box. '.repeat(200)
  it.each([
    ['a paragraph', `# Engines\n\n${screws}`],
    ['one line', screws],
    ['a line without sentences', 'screw bolt nut washer '.repeat(2_000)],
  ])('[BY-19] prepare cuts inside %s, after a sentence or word, and says so', async (_, body) => {
    await using library = await openLibrary({
      'manual/SKILL.md': skill('manual', 'Repairs a combustion engine', body),
    })
    const session = createSession(library)
    const { tail } = await session.prepare('repair the combustion engine', { tools: 'none' })
    expect(estimateTokens(tail)).toBeLessThanOrEqual(1_500)
    expect(estimateTokens(tail)).toBeGreaterThan(1_400)
    const cut = />\n([\s\S]*)\n\[(\d+) more characters are left out\]\n<\/skill_content>$/
    const [, kept = '', left] = cut.exec(tail) ?? []
    expect(body.startsWith(kept)).toBe(true)
    expect(kept.length + Number(left)).toBe(body.trim().length)
    expect(kept).toMatch(body.includes('.') ? /a box\.$/ : /(?:screw|bolt|nut|washer)$/)
  })

  it('[BY-19] prepare names the files that it does not show, scripts first, or says how many there are', async () => {
    const { session } = await start()
    const { tail } = await session.prepare(INVOICE, { tools: 'none' })
    const listed = ['scripts/check.py', 'long.md', 'other.md']
      .map(path => `<file>${path}</file>\n`)
      .join('')
    expect(
      tail.endsWith(`\n<skill_resources>\n${listed}</skill_resources>\n</skill_content>`),
    ).toBe(true)
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`manual/part-${at}.md`, 'Part.']),
    )
    await using library = await openLibrary({
      ...files,
      'manual/SKILL.md': FILES['manual/SKILL.md'],
    })
    const engine = 'repair the combustion engine'
    const small = await createSession(library, { countTokens }).prepare(engine, { tools: 'none' })
    const more =
      'left out]\n<skill_resources>\n<more>60 files</more>\n</skill_resources>\n</skill_content>'
    expect(small.tail.endsWith(more)).toBe(true)
    expect(countTokens(small.tail)).toBeLessThanOrEqual(1_500)
  })

  it('[BY-19] prepare repeats instructions only if the conversation lacks them', async () => {
    const { session } = await start()
    const first = await session.prepare({ message: INVOICE, history: [] }, { tools: 'none' })
    const history: SessionMessage[] = [
      { role: 'user', content: `${INVOICE}\n${first.tail}` },
      { role: 'assistant', content: 'It is right.' },
    ]
    expect((await session.prepare({ message: 'thank you', history }, { tools: 'none' })).tail).toBe(
      '',
    )
    const bare = [{ role: 'user', content: INVOICE }, ...history.slice(1)]
    expect(
      (await session.prepare({ message: 'thank you', history: bare }, { tools: 'none' })).tail,
    ).toBe(first.tail)
  })

  it('[BY-19] the next match closes a skill that prepare opened, and keeps one that the host opened', async () => {
    const { session } = await start()
    await session.load('manual')
    await session.prepare(INVOICE, { tools: 'none', maxTokens: 100 })
    await session.prepare('brew tea', { tools: 'none', maxTokens: 100 })
    expect(session.open.map(({ skill }) => skill.name)).toEqual(['manual', 'tea'])
  })

  it('[BY-19] prepare without a match adds nothing', async () => {
    const { session } = await start()
    const prepared = await session.prepare('how is the weather on Mars', { tools: 'none' })
    expect(prepared).toMatchObject({ system: '', tail: '', loaded: [] })
    await expect(session.prepare(INVOICE, { tools: 'all' as 'none' })).rejects.toMatchObject({
      code: 'invalid-input',
    })
  })

  it('[BY-19] an edited skill is given again', async () => {
    const { session, source, library } = await start()
    const { tail } = await session.prepare({ message: 'brew tea', history: [] }, { tools: 'none' })
    await source.write({ put: { 'tea/SKILL.md': skill('tea', 'Brews tea', 'Boil milk.') } })
    await library.refresh()
    const history = [{ role: 'user', content: `brew tea\n${tail}` }]
    const next = await session.prepare({ message: 'thank you', history }, { tools: 'none' })
    expect(next.tail).toContain('Boil milk.')
  })

  it('[BY-19] a skill that is refused stays a match', async () => {
    const { library } = await start()
    const session = createSession(library, { countTokens, allow: () => false })
    const { matches, loaded, tail } = await session.prepare(INVOICE, { tools: 'none' })
    expect([matches[0]?.id, loaded, tail]).toEqual(['mine/invoice-check', [], ''])
  })
})
