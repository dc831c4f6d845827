import type { Calibration } from '../model/skill-model.js'

// The two functions of a score look at how much of the message the best skill covers, and at how close the second is. Two facts come on top
// of their product, as odds. A large lead over the second and the third tells a right first skill better than coverage does, in scripts with
// spaces; among fewer than three skills a lead says nothing. And what the author of the skill rules out counts against it.
// Fitted by training/calibrate/leads.ts.

/** What the odds of the first skill depend on, beside its score. Parts of `Evidence`. */
export interface FirstFacts {
  margin: number
  third: number | undefined
  part: number
  messages: number
  unspaced: number
  ruledOut: number
}

/** How much what an author rules out counts: fitted on near misses of authors. */
const RULED_OUT = 0.7

/** @param score The product of both functions. @param served The first of them. @returns The probability that the first skill is the right one. */
export function adjustFirst(
  score: number,
  served: number,
  facts: FirstFacts,
  leads: Calibration['leads'],
): number {
  const { margin, third, part, messages, unspaced, ruledOut } = facts
  const knowsLeads = leads && third !== undefined && messages === 0 && unspaced === 0
  if (score <= 0 || score >= 1 || (!knowsLeads && ruledOut === 0)) return score
  let odds = Math.log(score / (1 - score))
  if (knowsLeads) {
    odds =
      leads.intercept + leads.score * odds + served * (leads.margin * margin + leads.third * third)
  }
  return Math.min(part, 1 / (1 + Math.exp(RULED_OUT * ruledOut - odds)))
}
