/**
 * Adam (Kingma, Ba 2015) for a table of which each step touches few rows. Untouched rows still move by their momentum; that movement is
 * applied in closed form when the row is touched again, so the cost of a step depends on the touched rows only.
 */
const BETA1 = 0.9
const BETA2 = 0.999
const EPSILON = 1e-8
/** Decay of the update per missed step. */
const DECAY = BETA1 / Math.sqrt(BETA2)

export interface Moments {
  table: Float32Array
  mean: Float32Array
  square: Float32Array
  /** The last applied step of each row, from 1; 0 for a row never touched. */
  seen: Int32Array
}

/** Applies the steps that a row missed, up to `step`, without a gradient. */
export function catchUp(
  { table, mean, square, seen }: Moments,
  row: number,
  dimensions: number,
  step: number,
  rate: number,
): void {
  const last = seen[row] as number
  const missed = step - last
  if (last === 0 || missed <= 0) return
  const sum = (DECAY * (1 - DECAY ** missed)) / (1 - DECAY)
  const factor = (rate * sum) / (1 - BETA1 ** last)
  const root = 1 / Math.sqrt(1 - BETA2 ** last)
  const fade1 = BETA1 ** missed
  const fade2 = BETA2 ** missed
  for (let at = row * dimensions; at < (row + 1) * dimensions; at++) {
    const m = mean[at] as number
    const v = square[at] as number
    table[at] = (table[at] as number) - (factor * m) / (Math.sqrt(v) * root + EPSILON)
    mean[at] = m * fade1
    square[at] = v * fade2
  }
  seen[row] = step
}

/** Applies one step to a row that is up to date. */
export function update(
  { table, mean, square, seen }: Moments,
  row: number,
  gradient: Float32Array | Float64Array,
  step: number,
  rate: number,
): void {
  const dimensions = gradient.length
  const factor = rate / (1 - BETA1 ** step)
  const root = 1 / Math.sqrt(1 - BETA2 ** step)
  const start = row * dimensions
  for (let at = 0; at < dimensions; at++) {
    const g = gradient[at] as number
    const m = BETA1 * (mean[start + at] as number) + (1 - BETA1) * g
    const v = BETA2 * (square[start + at] as number) + (1 - BETA2) * g * g
    mean[start + at] = m
    square[start + at] = v
    table[start + at] = (table[start + at] as number) - (factor * m) / (Math.sqrt(v) * root + EPSILON)
  }
  seen[row] = step
}
