import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { groupBy, type PoolSkill, readRows, type TriggerQuery } from '../../bench/rank/data.js'
import { sequenceOf } from '../../src/core/text/analyze.js'

const messages = readRows<TriggerQuery>(new URL('../ranking/author-written-ja.jsonl', import.meta.url))
const pools = new URL('../../../shared/data/triggers-dev-pools.jsonl.gz', import.meta.url)
const there = existsSync(pools)

/** Smallest library that counts, as in the measurement. */
const MIN_LIBRARY = 10

describe('Japanese messages as skill authors write them', () => {
  it('are a hundred, for at least 60 skills of at least 10 libraries', () => {
    expect(messages.length).toBe(100)
    expect(bySkill().size).toBeGreaterThanOrEqual(60)
    expect(groupBy(messages, ({ origin }) => origin).size).toBeGreaterThanOrEqual(10)
  })

  it('ask for one skill twice at most', () => {
    expect([...bySkill()].filter(([, some]) => some.length > 2)).toEqual([])
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
  const skillOf = (origin: string, wanted: number | string): PoolSkill | undefined =>
    skills.get(origin)?.find(({ id }) => id === wanted)

  it('belong to a library of ten skills or more', () => {
    expect(messages.filter(({ origin }) => (skills.get(origin)?.length ?? 0) < MIN_LIBRARY)).toEqual([])
    const missing = messages.flatMap(({ origin, skill_id, alt_skill_ids = [] }) =>
      [skill_id, ...alt_skill_ids].filter(id => !skillOf(origin, id)),
    )
    expect(missing).toEqual([])
  })

  it('share a Latin word with about half of the messages', () => {
    const sharing = messages.filter(({ query, origin, skill_id }) => {
      const { name = '', description = '' } = skillOf(origin, skill_id) ?? {}
      const theirs = latinWords(`${name} ${description}`)
      return [...latinWords(query)].some(word => theirs.has(word))
    })
    expect(sharing.length).toBeGreaterThanOrEqual(45)
    expect(sharing.length).toBeLessThanOrEqual(60)
  })
})

function bySkill(): Map<string, TriggerQuery[]> {
  return groupBy(messages, ({ origin, skill_id }) => `${origin} ${skill_id}`)
}

function latinWords(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[a-z][a-z0-9]+/g))
}

function isWellFormed(message: TriggerQuery): boolean {
  const { query, skill_id, alt_skill_ids = [], should_trigger, tier, lang, origin, ...rest } = message
  return (
    query === query.trim() &&
    query.length >= 10 &&
    query.length <= 60 &&
    /\p{Script=Hiragana}/u.test(query) &&
    [skill_id, ...alt_skill_ids].every(id => typeof id === 'number') &&
    !alt_skill_ids.includes(skill_id) &&
    should_trigger &&
    tier === 'good' &&
    lang === 'ja' &&
    origin !== '' &&
    Object.keys(rest).length === 0
  )
}
