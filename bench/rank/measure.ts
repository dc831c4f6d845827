import { groupBy, type PoolSkill, type TriggerQuery } from './data.js'

/** Ranks the skills of one library. Returns ids, best first. */
export interface Ranker {
  rank(message: string): Promise<readonly (number | string)[]>
}

/** The result for one message. */
export interface Outcome {
  query: TriggerQuery
  /** Rank of the first right skill, from 1; 0 if it is not among the first five. */
  place: number
  /** The first match. */
  first: number | string | undefined
  ms: number
}

export interface Figures {
  r1: number
  r5: number
  ndcg5: number
  n: number
  /** Mean R@1 over origins with at least ten messages; `null` without any. */
  macroR1: number | null
}

/** Minimum skills of a library, and minimum messages of an origin for the macro mean. */
const MIN_LIBRARY = 10
const MIN_ORIGIN = 10

/** Ranks every message of tier `good` against the library of its origin. */
export async function answerAll(
  queries: readonly TriggerQuery[],
  pools: readonly PoolSkill[],
  open: (skills: readonly PoolSkill[]) => Promise<Ranker>,
): Promise<Outcome[]> {
  const libraries = groupBy(pools, skill => skill.origin)
  const outcomes: Outcome[] = []
  const wanted = queries.filter(query => query.should_trigger && query.tier === 'good')
  for (const [origin, asked] of groupBy(wanted, query => query.origin)) {
    const skills = libraries.get(origin) ?? []
    if (skills.length < MIN_LIBRARY) continue
    const ranker = await open(skills)
    for (const query of asked) {
      const right = new Set([query.skill_id, ...(query.alt_skill_ids ?? [])])
      const start = performance.now()
      const ranked = await ranker.rank(query.query)
      const ms = performance.now() - start
      outcomes.push({ query, ms, first: ranked[0], place: ranked.slice(0, 5).findIndex(id => right.has(id)) + 1 })
    }
  }
  return outcomes
}

export function figuresByLanguage(outcomes: readonly Outcome[]): Record<string, Figures> {
  const languages = [...groupBy(outcomes, ({ query }) => query.lang)].sort(([, a], [, b]) => b.length - a.length)
  return Object.fromEntries(languages.map(([language, some]) => [language, figuresOf(some)]))
}

/** Results per origin of one language with enough messages, most messages first. */
export function figuresByOrigin(outcomes: readonly Outcome[]): Record<string, Figures> {
  const origins = [...groupBy(outcomes, ({ query }) => `${query.origin} (${query.lang})`)]
    .filter(([, some]) => some.length >= MIN_ORIGIN)
    .sort(([, a], [, b]) => b.length - a.length)
  return Object.fromEntries(origins.map(([origin, some]) => [origin, figuresOf(some)]))
}

function figuresOf(outcomes: readonly Outcome[]): Figures {
  const mean = (value: (outcome: Outcome) => number, of = outcomes): number =>
    of.reduce((sum, one) => sum + value(one), 0) / of.length
  const first = (outcome: Outcome): number => (outcome.place === 1 ? 1 : 0)
  const origins = [...groupBy(outcomes, ({ query }) => query.origin).values()].filter(some => some.length >= MIN_ORIGIN)
  return {
    r1: mean(first),
    r5: mean(({ place }) => (place > 0 ? 1 : 0)),
    // Each message has one right skill, so the ideal gain is 1.
    ndcg5: mean(({ place }) => (place > 0 ? 1 / Math.log2(place + 1) : 0)),
    n: outcomes.length,
    macroR1: origins.length === 0 ? null : origins.reduce((sum, some) => sum + mean(first, some), 0) / origins.length,
  }
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
