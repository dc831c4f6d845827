import type { PoolSkill, TriggerQuery } from './data.js'
import { matchers } from './matchers.js'
import {
  answerAll,
  type Figures,
  figuresByLanguage,
  type Outcome,
  quantile,
  type Ranker,
} from './measure.js'
import { type FalseAlarms, falseAlarms } from './no-skill.js'

/** The results of one matcher. */
export interface Run {
  matcher: string
  what: string
  outcomes: Outcome[]
  languages: Record<string, Figures>
  /** By language of the message. */
  noSkill?: Record<string, FalseAlarms>
  queryMs: { p50: number; p95: number }
}

/** @param options `noSkill` also matches messages that no skill serves, if the matcher decides matches. `minLibrary`: skills that a library needs. */
export async function runMatcher(
  name: string,
  queries: readonly TriggerQuery[],
  pools: readonly PoolSkill[],
  options: { noSkill?: boolean; minLibrary?: number } = {},
): Promise<Run> {
  const known = findMatcher(name)
  const opened = new Map<string, Promise<Ranker>>()
  const open = (skills: readonly PoolSkill[]): Promise<Ranker> => {
    const origin = skills[0]?.origin ?? ''
    const ranker = opened.get(origin) ?? known.open(skills)
    opened.set(origin, ranker)
    return ranker
  }
  const outcomes = await answerAll(queries, pools, open, options.minLibrary)
  const times = outcomes.map(({ ms }) => ms)
  return {
    matcher: name,
    what: known.what,
    outcomes,
    languages: figuresByLanguage(outcomes),
    ...(options.noSkill && outcomes[0]?.answered
      ? { noSkill: await falseAlarms(pools, open) }
      : {}),
    queryMs: { p50: quantile(times, 0.5), p95: quantile(times, 0.95) },
  }
}

export function findMatcher(name: string): (typeof matchers)[string] {
  const known = matchers[name]
  if (known) return known
  throw new Error(`There is no matcher ${name}; there are ${Object.keys(matchers).join(', ')}`)
}
