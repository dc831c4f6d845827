/** Quantization of a model's weights to 4 bits: see `scal` and `rows` in src/search/model/format.ts. */
import { fromHalf, ZERO_LEVEL } from '../../src/search/model/format.js'

const MAX_LEVEL = 15
/** Shares of the largest value tried as the end of the scale: clipping a few outliers makes the steps finer. */
const CLIPS = Array.from({ length: 14 }, (_, index) => 1 - index * 0.05)

/**
 * Packs a row, two weights a byte, low half first.
 * @param out Has half as many bytes as `row` has numbers.
 * @returns The scale with the least squared error, as the upper half of a 32-bit float.
 */
export function packRow(row: ArrayLike<number>, out: Uint8Array): number {
  let largest = 0
  for (let index = 0; index < row.length; index++) {
    largest = Math.max(largest, Math.abs(row[index] as number))
  }
  if (largest === 0) {
    out.fill(0)
    return 0
  }
  let bestScale = 0
  let leastError = Number.POSITIVE_INFINITY
  for (const clip of CLIPS) {
    const scale = fromHalf(toHalf((largest * clip) / ZERO_LEVEL))
    let error = 0
    for (let index = 0; index < row.length; index++) {
      const value = row[index] as number
      error += (value - (levelOf(value, scale) - ZERO_LEVEL) * scale) ** 2
    }
    if (error < leastError) {
      leastError = error
      bestScale = scale
    }
  }
  for (let index = 0; index < row.length; index += 2) {
    out[index >> 1] =
      levelOf(row[index] as number, bestScale) | (levelOf(row[index + 1] as number, bestScale) << 4)
  }
  return toHalf(bestScale)
}

function levelOf(value: number, scale: number): number {
  return Math.min(MAX_LEVEL, Math.max(0, Math.round(value / scale + ZERO_LEVEL)))
}

const float = new Float32Array(1)
const bits = new Uint32Array(float.buffer)

/** The upper half of a 32-bit float: 8 bits of precision. */
function toHalf(value: number): number {
  float[0] = value
  return ((bits[0] as number) + 0x8000) >>> 16
}
