import { type Answered, type AnswerFigures, answerFigures } from './answers.js'
import { groupBy, type PoolSkill, type TriggerQuery } from './data.js'

export type Id = PoolSkill['id']

/** Ranks the skills of one library. Ids are best first. */
export interface Ranker {
  rank(message: string, limit: number): Promise<readonly Id[]>
  /** Answers as `match` of a library. Absent if the scores of the ranker are no probabilities. */
  match?(message: string): Promise<Answer>
}

export interface Answer {
  /** The first skill, matched or not. */
  first: { id: Id; score: number } | undefined
  matches: readonly Id[]
  maybe: readonly Id[]
}

/** The result for one message. */
export interface Outcome {
  query: TriggerQuery
  /** Rank of the first right skill, from 1; 0 if it is not among the first five. */
  place: number
  /** The first match. */
  first: Id | undefined
  /** Of a ranker that answers as `match`. */
  answered?: Answered | undefined
  ms: number
}

export interface Figures extends AnswerFigures {
  r1: number
  r5: number
  ndcg5: number
  n: number
  /** Mean R@1 over repositories with at least ten messages; `null` without any. */
  macroR1: number | null
}

/** Minimum skills of a library, and minimum messages of an origin for the macro mean. */
export const MIN_LIBRARY = 10
const MIN_ORIGIN = 10
/** Ranks that are looked at. */
const RANKS = 5

/** Ranks every message of tier `good` against the library of its origin, if that has `minLibrary` skills. */
export async function answerAll(
  queries: readonly TriggerQuery[],
  pools: readonly PoolSkill[],
  open: (skills: readonly PoolSkill[]) => Promise<Ranker>,
  minLibrary = MIN_LIBRARY,
): Promise<Outcome[]> {
  const libraries = groupBy(pools, skill => skill.origin)
  const outcomes: Outcome[] = []
  const wanted = queries.filter(query => query.should_trigger && query.tier === 'good')
  for (const [origin, asked] of groupBy(wanted, query => query.origin)) {
    const skills = libraries.get(origin) ?? []
    if (skills.length < minLibrary) continue
    const ranker = await open(skills)
    for (const query of asked) {
      const right = new Set([query.skill_id, ...(query.alt_skill_ids ?? [])])
      const start = performance.now()
      const ranked = await ranker.rank(query.query, RANKS)
      const ms = performance.now() - start
      const place = ranked.slice(0, RANKS).findIndex(id => right.has(id)) + 1
      outcomes.push({
        query,
        ms,
        first: ranked[0],
        place,
        answered: judged(await ranker.match?.(query.query), right),
      })
    }
  }
  return outcomes
}

function judged(answer: Answer | undefined, right: ReadonlySet<Id>): Answered | undefined {
  if (!answer) return undefined
  const { first, matches, maybe } = answer
  return {
    score: first?.score ?? 0,
    right: first !== undefined && right.has(first.id),
    fired: matches.length > 0,
    offered: [...matches, ...maybe].some(id => right.has(id)),
  }
}

export function figuresByLanguage(outcomes: readonly Outcome[]): Record<string, Figures> {
  const languages = [...groupBy(outcomes, ({ query }) => query.lang)].sort(
    ([, a], [, b]) => b.length - a.length,
  )
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
  const repository = ({ query }: Outcome): string => query.repo ?? query.origin
  const origins = [...groupBy(outcomes, repository).values()].filter(
    some => some.length >= MIN_ORIGIN,
  )
  return {
    r1: mean(first),
    r5: mean(({ place }) => (place > 0 ? 1 : 0)),
    // Each message has one right skill, so the ideal gain is 1.
    ndcg5: mean(({ place }) => (place > 0 ? 1 / Math.log2(place + 1) : 0)),
    n: outcomes.length,
    macroR1:
      origins.length === 0
        ? null
        : origins.reduce((sum, some) => sum + mean(first, some), 0) / origins.length,
    ...answerFigures(outcomes.flatMap(({ answered }) => answered ?? [])),
  }
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
