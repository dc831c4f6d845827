import { groupBy } from './data.js'

/** The answer of `match` to a message that a skill serves. */
export interface Answered {
  /** Score of the first skill, matched or not; 0 without one. */
  score: number
  /** The first skill is a right one. */
  right: boolean
  /** There is a match. */
  fired: boolean
  /** A right skill is in `matches` or `maybe`. */
  offered: boolean
}

/** How well the answers can be acted on. `null`: not measured, or no message to measure it on. */
export interface AnswerFigures {
  /** Area under the ROC curve of the first score, for "the first skill is right". */
  auc: number | null
  /** Expected calibration error of the first score, over ten bins of equal width. */
  ece: number | null
  /** Share of messages with a match. */
  fired: number | null
  /** Share of these with a right first match. */
  firedRight: number | null
  /** Share of messages with a right skill in `matches` or `maybe`. */
  maybeRight: number | null
}

const BINS = 10

export function answerFigures(answers: readonly Answered[]): AnswerFigures {
  const fired = answers.filter(one => one.fired)
  return {
    auc: areaUnderCurve(answers),
    ece: calibrationError(answers),
    fired: share(fired.length, answers.length),
    firedRight: share(fired.filter(({ right }) => right).length, fired.length),
    maybeRight: share(answers.filter(({ offered }) => offered).length, answers.length),
  }
}

/** The probability that a right first skill scores higher than a wrong one. Equal scores count half. */
function areaUnderCurve(answers: readonly Answered[]): number | null {
  const [rights, wrongs] = [true, false].map(wanted =>
    answers.filter(({ right }) => right === wanted),
  ) as [Answered[], Answered[]]
  let won = 0
  for (const { score } of rights) {
    for (const wrong of wrongs) won += score > wrong.score ? 1 : score === wrong.score ? 0.5 : 0
  }
  return share(won, rights.length * wrongs.length)
}

/** The mean difference of score and share of right ones in a bin, weighted by the messages in it. */
function calibrationError(answers: readonly Answered[]): number | null {
  const bins = groupBy(answers, ({ score }) => String(Math.min(BINS - 1, Math.floor(score * BINS))))
  let error = 0
  for (const bin of bins.values()) {
    error += Math.abs(bin.reduce((sum, { score, right }) => sum + score - (right ? 1 : 0), 0))
  }
  return share(error, answers.length)
}

function share(part: number, all: number): number | null {
  return all === 0 ? null : part / all
}
