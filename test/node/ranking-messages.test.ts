import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  groupBy,
  type PoolSkill,
  readRows,
  type TriggerQuery,
  withMessages,
} from '../../bench/rank/data.js'
import { sequenceOf } from '../../src/core/text/analyze.js'
import { sharedContentWords } from '../ranking/content-words.js'

/** A message of test/ranking. Only messages of the tier "good" name a skill. */
type Message = Omit<TriggerQuery, 'skill_id'> & { skill_id?: number | string }

const fileOf = (name: string): URL => new URL(`../ranking/${name}`, import.meta.url)
const pools = new URL('../../../shared/data/triggers-dev-pools.jsonl.gz', import.meta.url)
const there = existsSync(pools)
const without = there ? '' : ' (../shared/data is missing)'
const poolSkills = there ? readRows<PoolSkill>(pools) : []
const libraries = groupBy(poolSkills, ({ origin }) => origin)

/** Smallest library that counts, as in the measurement. */
const MIN_LIBRARY = 10
const ORIGINS = [
  ...'anthropics/skills bytedance/deer-flow clawhub:rijoyai CuMgNa/skills clawhub:chunhualiao'.split(
    ' ',
  ),
  ...'Adonis0123/adonis-skills HeshamFS/materials-simulation-skills mrgoonie/claudekit-skills'.split(
    ' ',
  ),
  ...'cnfjlhj/ai-collab-playbook XY-Showing/pageclaw'.split(' '),
]
/** Characters that a message of each language contains, and characters that it does not contain. */
const SCRIPTS: Record<string, [contains: RegExp, lacks: RegExp]> = {
  zh: [/\p{Script=Han}/u, /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u],
  ja: [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, /\p{Script=Hangul}/u],
  ko: [/\p{Script=Hangul}/u, /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ru: [/\p{Script=Cyrillic}/u, /\p{Script=Han}/u],
}
const LATIN: [contains: RegExp, lacks: RegExp] = [
  /\p{Script=Latin}/u,
  /[\p{Script=Han}\p{Script=Cyrillic}]/u,
]

const sets = [
  { name: 'own-words.jsonl', languages: ['en', 'zh'] },
  { name: 'author-written-ja.jsonl', languages: ['ja'] },
  { name: 'own-words-a.jsonl', languages: ['en', 'zh', 'ja', 'ko', 'es'], origins: ORIGINS },
  { name: 'own-words-b.jsonl', languages: ['de', 'fr', 'pt', 'ru'], origins: ORIGINS },
].map(set => ({ ...set, messages: readRows<Message>(fileOf(set.name)) }))
const of = (name: string): Message[] => sets.find(set => set.name === name)?.messages ?? []
const nine = sets.filter(({ origins }) => origins)

const sameWords = (messages: readonly string[]): string[][] =>
  [...groupBy(messages, message => sequenceOf(message).join(' ')).values()].filter(
    ({ length }) => length > 1,
  )
const skillsOf = ({ origin, skill_id, alt_skill_ids = [] }: Message): (PoolSkill | undefined)[] =>
  [skill_id, ...alt_skill_ids].map(wanted => libraries.get(origin)?.find(({ id }) => id === wanted))
const isGood = ({ tier }: Message): boolean => tier === 'good'
const goodIn = (messages: readonly Message[], ...languages: string[]): Message[] =>
  messages.filter(message => isGood(message) && languages.includes(message.lang))

describe.each(sets)('messages of $name', ({ languages, origins, messages }) => {
  it('are well-formed, in its languages, and ask for one skill twice at most in one language', () => {
    expect([...new Set(messages.map(({ lang }) => lang))].sort()).toEqual([...languages].sort())
    expect(messages.filter(message => !isWellFormed(message, origins))).toEqual([])
    const bySkill = groupBy(
      messages.filter(isGood),
      one => `${one.lang} ${one.origin} ${one.skill_id}`,
    )
    expect([...bySkill].filter(([, some]) => some.length > 2)).toEqual([])
  })

  it.skipIf(!there)(`have right skills in a library of ten skills or more${without}`, () => {
    const good = messages.filter(isGood)
    expect(good.filter(({ origin }) => (libraries.get(origin)?.length ?? 0) < MIN_LIBRARY)).toEqual(
      [],
    )
    expect(good.filter(message => skillsOf(message).includes(undefined))).toEqual([])
  })
})

describe('messages in own words', () => {
  it.each([
    ['en', 150, 25],
    ['zh', 100, 20],
  ])('%s: at least %d, from at least %d libraries', (language, least, origins) => {
    const some = goodIn(of('own-words.jsonl'), language)
    const byOrigin = [...groupBy(some, ({ origin }) => origin).values()]
    expect(some.length).toBeGreaterThanOrEqual(least)
    expect(byOrigin.length).toBeGreaterThanOrEqual(origins)
    expect(Math.max(...byOrigin.map(({ length }) => length))).toBeLessThanOrEqual(10)
  })

  it('are all different', () => {
    expect(sameWords(of('own-words.jsonl').map(({ query }) => query))).toEqual([])
    expect(sameWords(nine.flatMap(({ messages }) => messages.map(({ query }) => query)))).toEqual(
      [],
    )
  })

  it.skipIf(!there)(`share no content word with their skills${without}`, () => {
    const sharing = sets.flatMap(({ messages }) =>
      goodIn(messages, 'en', 'zh').flatMap(message =>
        skillsOf(message)
          .map(skill => sharedContentWords(message.query, `${skill?.name}\n${skill?.description}`))
          .filter(({ length }) => length > 0)
          .map(words => [message.query, ...words]),
      ),
    )
    expect(sharing).toEqual([])
  })

  const byLanguage = nine.flatMap(({ languages, messages }) =>
    languages.map(
      language => [language, messages.filter(({ lang }) => lang === language)] as const,
    ),
  )
  it.each(byLanguage)(
    '%s: 10 good ones and 1 or 2 near misses for each library, 20 without a skill',
    (_, some) => {
      const counts = (tier: string): number[] =>
        ORIGINS.map(
          origin =>
            some.filter(message => message.tier === tier && message.origin === origin).length,
        )
      expect(counts('good')).toEqual(ORIGINS.map(() => 10))
      expect(some.filter(({ tier }) => tier === 'none').length).toBe(20)
      expect([Math.min(...counts('near')), Math.max(...counts('near'))]).toEqual([1, 2])
      expect(some.filter(({ tier }) => tier === 'near').length).toBe(15)
    },
  )
})

describe('Japanese messages as skill authors write them', () => {
  const messages = of('author-written-ja.jsonl')

  it('are a hundred different ones, for at least 60 skills of at least 10 libraries', () => {
    expect(messages.length).toBe(100)
    expect(sameWords(messages.map(({ query }) => query))).toEqual([])
    expect(groupBy(messages, one => `${one.origin} ${one.skill_id}`).size).toBeGreaterThanOrEqual(
      60,
    )
    expect(groupBy(messages, ({ origin }) => origin).size).toBeGreaterThanOrEqual(10)
  })

  it.skipIf(!there)(`share a Latin word with about half of their skills${without}`, () => {
    const latinWords = (text: string) => new Set(text.toLowerCase().match(/[a-z][a-z0-9]+/g))
    const sharing = messages.filter(message => {
      const { name = '', description = '' } = skillsOf(message)[0] ?? {}
      const theirs = latinWords(`${name} ${description}`)
      return [...latinWords(message.query)].some(word => theirs.has(word))
    })
    expect(sharing.length).toBeGreaterThanOrEqual(45)
    expect(sharing.length).toBeLessThanOrEqual(60)
  })
})

describe('messages of the ten libraries', () => {
  const LANGUAGES = { en: 5, zh: 4, ja: 3, ko: 3, es: 3, de: 3, fr: 3, pt: 3, ru: 3 }
  const file = fileOf('messages.tsv')
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => line.split('\t') as [id: string, language: string, message: string])

  it('are lines of id, language and message, in nine languages for each skill', () => {
    expect(
      rows.filter(row => row.length !== 3 || row.some(cell => cell.trim() !== cell || cell === '')),
    ).toEqual([])
    expect(rows.filter(([, , message]) => message.length > 200)).toEqual([])
    for (const some of groupBy(rows, ([id]) => id).values()) {
      const counts = [...groupBy(some, row => row[1])].map(([language, { length }]) => [
        language,
        length,
      ])
      expect(Object.fromEntries(counts)).toEqual(LANGUAGES)
    }
  })

  it('are different from each other and from the messages that are measured', () => {
    const measured = nine.flatMap(({ messages }) => messages.map(({ query }) => query))
    expect(sameWords([...rows.map(row => row[2]), ...measured])).toEqual([])
  })

  it.skipIf(!there)(`belong to skills of ten libraries${without}`, () => {
    const skills = withMessages(poolSkills, file)
    expect(new Set(skills.map(({ origin }) => origin)).size).toBe(10)
    expect(skills.reduce((sum, { messages = [] }) => sum + messages.length, 0)).toBe(rows.length)
  })
})

it.each<[what: string, message: string, text: string, shared: string[]]>([
  ['inflections', 'who pays these invoices', 'Invoicing for freelancers', ['invoices']],
  ['inflections', 'we were planning a trip', 'Plans journeys', ['planning']],
  ['inflections', 'make it quick, and organise it', 'Quickly organised', ['quick', 'organise']],
  ['inflections', 'tidy my categories', 'One category each', ['categories']],
  ['inflections', 'who wrote this', 'Writes letters', ['wrote']],
  ['inflections', 'optimize it', 'Optimization', ['optimize']],
  ['parts of words', 'turn the page', 'a multi-page scan', ['page']],
  ['parts of words', 'a hub for my bikes', 'GitHub', ['hub']],
  ['parts of words', 'my GitHub', 'github', ['github']],
  ['parts of words', 'an image of a cat', 'image-tools', ['image']],
  ['parts of words', 'draw un café', 'CAFE', ['cafe']],
  ['two ideographs', '帮我取出表格', '从文件中提取表格', ['表格']],
  ['two ideographs', '幫我做一張報表', '报表', ['报表']],
  ['two ideographs', '這個 PDF 打不開', 'PDF 工具', ['pdf']],
  ['none', "don't you want me to use it?", 'Use when the user wants it and they need to', []],
  ['none', '这个怎么样？帮我看看，我想要一个', '需要时看看怎么样，想要一个的，都可以用', []],
  ['none', 'a car on the road', 'carpets, cards and broadcasts', []],
  ['none', '写一首诗', '写诗', []],
])('shared content words, %s: %s, %s', (_, message, text, shared) => {
  expect(sharedContentWords(message, text)).toEqual(shared)
})

function isWellFormed(message: Message, origins?: readonly string[]): boolean {
  const {
    query,
    skill_id,
    alt_skill_ids = [],
    should_trigger,
    tier,
    lang,
    origin,
    ...rest
  } = message
  const ids = [skill_id, ...alt_skill_ids]
  const [contains, lacks] = SCRIPTS[lang] ?? LATIN
  return (
    query === query.trim() &&
    query.length >= 7 &&
    query.length <= 240 &&
    contains.test(query) &&
    !lacks.test(query) &&
    (origins
      ? ['good', 'near', 'none'].includes(tier) && origins.includes(origin)
      : isGood(message) && origin !== '') &&
    should_trigger === isGood(message) &&
    (isGood(message)
      ? ids.every(id => typeof id === 'number')
      : skill_id === undefined && alt_skill_ids.length === 0) &&
    new Set(ids).size === ids.length &&
    Object.keys(rest).length === 0
  )
}
