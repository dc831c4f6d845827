/**
 * Keeps evaluation data out of training: its messages and skills, and near duplicates. A text is a near duplicate if most of its runs of
 * five words (or ideographs) occur in reserved text.
 */
import type { PoolSkill, TriggerQuery } from '../../bench/rank/data.js'
import { sequenceOf } from '../../src/core/text/analyze.js'
import { type RawSkill, readData, type SkillRow } from './sources.js'

const RUN = 5
const SHARE = 0.8
/** Bits of the table of runs: 2^27. */
const TABLE_BITS = 27

/** A skill as its origin, the names it goes by (of its folder, of its frontmatter) and its description. */
export interface NamedSkill {
  origin: string
  names: readonly string[]
  description: string
}

export interface Reserved {
  /** True if a skill is in the evaluation, has an origin in it, or a near duplicate of a description in it. */
  hasSkill(skill: NamedSkill): boolean
  /** True if a line or paragraph is a near duplicate of reserved text. */
  hasText(text: string): boolean
}

export function readReserved(rows: readonly SkillRow[], registry: readonly RawSkill[]): Reserved {
  const pools = readData<PoolSkill>('triggers-dev-pools')
  const queries = readData<TriggerQuery>('triggers-dev')
  const origins = new Set([...pools, ...queries].map(({ origin }) => origin))
  const evaluated = rows.filter(({ inEval }) => inEval)
  const names = new Set(evaluated.map(({ origin, name }) => `${origin}\t${name}`))
  const skills = new Set<string>()
  const messages = new Set(queries.map(({ query }) => sequenceOf(query).join(' ')))
  const descriptions = createRuns()
  const texts = createRuns()
  for (const { name, description } of [...evaluated, ...pools]) {
    skills.add(keyOf(name, description ?? ''))
    descriptions.add(description ?? '')
    texts.add(description ?? '')
  }
  const hasSkill = ({ origin, names: theirs, description }: NamedSkill): boolean =>
    origins.has(origin) ||
    theirs.some(name => names.has(`${origin}\t${name}`) || skills.has(keyOf(name, description))) ||
    descriptions.has(description)
  for (const { body } of pools) texts.add(body ?? '')
  for (const raw of registry) {
    if (hasSkill(nameOf(raw))) texts.add(raw.body)
  }
  for (const { query } of queries) texts.add(query)
  return {
    hasSkill,
    hasText: text => messages.has(sequenceOf(text).join(' ')) || texts.has(text),
  }
}

/** The name of a registry skill in the rows of all skills. */
export function nameOf({ owner, folder, name, description }: RawSkill): NamedSkill {
  return { origin: `clawhub:${owner}`, names: [folder, name], description }
}

function keyOf(name: string, description: string): string {
  return sequenceOf(`${name}\n${description}`).join(' ')
}

/** A set of runs of words, as bits of their hashes. */
function createRuns(): { add(text: string): void; has(text: string): boolean } {
  const table = new Uint8Array(2 ** (TABLE_BITS - 3))
  return {
    add(text) {
      for (const hash of runsOf(text)) {
        table[hash >>> 3] = (table[hash >>> 3] as number) | (1 << (hash & 7))
      }
    },
    has(text) {
      const runs = runsOf(text)
      let found = 0
      for (const hash of runs) {
        if ((table[hash >>> 3] as number) & (1 << (hash & 7))) found++
      }
      return runs.length > 0 && found >= runs.length * SHARE
    },
  }
}

/** The hashes of all runs of five; a shorter text has none. */
function runsOf(text: string): number[] {
  const words = sequenceOf(text).map(hashOf)
  const runs: number[] = []
  for (let at = 0; at + RUN <= words.length; at++) {
    let hash = 0
    for (let next = at; next < at + RUN; next++) {
      hash = Math.imul(hash ^ (words[next] as number), 0x9e3779b1) ^ (hash >>> 13)
    }
    runs.push(Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> (32 - TABLE_BITS))
  }
  return runs
}

function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return hash ^ (hash >>> 15)
}
