import type { MatchStatus, SkillMatch, SkillSummary } from 'skillshelf'
import { make } from '../dom.js'
import { percent } from '../format.js'
import { nameOf } from '../names.js'
import { texts } from '../texts.js'

/** Scores of a skill that is near though no agent would load it: any, and one that is so many times that of the second. */
const NEAR = 0.1
const LEADING = 0.05
const LEAD = 3
/** The lowest probability that some skill serves the message, for each of `texts.served` but the last, which denies it. */
const SERVED = [0.9, 0.7, 0.4, 0.03]

/** What a verdict is about. */
export interface Verdict {
  status: MatchStatus
  /** The probability that some skill serves the message. */
  served: number
  /** Best first. */
  shown: readonly SkillMatch[]
  /** Skills that an agent gets or chooses from. */
  found: number
}

/** What an agent would do with an answer: a headline of one line, and why. */
export function verdictOf(
  { status, served, shown, found }: Verdict,
  summaries: ReadonlyMap<string, SkillSummary>,
): readonly Node[] {
  const [best, second] = shown
  // -1 if it is denied.
  const step = SERVED.findIndex(least => served >= least)
  const library = texts.served.at(step) as string
  if (!best) return lines([texts.nothing], texts.noMatch)
  const shownName = nameOf(summaries.get(best.id) ?? best)
  const name = make('strong', {}, shownName)
  if (status === 'match') return lines(texts.oneCandidate(name), texts.acts(library))
  const leads = best.score >= LEAD * (second?.score ?? 0)
  const isChoice = status === 'maybe' && found > 1
  if (isChoice && !leads) return lines([texts.unsure], texts.choose(library))
  if (status === 'maybe' || best.score >= NEAR || (leads && best.score >= LEADING)) {
    return lines(texts.closest(name, percent(best.score)), texts.notAlone(library))
  }
  // Far, but not out of the question.
  if (step >= 0) return lines([texts.hardly], texts.far(shownName, percent(best.score)))
  return lines([texts.nothing], texts.none(library))
}

function lines(headline: readonly (Node | string)[], detail: string): readonly Node[] {
  return [make('b', {}, ...headline), make('span', { class: 'detail' }, detail)]
}
