import type { MatcherResult, MatchStatus, RankedMatch } from '../../search/match/skill-match.js'

/** A skill that was found for a message. */
export interface SkillMatch extends RankedMatch {
  /** The description of the skill, in the language of the reasons if it has one. `''` if the skill was removed meanwhile. */
  description: string
}

/** The nearest skills. No threshold is applied. */
export interface SearchResult extends Omit<MatcherResult, 'matches'> {
  /** What `match` would say with its default threshold and without a reranker. `matches` has the nearest skills in any case. */
  status: MatchStatus
  /** Best first. `[]` if nothing connects a skill with the message: see `abstained`. */
  matches: readonly SkillMatch[]
}

/** The skills that serve a message. `status` says which of the two lists has skills; both are always there. */
export type MatchResult = Omit<SearchResult, 'status' | 'matches'> &
  (
    | {
        /** Act: the first match has a score above the threshold. */
        status: 'match'
        /** Best first. */
        matches: readonly [SkillMatch, ...SkillMatch[]]
        maybe: readonly SkillMatch[]
      }
    | {
        /** The library probably serves the message (`served` is at least 0.4), but no skill alone is likely. */
        status: 'maybe'
        matches: readonly SkillMatch[]
        /** Up to eight skills, best first. Offer them, ask, or let the model choose; do not act on one. */
        maybe: readonly [SkillMatch, ...SkillMatch[]]
      }
    | {
        /** Nothing fits: see `abstained`. */
        status: 'none'
        matches: readonly SkillMatch[]
        maybe: readonly SkillMatch[]
      }
  )
