import { FOLLOWER_SHARE, MAYBE_LIMIT, MAYBE_SERVED } from '../match/score.js'
import type { MatcherResult, MatchStatus, RankedMatch } from '../match/skill-match.js'

/** The two numbers that a caller of `match` chooses. */
export interface Decision {
  /** Maximum number of matches. */
  limit: number
  /** The first match needs a score above it. */
  threshold: number
}

/** Whether the first match is right so probably that a caller may act on it. */
export function isLikely([first]: readonly RankedMatch[], threshold: number): boolean {
  return first !== undefined && first.score > threshold
}

/** Whether some skill of the library probably serves the message, though perhaps none alone. */
export function isServed({ served }: Pick<MatcherResult, 'served'>): boolean {
  return served >= MAYBE_SERVED
}

/** The first match, and those of the others that are not hopeless beside the threshold. */
export function withoutHopeless(
  matches: readonly RankedMatch[],
  threshold: number,
): readonly RankedMatch[] {
  return matches.filter(({ score }, rank) => rank === 0 || score >= threshold * FOLLOWER_SHARE)
}

/** A ranking and what a caller may do with it. `matches` and `maybe` have skills if `status` says so: see `MatchResult`. */
export interface Decided extends MatcherResult {
  status: MatchStatus
  maybe: readonly RankedMatch[]
}

/** Act if the first skill is likely right; offer a choice if some skill probably serves the message; else nothing fits. */
export function statusOf(found: MatcherResult, threshold: number): MatchStatus {
  if (isLikely(found.matches, threshold)) return 'match'
  return found.matches.length > 0 && isServed(found) ? 'maybe' : 'none'
}

export function decide(found: MatcherResult, { limit, threshold }: Decision): Decided {
  const { matches } = found
  const status = statusOf(found, threshold)
  if (status === 'match') return { ...found, status, matches: matches.slice(0, limit), maybe: [] }
  if (matches.length === 0) return { ...found, status, maybe: [] }
  const maybe = status === 'maybe' ? matches.slice(0, MAYBE_LIMIT) : []
  return { ...found, status, matches: [], maybe, abstained: 'below-threshold' }
}
