import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { groupBy, type PoolSkill, readRows, type TriggerQuery } from '../../bench/rank/data.js'
import { sequenceOf } from '../../src/core/text/analyze.js'
import { sharedContentWords } from '../ranking/content-words.js'

const messages = readRows<TriggerQuery>(new URL('../ranking/own-words.jsonl', import.meta.url))
const pools = new URL('../../../shared/data/triggers-dev-pools.jsonl.gz', import.meta.url)
const there = existsSync(pools)

/** Smallest library that counts, as in the measurement. */
const MIN_LIBRARY = 10

const languages: [language: string, least: number, origins: number][] = [
  ['en', 150, 25],
  ['zh', 100, 20],
]

describe('messages in own words', () => {
  it.each(languages)('%s: at least %d, from at least %d libraries', (language, least, origins) => {
    const some = messages.filter(({ lang }) => lang === language)
    const byOrigin = [...groupBy(some, ({ origin }) => origin).values()]
    expect(some.length).toBeGreaterThanOrEqual(least)
    expect(byOrigin.length).toBeGreaterThanOrEqual(origins)
    expect(Math.max(...byOrigin.map(({ length }) => length))).toBeLessThanOrEqual(10)
  })

  it('ask for one skill twice at most', () => {
    const bySkill = groupBy(messages, ({ origin, skill_id }) => `${origin} ${skill_id}`)
    expect([...bySkill].filter(([, some]) => some.length > 2)).toEqual([])
  })

  it('are all different', () => {
    const bySequence = groupBy(messages, ({ query }) => sequenceOf(query).join(' '))
    expect([...bySequence.values()].filter(some => some.length > 1)).toEqual([])
  })

  it('are well-formed', () => {
    expect(messages.filter(message => !isWellFormed(message))).toEqual([])
  })
})

describe.skipIf(!there)(`their right skills${there ? '' : ' (../shared/data is missing)'}`, () => {
  const skills = groupBy(there ? readRows<PoolSkill>(pools) : [], ({ origin }) => origin)
  const skillsOf = ({ origin, skill_id, alt_skill_ids = [] }: TriggerQuery): (PoolSkill | undefined)[] =>
    [skill_id, ...alt_skill_ids].map(wanted => skills.get(origin)?.find(({ id }) => id === wanted))

  it('belong to a library of ten skills or more', () => {
    expect(messages.filter(({ origin }) => (skills.get(origin)?.length ?? 0) < MIN_LIBRARY)).toEqual([])
    expect(messages.filter(message => skillsOf(message).includes(undefined))).toEqual([])
  })

  it('share no content word with them', () => {
    const sharing = messages.flatMap(message =>
      skillsOf(message)
        .map(skill => sharedContentWords(message.query, `${skill?.name}\n${skill?.description}`))
        .filter(({ length }) => length > 0)
        .map(words => [message.query, ...words]),
    )
    expect(sharing).toEqual([])
  })
})

describe('shared content words', () => {
  it.each([
    ['who pays these invoices', 'Invoicing for freelancers', ['invoices']],
    ['we were planning a trip', 'Plans journeys', ['planning']],
    ['make it quick, and organise it', 'Quickly organised', ['quick', 'organise']],
    ['tidy my categories', 'One category each', ['categories']],
    ['who wrote this', 'Writes letters', ['wrote']],
    ['optimize it', 'Optimization', ['optimize']],
  ])('inflections: %s, %s', (message, text, shared) => {
    expect(sharedContentWords(message, text)).toEqual(shared)
  })

  it.each([
    ['turn the page', 'a multi-page scan', ['page']],
    ['a hub for my bikes', 'GitHub', ['hub']],
    ['my GitHub', 'github', ['github']],
    ['an image of a cat', 'image-tools', ['image']],
    ['draw un café', 'CAFE', ['cafe']],
  ])('parts of words: %s, %s', (message, text, shared) => {
    expect(sharedContentWords(message, text)).toEqual(shared)
  })

  it.each([
    ['帮我取出表格', '从文件中提取表格', ['表格']],
    ['幫我做一張報表', '报表', ['报表']],
    ['這個 PDF 打不開', 'PDF 工具', ['pdf']],
  ])('two ideographs: %s, %s', (message, text, shared) => {
    expect(sharedContentWords(message, text)).toEqual(shared)
  })

  it.each([
    ["don't you want me to use it?", 'Use when the user wants it and they need to'],
    ['这个怎么样？帮我看看，我想要一个', '需要时看看怎么样，想要一个的，都可以用'],
    ['a car on the road', 'carpets, cards and broadcasts'],
    ['写一首诗', '写诗'],
  ])('none: %s, %s', (message, text) => {
    expect(sharedContentWords(message, text)).toEqual([])
  })
})

function isWellFormed(message: TriggerQuery): boolean {
  const { query, skill_id, alt_skill_ids = [], should_trigger, tier, lang, origin, ...rest } = message
  const length = lang === 'en' ? query.split(' ').length : sequenceOf(query).length
  return (
    query === query.trim() &&
    length >= 5 &&
    length <= (lang === 'en' ? 30 : 60) &&
    /\p{Script=Han}/u.test(query) === (lang === 'zh') &&
    ['en', 'zh'].includes(lang) &&
    [skill_id, ...alt_skill_ids].every(id => typeof id === 'number') &&
    !alt_skill_ids.includes(skill_id) &&
    should_trigger &&
    tier === 'good' &&
    origin !== '' &&
    Object.keys(rest).length === 0
  )
}
