import { FOLLOWER_SHARE, MAYBE_LIMIT, MAYBE_SERVED } from '../match/score.js'
import type { MatcherResult, SkillMatch } from '../match/skill-match.js'

/** The two numbers that a caller of `match` chooses. */
export interface Decision {
  /** Maximum number of matches. */
  limit: number
  /** The first match needs a score above it. */
  threshold: number
}

/** Whether the first match is right so probably that a caller may act on it. */
export function isLikely([first]: readonly SkillMatch[], threshold: number): boolean {
  return first !== undefined && first.score > threshold
}

/** Whether some skill of the library probably serves the message, though perhaps none alone. */
export function isServed({ served }: Pick<MatcherResult, 'served'>): boolean {
  return served >= MAYBE_SERVED
}

/** The first match, and those of the others that are not hopeless beside the threshold. */
export function withoutHopeless(
  matches: readonly SkillMatch[],
  threshold: number,
): readonly SkillMatch[] {
  return matches.filter(({ score }, rank) => rank === 0 || score >= threshold * FOLLOWER_SHARE)
}

/**
 * Decides what a caller may do with a ranking. `matches` if the first is likely right: act. `maybe` if some skill probably serves the
 * message: offer a choice. Neither: nothing fits.
 */
export function decide(found: MatcherResult, { limit, threshold }: Decision): MatcherResult {
  const { matches } = found
  if (isLikely(matches, threshold)) return { ...found, matches: matches.slice(0, limit) }
  if (matches.length === 0) return found
  const maybe = isServed(found) ? { maybe: matches.slice(0, MAYBE_LIMIT) } : {}
  return { ...found, matches: [], ...maybe, abstained: 'below-threshold' }
}
