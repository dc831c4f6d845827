import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { groupBy, type PoolSkill, readRows, type TriggerQuery, withMessages } from '../../bench/rank/data.js'
import { sequenceOf } from '../../src/core/text/analyze.js'

const LANGUAGES = { en: 5, zh: 4, ja: 3, ko: 3, es: 3, de: 3, fr: 3, pt: 3, ru: 3 }

const file = new URL('../ranking/messages.tsv', import.meta.url)
const rows = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map(line => line.split('\t') as [id: string, language: string, message: string])
const pools = new URL('../../../shared/data/triggers-dev-pools.jsonl.gz', import.meta.url)
const there = existsSync(pools)

describe('messages of the ten libraries', () => {
  it('are lines of id, language and message', () => {
    expect(rows.filter(row => row.length !== 3 || row.some(cell => cell.trim() !== cell || cell === ''))).toEqual([])
    expect(rows.filter(([, , message]) => message.length > 200)).toEqual([])
  })

  it('are in nine languages for each skill', () => {
    for (const some of groupBy(rows, ([id]) => id).values())
      expect(
        Object.fromEntries([...groupBy(some, row => row[1])].map(([language, { length }]) => [language, length])),
      ).toEqual(LANGUAGES)
  })

  it('are different from each other and from the messages that are measured', () => {
    const measured = ['own-words-a.jsonl', 'own-words-b.jsonl'].flatMap(name =>
      readRows<TriggerQuery>(new URL(`../ranking/${name}`, import.meta.url)).map(({ query }) => query),
    )
    const same = groupBy([...rows.map(row => row[2]), ...measured], message => sequenceOf(message).join(' '))
    expect([...same.values()].filter(some => some.length > 1)).toEqual([])
  })

  it.skipIf(!there)(`belong to skills of ten libraries${there ? '' : ' (../shared/data is missing)'}`, () => {
    const skills = withMessages(readRows<PoolSkill>(pools), file)
    expect(new Set(skills.map(({ origin }) => origin)).size).toBe(10)
    expect(skills.reduce((sum, { messages = [] }) => sum + messages.length, 0)).toBe(rows.length)
  })
})
