import { type RuleHit, ruleHits } from './evidence.js'
import { analyzeQuery } from './rank.js'
import { type Found, stageMatcher } from './stage.js'
import type { Matcher } from './types.js'

const KEYWORD = 'keyword/1'
/** Matches at most: the first five, as in the TokenDance document. */
const MOST = 5
/** How often a lone tag is taken to stand in a message that is about something else. */
const CHANCE = 0.25
/** A name says as much as this many tags. */
const NAME_WORTH = 2

/**
 * Skills whose name, display name or a tag stands whole in the message; nothing else is looked at, and no model is needed. At most
 * five, those with the most hits first.
 *
 * The score is a rule and not a measurement: each tag is taken to mislead one time in four, a name counts as two tags, so one tag
 * gives .75, a name or two tags .94, and any hit is above the default threshold. Confidence shares the score by hits.
 */
export function keywordMatcher(): Matcher {
  return stageMatcher({
    most: MOST,
    async find({ message }, held, { allowed }) {
      const query = analyzeQuery(message)
      const hits: { at: number; skill: number; id: string; rules: RuleHit[]; weight: number }[] = []
      for (const [at, { segment, ids }] of held.entries()) {
        for (let skill = 0; skill < segment.length; skill++) {
          const rules = allowed(at, skill) ? ruleHits(query, { at, skill }, held) : []
          if (rules.length > 0) hits.push({ at, skill, id: ids[skill] as string, rules, weight: weightOf(rules) })
        }
      }
      const all = hits.reduce((sum, { weight }) => sum + weight, 0)
      const found = hits
        .sort((a, b) => b.weight - a.weight || (a.id < b.id ? -1 : 1))
        .map(({ at, skill, rules, weight }): Found => {
          const score = 1 - CHANCE ** weight
          const signals = { terms: [], rules, missing: [], relevance: weight }
          return { at, skill, score, confidence: score * (weight / all), signals }
        })
      return { model: KEYWORD, found }
    },
  })
}

function weightOf(rules: readonly RuleHit[]): number {
  const tags = rules.filter(({ rule }) => rule === 'tag').length
  return tags + (tags < rules.length ? NAME_WORTH : 0)
}
