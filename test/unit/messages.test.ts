import { describe, expect, it } from 'vitest'
import { createSession } from '../../src/agent/session/session.js'
import { memory, openLibrary, parseSkill, type SkillLibrary } from '../../src/exports/index.js'
import { joinMessages, parseMessages } from '../../src/skill/messages.js'
import { packedFiles } from '../packed-files.js'
import { beforeReads, watchReads } from '../watch-reads.js'

const skill = (fields: string, body = 'Do it.'): string => `---\n${fields}\n---\n\n${body}\n`

const FILES = {
  'slides/SKILL.md': skill('name: slides\ndescription: Creates presentations.'),
  'slides/messages.txt':
    '# reviewed\nmy pitch is tomorrow and the deck is empty\n\n老板要我讲季度总结\n',
  'scan/SKILL.md': skill(
    'name: scan\ndescription: Compresses documents.\ntriggers:\n  - this attachment is too heavy to mail',
  ),
  'money/SKILL.md': skill(
    'name: money\ndescription: Budgets.\nwhen-to-use:\n  - the rent ate my whole salary',
  ),
  'note/SKILL.md': skill(
    'name: note\ndescription: Minutes.\nmetadata:\n  messages: [who said what yesterday]',
  ),
  'plain/SKILL.md': skill('name: plain\ndescription: Plain things.'),
}

const IGNORED = { code: 'messages-ignored', path: 'slides/messages.txt' }

async function packed(files: Record<string, string>): Promise<SkillLibrary> {
  const output = await packedFiles(memory(files, { name: 'all' }))
  return openLibrary(memory(output, { name: 'all' }))
}

const opened: [string, (files: Record<string, string>) => Promise<SkillLibrary>][] = [
  ['a tree', files => openLibrary(memory(files, { name: 'all' }))],
  ['a packed library', packed],
]

describe.each(opened)('messages in %s', (_, open) => {
  it.each([
    [
      'messages.txt',
      'the deck for my pitch is empty',
      'slides',
      'my pitch is tomorrow and the deck is empty',
    ],
    ['messages.txt in Chinese', '老板要我讲总结', 'slides', '老板要我讲季度总结'],
    ['triggers', 'the attachment is too heavy', 'scan', 'this attachment is too heavy to mail'],
    ['a list of when-to-use', 'rent ate the salary', 'money', 'the rent ate my whole salary'],
    ['metadata.messages', 'who said what', 'note', 'who said what yesterday'],
  ])('[BY-11] %s finds its skill and explains it', async (_where, message, name, similar) => {
    const [first] = (await (await open(FILES)).search(message)).matches
    expect(first?.name).toBe(name)
    expect(first?.signals.similarMessage).toBe(similar)
    expect(first?.reason).toContain(`like the message “${similar}”`)
  })

  it('[BY-11] the reason has a Chinese form', async () => {
    const [first] = (await (await open(FILES)).search('老板要我讲总结', { language: 'zh' })).matches
    expect(first?.reason).toContain('与示例消息“老板要我讲季度总结”相近')
  })

  it('[BY-11] a message in the language of the user comes before one in another language', async () => {
    const messages = [
      'monta a apresentação do launch',
      'slides for the launch are due',
      '发布会 launch 的幻灯片',
    ]
    const deck = skill(
      `name: deck\ndescription: Presentations.\nmessages: ${JSON.stringify(messages)}`,
    )
    const library = await open({ 'deck/SKILL.md': deck })
    for (const [message, similar] of [
      ['the launch', messages[1]],
      ['o launch', messages[0]],
      ['launch 呢', messages[2]],
    ] as const)
      expect((await library.search(message)).matches[0]?.signals.similarMessage).toBe(similar)
  })

  it('[BY-11] a message in another language explains nothing', async () => {
    const folien = 'die Folien für den Launch sind fällig'
    const deck = skill(`name: deck\ndescription: Presentations.\nmessages: [${folien}]`)
    const library = await open({ 'deck/SKILL.md': deck })
    const similar = async (message: string) =>
      (await library.search(message)).matches[0]?.signals.similarMessage
    expect([await similar('the launch'), await similar('launch 呢')]).toEqual([
      undefined,
      undefined,
    ])
    const minutes = await open({
      'minutes/SKILL.md': skill(
        'name: minutes\ndescription: Minutes.\nmessages: [会議録音を議事録に]',
      ),
    })
    const ofMinutes = async (message: string) =>
      (await minutes.search(message)).matches[0]?.signals.similarMessage
    expect([await ofMinutes('会議录音'), await ofMinutes('会議の録音')]).toEqual([
      undefined,
      '会議録音を議事録に',
    ])
    expect(await similar('der Launch')).toBe(folien)
    // The language of one word is not known.
    expect(await similar('launch')).toBe(folien)
  })

  it('[BY-11] a word of a message is reported in that field', async () => {
    const [first] = (await (await open(FILES)).search('pitch')).matches
    expect(first?.signals.terms).toMatchObject([{ term: 'pitch', fields: ['message'] }])
  })

  it('[BY-11] a word of another message than the quoted one is not said to be in the instructions', async () => {
    const library = await open({
      ...FILES,
      'bike/SKILL.md': skill(
        'name: bike\ndescription: Bicycles.\nmessages: [zebra crooked bell, my tire hisses]',
      ),
    })
    const [first] = (await library.search('zebra tire', { limit: 1 })).matches
    expect(first?.signals.terms.map(({ fields }) => fields)).toEqual([['message'], ['message']])
    expect(first?.reason).not.toContain('instructions')
    const long = 'tire '.concat('gravel meadow lantern copper violin harbor marble walnut')
    const [second] = (await library.search(long, { limit: 1 })).matches
    expect(second?.reason).toMatch(/^matches “tire” in its messages/)
  })

  it('[BY-11] prompts do not contain messages; the opened skill does', async () => {
    const library = await open(FILES)
    expect(JSON.stringify(library.snapshot.skills)).not.toContain('pitch')
    const session = createSession(library)
    expect((await session.prepare({ message: 'hello' })).system).not.toContain('pitch')
    const messages = ['my pitch is tomorrow and the deck is empty', '老板要我讲季度总结']
    expect((await library.get('slides')).messages).toEqual(messages)
    expect((await library.get('plain')).messages).toBeUndefined()
  })

  it('[BY-11] [BY-9] a messages.txt of megabytes is ignored, and the library says so', async () => {
    const huge = 'make me a soufflé for the dragon\n'.repeat(100_000)
    for (const listsSizes of [true, false]) {
      const { source, reads } = watchReads(memory({ ...FILES, 'slides/messages.txt': huge }))
      const list = async () =>
        (await source.list?.())?.map(({ size: _, ...one }) =>
          listsSizes ? { size: _, ...one } : one,
        )
      await using library = await openLibrary({ ...source, list: list as never })
      const message = expect.stringContaining('65536')
      expect(library.snapshot.diagnostics).toMatchObject([{ ...IGNORED, message }])
      expect(reads.includes('slides/messages.txt')).toBe(!listsSizes)
      expect((await library.get('slides')).messages ?? []).not.toContain(
        'make me a soufflé for the dragon',
      )
      await library.refresh()
      expect(library.snapshot.diagnostics).toHaveLength(1)
    }
  })

  it('[BY-11] messages beyond the limits are a diagnostic of the library', async () => {
    const many = Array.from({ length: 70 }, (_, index) => `message number ${index}`).join('\n')
    await using library = await openLibrary(memory({ ...FILES, 'slides/messages.txt': many }))
    expect(library.snapshot.diagnostics).toMatchObject([IGNORED])
  })

  it('[BY-11] an edited messages.txt is read at the next refresh', async () => {
    if (open === packed) return
    const source = memory(FILES, { name: 'all' })
    const library = await openLibrary(source)
    await source.write({ put: { 'slides/messages.txt': 'quarterly fireworks for the board\n' } })
    await library.refresh()
    expect((await library.search('fireworks for the board')).matches[0]?.name).toBe('slides')
    expect((await library.get('slides')).messages).toEqual(['quarterly fireworks for the board'])
  })
})

describe('messages', () => {
  it('[BY-11] triggers.yaml is a test and finds nothing', async () => {
    const yaml = 'triggers:\n  - zebra crossing at noon\n'
    const a = skill('name: a\ndescription: Something.')
    const library = await openLibrary(memory({ 'a/SKILL.md': a, 'a/triggers.yaml': yaml }))
    expect((await library.search('zebra crossing at noon')).matches).toEqual([])
  })

  it('[BY-11] messages of other languages do not lower a skill', async () => {
    const english = 'the boiler makes a noise'
    const more =
      'ボイラーの音がうるさい\n보일러에서 소리가 나요\nla caldera hace ruido\nкотёл шумит\n锅炉有噪音'
    const one = {
      'one/SKILL.md': skill('name: one\ndescription: Heating.'),
      'one/messages.txt': english,
    }
    const two = skill('name: two\ndescription: Heating.')
    const library = await openLibrary({
      ...one,
      'two/SKILL.md': two,
      'two/messages.txt': `${english}\n${more}`,
    })
    const [first, second] = (await library.search('the boiler makes a noise')).matches
    expect(second?.signals.relevance).toBeCloseTo(first?.signals.relevance as number, 1)
  })

  it('[BY-11] comments, empty lines, list dashes and repetitions are not messages', () => {
    const text = '\ufeff# written by hand\r\n\r\n- make slides\r\n  make   slides \n* a deck\n'
    expect(joinMessages(parseMessages(text).messages).messages).toEqual(['make slides', 'a deck'])
  })

  it('[BY-11] too many and too long messages are reported', () => {
    const many = Array.from({ length: 70 }, (_, index) => `message ${index}`)
    const { messages, diagnostics } = joinMessages([...many, 'x'.repeat(301)])
    expect(messages).toHaveLength(64)
    const limits =
      'at most 64 messages of at most 300 characters, and at most 5000 characters in all'
    const message = `7 messages were ignored: a skill has ${limits}`
    expect(diagnostics).toMatchObject([{ code: 'messages-ignored', message }])
  })

  it('[BY-11] the messages of a skill have at most 5,000 characters', () => {
    const long = Array.from({ length: 30 }, (_, index) => `${index} ${'y'.repeat(290)}`)
    const { messages, diagnostics } = joinMessages(long)
    expect(messages).toEqual(long.slice(0, 17))
    expect(diagnostics).toHaveLength(1)
  })

  it('[BY-11] frontmatter fields of other types are ignored', async () => {
    const { metadata } = await parseSkill(
      '---\nname: a\ndescription: b\ntriggers: {on: push}\nmessages: 3\n---\n',
    )
    expect(metadata.messages).toBeUndefined()
  })

  it('[BY-11] a messages.txt that cannot be read is reported, and the skill is kept', async () => {
    const burning = beforeReads(memory(FILES, { name: 'all' }), path => {
      if (path === 'slides/messages.txt') throw new Error('disk on fire')
    })
    const library = await openLibrary(burning)
    const message = expect.stringContaining('disk on fire')
    expect((await library.get('slides')).diagnostics).toMatchObject([{ ...IGNORED, message }])
    expect(library.snapshot.skills).toHaveLength(5)
  })
})
