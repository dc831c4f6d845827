/**
 * Adam (Kingma, Ba 2015) for a table of which a step touches few rows. Rows that are not touched move on by their momentum; here
 * that is added up in one go when a row is touched again, so a step costs what it touches and comes to the same.
 */
const BETA1 = 0.9
const BETA2 = 0.999
const EPSILON = 1e-8
/** What one missed step leaves of the update before it. */
const DECAY = BETA1 / Math.sqrt(BETA2)

export interface Moments {
  table: Float32Array
  mean: Float32Array
  square: Float32Array
  /** The step up to which each row is brought, from 1; 0 where it was never touched. */
  seen: Int32Array
}

/** Brings a row to the end of step `step`, without a gradient in the steps it missed. */
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

/** One step of a row that is up to date. */
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
