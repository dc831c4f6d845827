import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { groupBy, type PoolSkill, readRows, type TriggerQuery } from '../../bench/rank/data.js'
import { sequenceOf } from '../../src/core/text/analyze.js'
import { sharedContentWords } from '../ranking/content-words.js'

/** A message of the test set. Only messages of the tier "good" name a skill. */
type Message = Omit<TriggerQuery, 'skill_id'> & { skill_id?: number }

const ORIGINS = [
  'anthropics/skills',
  'bytedance/deer-flow',
  'clawhub:rijoyai',
  'CuMgNa/skills',
  'clawhub:chunhualiao',
  'Adonis0123/adonis-skills',
  'HeshamFS/materials-simulation-skills',
  'mrgoonie/claudekit-skills',
  'cnfjlhj/ai-collab-playbook',
  'XY-Showing/pageclaw',
]

/** Characters that a message of each language contains, and characters that it does not contain. */
const SCRIPTS: Record<string, [contains: RegExp, lacks: RegExp]> = {
  en: [/\p{Script=Latin}/u, /[\p{Script=Han}\p{Script=Cyrillic}]/u],
  zh: [/\p{Script=Han}/u, /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u],
  ja: [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, /\p{Script=Hangul}/u],
  ko: [/\p{Script=Hangul}/u, /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u],
  es: [/\p{Script=Latin}/u, /[\p{Script=Han}\p{Script=Cyrillic}]/u],
  de: [/\p{Script=Latin}/u, /[\p{Script=Han}\p{Script=Cyrillic}]/u],
  fr: [/\p{Script=Latin}/u, /[\p{Script=Han}\p{Script=Cyrillic}]/u],
  pt: [/\p{Script=Latin}/u, /[\p{Script=Han}\p{Script=Cyrillic}]/u],
  ru: [/\p{Script=Cyrillic}/u, /\p{Script=Han}/u],
}

const files: [name: string, languages: string[]][] = [
  ['own-words-a.jsonl', ['en', 'zh', 'ja', 'ko', 'es']],
  ['own-words-b.jsonl', ['de', 'fr', 'pt', 'ru']],
]
const sets = files.map(([name, languages]) => {
  const file = new URL(`../ranking/${name}`, import.meta.url)
  const messages = existsSync(file) ? readRows<Message>(file) : []
  return { name, languages, messages, missing: messages.length === 0 }
})
const all = sets.flatMap(({ messages }) => messages)

const pools = new URL('../../../shared/data/triggers-dev-pools.jsonl.gz', import.meta.url)
const there = existsSync(pools)

const tierIs = (tier: string) => (message: Message) => message.tier === tier

describe.each(sets)('messages of $name', ({ name, languages, messages, missing }) => {
  describe.skipIf(missing)(missing ? `(${name} is missing)` : 'counts', () => {
    it('has these languages only', () => {
      expect([...new Set(messages.map(({ lang }) => lang))].sort()).toEqual([...languages].sort())
    })

    it.each(languages)('%s: 10 messages with a right skill for each library', language => {
      const good = messages.filter(({ lang }) => lang === language).filter(tierIs('good'))
      const counts = ORIGINS.map(origin => good.filter(message => message.origin === origin).length)
      expect(counts).toEqual(ORIGINS.map(() => 10))
      expect(good.length).toBe(100)
    })

    it.each(languages)('%s: 20 messages without a skill', language => {
      expect(messages.filter(({ lang }) => lang === language).filter(tierIs('none')).length).toBe(20)
    })

    it.each(languages)('%s: 15 near misses, 1 or 2 for each library', language => {
      const near = messages.filter(({ lang }) => lang === language).filter(tierIs('near'))
      const byOrigin = [...groupBy(near, ({ origin }) => origin).values()]
      expect(near.length).toBe(15)
      expect(byOrigin.length).toBe(ORIGINS.length)
      expect(Math.max(...byOrigin.map(({ length }) => length))).toBe(2)
    })

    it('asks for one skill twice at most in one language', () => {
      const bySkill = groupBy(messages.filter(tierIs('good')), one => `${one.lang} ${one.origin} ${one.skill_id}`)
      expect([...bySkill].filter(([, some]) => some.length > 2)).toEqual([])
    })

    it('is well-formed', () => {
      expect(messages.filter(message => !isWellFormed(message))).toEqual([])
    })
  })
})

describe('messages in nine languages', () => {
  it('are all different', () => {
    const bySequence = groupBy(all, ({ query }) => sequenceOf(query).join(' '))
    expect([...bySequence.values()].filter(some => some.length > 1)).toEqual([])
  })
})

describe.skipIf(!there)(`their right skills${there ? '' : ' (../shared/data is missing)'}`, () => {
  const skills = groupBy(there ? readRows<PoolSkill>(pools) : [], ({ origin }) => origin)
  const skillsOf = ({ origin, skill_id, alt_skill_ids = [] }: Message): (PoolSkill | undefined)[] =>
    [skill_id, ...alt_skill_ids].map(wanted => skills.get(origin)?.find(({ id }) => id === wanted))
  const good = all.filter(tierIs('good'))

  it('belong to the library', () => {
    expect(good.filter(message => skillsOf(message).includes(undefined))).toEqual([])
  })

  it.each(['en', 'zh'])('%s: share no content word with the message', language => {
    const sharing = good
      .filter(({ lang }) => lang === language)
      .flatMap(message =>
        skillsOf(message)
          .map(skill => sharedContentWords(message.query, `${skill?.name}\n${skill?.description}`))
          .filter(({ length }) => length > 0)
          .map(words => [message.query, ...words]),
      )
    expect(sharing).toEqual([])
  })
})

function isWellFormed(message: Message): boolean {
  const { query, skill_id, alt_skill_ids = [], should_trigger, tier, lang, origin, ...rest } = message
  const [contains, lacks] = SCRIPTS[lang] ?? [/^$/, /./]
  const good = tier === 'good'
  const ids = [skill_id, ...alt_skill_ids]
  return (
    query === query.trim() &&
    query.length >= 7 &&
    query.length <= 240 &&
    contains.test(query) &&
    !lacks.test(query) &&
    ['good', 'near', 'none'].includes(tier) &&
    should_trigger === good &&
    (good ? ids.every(id => typeof id === 'number') : skill_id === undefined && alt_skill_ids.length === 0) &&
    new Set(ids).size === ids.length &&
    ORIGINS.includes(origin) &&
    Object.keys(rest).length === 0
  )
}
