import { sequenceOf } from '../../core/text/analyze.js'
import { sequenceCode } from '../index/fingerprint.js'
import { messageKey } from '../index/message-key.js'
import { isNotFor } from '../index/ruled-out.js'
import { findNames } from './bonuses.js'
import type { NameHit } from './candidates.js'
import { createMatcher, type ScoredSkill } from './matcher.js'
import type { SkillRef } from './searched-segment.js'
import type { Matcher } from './skill-match.js'

const KEYWORD = 'keyword/1'
const MAX_MATCHES = 5
/** Assumed probability that a single tag occurs in an unrelated message. */
const CHANCE = 0.25
/** A name weighs as much as this many tags. */
const NAME_WEIGHT = 2

/** `relevance`: number of tags, a name counted as two. */
type KeywordHit = SkillRef & { id: string; names: readonly NameHit[]; relevance: number }

/**
 * Creates a matcher that finds skills by a name, display name or tag contained in the message, five at most, most hits first.
 *
 * The score is a rule, not a measurement: one tag gives .75, a name or two tags .94. Every hit is above the default threshold.
 */
export function keywordMatcher(): Matcher {
  return createMatcher({
    maxMatches: MAX_MATCHES,
    async rank({ message }, segments, { only }) {
      const sequence = sequenceOf(message)
      const query = { sequence, codes: Uint16Array.from(sequence, sequenceCode) }
      const key = messageKey(message)
      const hits: KeywordHit[] = []
      for (const [segmentIndex, { segment, ids, dead }] of segments.entries()) {
        for (let skill = 0; skill < segment.length; skill++) {
          if (dead.has(skill) || (only && !only(segmentIndex, skill))) continue
          const names = findNames(query, { segmentIndex, skill }, segments)
          if (names.length > 0 && !isNotFor(segment.ruledOutOf(skill), key)) {
            hits.push({
              segmentIndex,
              skill,
              id: ids[skill] as string,
              names,
              relevance: weightOf(names),
            })
          }
        }
      }
      hits.sort((a, b) => b.relevance - a.relevance || (a.id < b.id ? -1 : 1))
      const scoreOf = ({ segmentIndex, skill, names, relevance }: KeywordHit): ScoredSkill => {
        const score = 1 - CHANCE ** relevance
        const signals = { terms: [], rules: names, missing: [], relevance }
        return { segmentIndex, skill, score, signals }
      }
      return {
        model: KEYWORD,
        emptyMessage: sequence.length === 0,
        complete: true,
        skills: hits,
        score(limit) {
          const skills = hits.slice(0, limit).map(scoreOf)
          return { served: skills[0]?.score ?? 0, skills }
        },
        // Every hit is ranked, so a skill that is not found has no hit.
        scoreBelow: () => 0,
      }
    },
  })
}

function weightOf(names: readonly NameHit[]): number {
  const tags = names.filter(({ rule }) => rule === 'tag').length
  return tags + (tags < names.length ? NAME_WEIGHT : 0)
}
