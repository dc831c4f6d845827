import { describe, expect, it } from 'vitest'
import { memoryEngine, openEngineLibrary, publishToEngine } from '../../src/exports/engine.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { createSegmentBuilder } from '../../src/search/index/build.js'
import { mergeSegments } from '../../src/search/index/merge.js'
import { isMessageTerm, messageKey } from '../../src/search/index/message-key.js'
import { openSegment, type Segment } from '../../src/search/index/open.js'
import { loadCorpusStatistics } from '../../src/search/match/corpus-statistics.js'
import { analyzeQuery } from '../../src/search/match/query.js'
import { packedFiles } from '../packed-files.js'

const skill = (name: string, description: string, messages: readonly string[] = []): string =>
  `---\n${JSON.stringify({ name, description, messages })}\n---\n\n# ${name}\n\nDo it.\n`

/** The messages share no word with their skill, and some are function words only. */
const MESSAGES = [
  'what ate my paycheck',
  'can I afford this',
  'where did it all go?',
  'how do I',
  '昨晚服务器挂了，帮我写个复盘',
  '先月いくら使った？',
  '이번 달에 얼마 썼지',
  'куда делись деньги',
  'où est passé mon salaire',
  'ทำสไลด์ให้หน่อย',
  'وين راحت فلوسي',
  '💸💸',
  'Straßengebühren, œuvre',
  'check src/money.ts for leaks',
]
const FILES = {
  'money/SKILL.md': skill('money', 'Analyzes transactions and budgets.', MESSAGES),
  'weather/SKILL.md': skill('weather', 'Fetches the forecast for a place.'),
  'minutes/SKILL.md': skill('minutes', 'Turns a transcript into minutes.', ['who said what']),
}

async function inEngine(files: Record<string, string>): Promise<SkillLibrary> {
  const stored = memory()
  const engine = memoryEngine()
  await publishToEngine(memory(files), { engine, files: stored })
  return openEngineLibrary({ engine, files: stored })
}

const opened: [string, (files: Record<string, string>) => Promise<SkillLibrary>][] = [
  ['a tree', files => openLibrary(memory(files), { embedder: false })],
  [
    'a packed library',
    async files => openLibrary(memory(await packedFiles(memory(files))), { embedder: false }),
  ],
  ['an engine', inEngine],
]

const namesOf = async (library: SkillLibrary, message: string): Promise<string[]> =>
  (await library.match(message)).matches.slice(0, 1).map(({ name }) => name)

describe.each(opened)('messages of an author in %s', (_, open) => {
  it.each(MESSAGES)('[BY-31] fire their skill: %s', async message => {
    await using library = await open(FILES)
    expect(await namesOf(library, message)).toEqual(['money'])
    expect(await library.explain(message, 'money')).toMatchObject({
      matched: true,
      rank: 1,
      signals: { similarMessage: message },
    })
  })

  it.each([
    'What ate my PAYCHECK?!',
    '  what   ate my\npaycheck…',
    'ｗｈａｔ ate my paycheck',
    'ou est passe mon salaire',
    '昨晚服务器挂了 帮我写个复盘！',
    'STRASSENGEBÜHREN, OEUVRE',
    'Hey, what ate my paycheck? Thanks!',
    'bonjour, où est passé mon salaire ?',
    '你好，昨晚服务器挂了，帮我写个复盘，谢谢',
    'check /home/ada/taxes.ts for leaks',
    '昨晚服務器掛了，幫我寫個復盤',
  ])('[BY-31] fire whatever the case, width, punctuation and spaces: %s', async message => {
    await using library = await open(FILES)
    expect(await namesOf(library, message)).toEqual(['money'])
  })

  it('[BY-31] of two skills are offered, and neither fires', async () => {
    await using library = await open({
      ...FILES,
      'wallet/SKILL.md': skill('wallet', 'Keeps receipts.', ['Can I afford this?']),
    })
    const { matches, maybe = [] } = await library.match('can I afford this')
    expect(matches).toEqual([])
    expect(
      maybe
        .slice(0, 2)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['money', 'wallet'])
    expect(await namesOf(library, 'what ate my paycheck')).toEqual(['money'])
  })

  it('[BY-31] do not fire for the same words in another order, or for few of them', async () => {
    await using library = await open(FILES)
    for (const message of ['what a day', 'can I ask this', 'who ate my sandwich', 'how would I']) {
      expect(await namesOf(library, message)).toEqual([])
    }
  })
})

describe('a message of an author', () => {
  it.each([
    ['STRASSE, OEUVRE', 'Straße œuvre'],
    ['check /home/ada/taxes.ts for leaks', 'check src/money.ts for leaks'],
    ['Hey, what ate my paycheck? Thanks!', 'what ate my paycheck'],
    ['bonjour, où est passé mon salaire ?', 'où est passé mon salaire'],
  ])('[BY-31] %s is the same as %s', async (said, written) => {
    const { compared } = analyzeQuery({ message: said }, await loadCorpusStatistics())
    expect(compared.map(messageKey)).toContain(messageKey(written))
  })

  it('[BY-31] raises its skill the more, the more alike the messages are', async () => {
    await using library = await openLibrary(memory(FILES), { embedder: false })
    const scores: number[] = []
    for (const message of [
      'what ate my paycheck',
      'what ate my whole paycheck',
      'something ate half of the paycheck',
      'something ate half of the bread',
    ]) {
      scores.push((await library.explain(message, 'money')).score)
    }
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(scores[1]).toBeGreaterThan(0.7)
    expect(scores[3]).toBeLessThan(0.3)
  })

  it('[BY-31] is found among many skills that have all its words', async () => {
    const others = Array.from({ length: 120 }, (_, index) => [
      `s${index}/SKILL.md`,
      skill(`s${index}`, 'What ate my paycheck: ate, paycheck, my paycheck, what ate.'),
    ])
    const files = { ...Object.fromEntries(others), ...FILES }
    for (const open of [opened[0], opened[2]]) {
      await using library = await (open as (typeof opened)[0])[1](files)
      expect(await namesOf(library, 'what ate my paycheck')).toEqual(['money'])
    }
  })

  it('[BY-31] is one short index term, survives a merge, and skills without messages have none', () => {
    const build = (messages: string[]): Segment => {
      const builder = createSegmentBuilder()
      builder.add({ name: 'money', description: 'Budgets.', tags: [], messages, body: '' })
      return openSegment(builder.finish()) as Segment
    }
    const termsOf = (segment: Segment): string[] =>
      [...segment.lexicon.entries()].map(({ term }) => term).filter(isMessageTerm)
    expect(termsOf(build([]))).toEqual([])
    const [a, b] = [build(MESSAGES.slice(0, 3)), build(MESSAGES.slice(3))]
    const merged = openSegment(
      mergeSegments([a, b].map(segment => ({ segment, dead: new Set<number>() }))),
    ) as Segment
    expect(termsOf(merged)).toEqual([...termsOf(a), ...termsOf(b)].sort())
    expect(termsOf(merged)).toHaveLength(MESSAGES.length)
    expect(termsOf(merged).every(term => term.length === 5)).toBe(true)
  })
})
