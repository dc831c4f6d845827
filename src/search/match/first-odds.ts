import type { Calibration } from '../model/skill-model.js'

// The two functions of a score look at how much of the message the best skill covers, and at how close the second is. Facts come on top of
// them, as odds. How much the shared words of an English message say: many skills have "run" and "test". A large lead over the second and the
// third, which tells a right first skill better than coverage does, in scripts with spaces; in others, that words and meaning agree on the
// first. And what the author of the skill rules out counts against it.
// Fitted by training/calibrate/leads.ts.

/** What the odds depend on, beside the two functions. Parts of `Evidence`. */
export interface FirstFacts {
  margin: number
  third: number | undefined
  rivals: number
  part: number
  messages: number
  foreign: number
  unspaced: number
  said: number
  byWords: number
  ruledOut: number
}

/** How much what an author rules out counts: fitted on near misses of authors. */
export const RULED_OUT = 0.7

/** The probability that the library serves the message, with what the shared words say. */
export function adjustServed(
  served: number,
  facts: FirstFacts,
  leads: Calibration['leads'],
): number {
  if (!knows(leads, facts) || facts.said === 0 || !isOpen(served)) return served
  return probabilityOf(oddsOf(served) + leads.served * facts.said)
}

/** @param score The product of both functions. @param served The first of them. @returns The probability that the first skill is the right one. */
export function adjustFirst(
  score: number,
  served: number,
  facts: FirstFacts,
  leads: Calibration['leads'],
): number {
  const { part, ruledOut } = facts
  const known = knows(leads, facts)
  if (!isOpen(score) || (!known && ruledOut === 0)) return score
  const odds = known ? leadingOdds(oddsOf(score), served, facts, leads) : oddsOf(score)
  return Math.min(part, probabilityOf(odds - RULED_OUT * ruledOut))
}

type Leads = NonNullable<Calibration['leads']>

/** Among two skills a lead says nothing, and skills with messages have coefficients of their own. */
function knows(leads: Leads | undefined, { third, messages }: FirstFacts): leads is Leads {
  return leads !== undefined && third !== undefined && messages === 0
}

function leadingOdds(odds: number, served: number, facts: FirstFacts, leads: Leads): number {
  const { margin, third = 0, said, rivals, byWords, unspaced, foreign } = facts
  if (unspaced === 1) {
    const { intercept, score, rivals: crowd, byWords: agreed } = leads.unspaced
    return intercept + score * odds + crowd * rivals + agreed * byWords
  }
  const of = foreign === 1 ? leads.foreign : leads.english
  const ahead = served * (of.margin * margin + of.third * third)
  return of.intercept + of.score * odds + leads.english.said * said + ahead
}

function isOpen(probability: number): boolean {
  return probability > 0 && probability < 1
}

function oddsOf(probability: number): number {
  return Math.log(probability / (1 - probability))
}

function probabilityOf(odds: number): number {
  return 1 / (1 + Math.exp(-odds))
}
