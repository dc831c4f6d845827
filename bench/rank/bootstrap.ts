import { randomFrom } from '../random.js'
import { groupBy } from './data.js'
import type { Outcome } from './measure.js'

export interface Difference {
  /** Mean difference in R@1. */
  r1: number
  /** Interval of 95 % of the resampled differences. */
  low: number
  high: number
}

const ROUNDS = 2_000

/**
 * Compares R@1 of `ours` and `theirs` on the same messages. The interval resamples whole origins, because the messages of one origin are
 * written by the same people about the same skills (cluster bootstrap; Efron and Tibshirani 1993).
 */
export function compareByOrigin(ours: readonly Outcome[], theirs: readonly Outcome[]): Difference {
  const pairs = ours.map((one, at) => ({
    origin: one.query.origin,
    gain: (one.place === 1 ? 1 : 0) - (theirs[at]?.place === 1 ? 1 : 0),
  }))
  const origins = [...groupBy(pairs, ({ origin }) => origin).values()].map(some => ({
    sum: some.reduce((sum, { gain }) => sum + gain, 0),
    count: some.length,
  }))
  const random = randomFrom(1)
  const means: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    let sum = 0
    let count = 0
    for (let drawn = 0; drawn < origins.length; drawn++) {
      const origin = origins[Math.floor(random() * origins.length)] as {
        sum: number
        count: number
      }
      sum += origin.sum
      count += origin.count
    }
    means.push(sum / count)
  }
  means.sort((a, b) => a - b)
  return {
    r1: pairs.reduce((sum, { gain }) => sum + gain, 0) / pairs.length,
    low: means[Math.floor(ROUNDS * 0.025)] as number,
    high: means[Math.floor(ROUNDS * 0.975)] as number,
  }
}
