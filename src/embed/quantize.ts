/** Weights of 4 bits: 0 to 15 stand for -7.5 to 7.5 times the scale of the row. */
export const MIDDLE = 7.5
const MOST = 15
/** Shares of the greatest value that are tried as the end of the scale: cutting off a few outliers makes the steps finer. */
const CUTS = Array.from({ length: 14 }, (_, index) => 1 - index * 0.05)

/**
 * Packs a row at two weights a byte, the lower half first. The scale is the one with the least squared error; it is kept as the upper half
 * of a 32-bit float. `out` has half as many bytes as `row` numbers.
 */
export function packRow(row: ArrayLike<number>, out: Uint8Array): number {
  let most = 0
  for (let at = 0; at < row.length; at++) most = Math.max(most, Math.abs(row[at] as number))
  if (most === 0) {
    out.fill(0)
    return 0
  }
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (const cut of CUTS) {
    const scale = fromHalf(toHalf((most * cut) / MIDDLE))
    let error = 0
    for (let at = 0; at < row.length; at++) {
      const value = row[at] as number
      error += (value - (levelOf(value, scale) - MIDDLE) * scale) ** 2
    }
    if (error < least) {
      least = error
      best = scale
    }
  }
  for (let at = 0; at < row.length; at += 2)
    out[at >> 1] = levelOf(row[at] as number, best) | (levelOf(row[at + 1] as number, best) << 4)
  return toHalf(best)
}

function levelOf(value: number, scale: number): number {
  return Math.min(MOST, Math.max(0, Math.round(value / scale + MIDDLE)))
}

const float = new Float32Array(1)
const bits = new Uint32Array(float.buffer)

/** The upper half of a 32-bit float: 8 bits of precision. */
export function toHalf(value: number): number {
  float[0] = value
  return ((bits[0] as number) + 0x8000) >>> 16
}

export function fromHalf(half: number): number {
  bits[0] = half << 16
  return float[0] as number
}
