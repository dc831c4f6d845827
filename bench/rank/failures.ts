import { analyze, sequenceOf, TERM } from '../../src/core/text/analyze.js'
import { groupBy, type PoolSkill } from './data.js'
import type { Outcome } from './measure.js'

/** Causes of a wrong first match, in order of precedence. */
const KINDS = [
  'message too short: at most two words',
  'cross-language: message and skill use different scripts',
  'no shared word, or only words that a quarter of the library contains',
  "only words of the skill's name shared",
  'similar skill first: shares a word of the name or a third of the description',
  'other',
] as const

export interface FailureGroup {
  kind: (typeof KINDS)[number]
  count: number
  examples: { message: string; wanted: string; got: string }[]
}

const EXAMPLES = 3
const COMMON = 0.25
const SIBLING = 1 / 3
const han = /\p{Script=Han}/u

/** Groups the messages with a wrong first match by cause. */
export function groupFailures(
  outcomes: readonly Outcome[],
  pools: readonly PoolSkill[],
): FailureGroup[] {
  const libraries = groupBy(pools, skill => skill.origin)
  const groups = new Map<string, FailureGroup>(
    KINDS.map(kind => [kind, { kind, count: 0, examples: [] }]),
  )
  const counts = new Map<string, Map<string, number>>()
  for (const { query, place, first } of outcomes) {
    if (place === 1) continue
    const skills = libraries.get(query.origin) ?? []
    const wanted = skills.find(({ id }) => id === query.skill_id)
    const got = skills.find(({ id }) => id === first)
    if (!wanted) continue
    let df = counts.get(query.origin)
    if (!df) {
      df = documentCounts(skills)
      counts.set(query.origin, df)
    }
    const group = groups.get(kindOf(query.query, wanted, got, df, skills.length)) as FailureGroup
    group.count++
    if (group.examples.length < EXAMPLES) {
      group.examples.push({
        message: query.query.slice(0, 120),
        wanted: wanted.name,
        got: got?.name ?? 'none',
      })
    }
  }
  return [...groups.values()]
}

function kindOf(
  message: string,
  wanted: PoolSkill,
  got: PoolSkill | undefined,
  df: ReadonlyMap<string, number>,
  skills: number,
): (typeof KINDS)[number] {
  const [short, cross, nothing, named, sibling, other] = KINDS
  if (sequenceOf(message).length <= (han.test(message) ? 4 : 2)) return short
  const head = `${wanted.name} ${wanted.description ?? ''}`
  if (han.test(message) !== han.test(head)) return cross
  const rare = [...termsOf(message)].filter(term => (df.get(term) ?? 0) <= skills * COMMON)
  const inSkill = termsOf(`${head} ${wanted.body ?? ''}`)
  const common = rare.filter(term => inSkill.has(term))
  if (common.length === 0) return nothing
  const name = termsOf(wanted.name)
  const rest = termsOf(`${wanted.description ?? ''} ${wanted.body ?? ''}`)
  if (common.every(term => name.has(term) && !rest.has(term))) return named
  if (got && (overlap(name, termsOf(got.name)) > 0 || alike(wanted, got) >= SIBLING)) return sibling
  return other
}

function alike(a: PoolSkill, b: PoolSkill): number {
  const one = termsOf(a.description ?? '')
  const two = termsOf(b.description ?? '')
  return overlap(one, two) / Math.max(1, Math.min(one.size, two.size))
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return [...a].filter(term => b.has(term)).length
}

function documentCounts(skills: readonly PoolSkill[]): Map<string, number> {
  const df = new Map<string, number>()
  for (const { name, description, body } of skills) {
    for (const term of termsOf(`${name} ${description ?? ''} ${body ?? ''}`)) {
      df.set(term, (df.get(term) ?? 0) + 1)
    }
  }
  return df
}

function termsOf(text: string): Set<string> {
  const terms = new Set<string>()
  analyze(text, (term, kind) => {
    if (kind & TERM) terms.add(term)
  })
  return terms
}
