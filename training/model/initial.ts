/**
 * Initial rows. Their length is the term's idf over the largest idf, so that common words start short; their direction is random,
 * N(0, 1/d), or given.
 */
import { idfOf } from '../../src/text/idf.js'
import { randomFrom } from '../random.js'
import type { Encoded } from './encode.js'

/** Relative length of rows with a given direction. Longer rows turn less in training. */
const KEPT = 2.5

/** @param directions Of unit length, for the first rows. */
export function fillTable(
  table: Float32Array,
  encoded: Encoded,
  rows: number,
  dimensions: number,
  seed: number,
  directions: ArrayLike<number> = [],
): void {
  const texts = encoded.starts.length - 1
  const counts = new Uint32Array(rows)
  const last = new Int32Array(rows).fill(-1)
  for (let text = 0; text < texts; text++)
    for (let at = encoded.starts[text] as number; at < (encoded.starts[text + 1] as number); at++) {
      const row = encoded.rows[at] as number
      if (last[row] === text) continue
      last[row] = text
      counts[row] = (counts[row] as number) + 1
    }
  const rarities = Array.from(counts, count => idfOf(texts, count))
  const most = rarities.reduce((a, b) => Math.max(a, b), 0)
  const random = randomFrom(seed)
  const deviation = 1 / Math.sqrt(dimensions)
  for (let row = 0; row < rows; row++) {
    const length = (rarities[row] as number) / most
    for (let at = row * dimensions; at < (row + 1) * dimensions; at++)
      table[at] = length * (at < directions.length ? KEPT * (directions[at] as number) : deviation * normal(random))
  }
}

/** A normal deviate (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
