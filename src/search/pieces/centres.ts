import { bytesOf, readJsonSection, writeJsonSection } from '../../core/byte-sections.js'
import { isCount, isRecord } from '../../core/plain-data.js'
import { haveUnitLength, type Vectors } from '../index/vectors.js'

/**
 * The centre of each file of rows, in the list of pieces. A message is compared with all of them, so that four bits have to do for a number.
 *
 * | tag | content |
 * |-----|---------|
 * | vhea | JSON: `{ space, dimensions }` |
 * | cvec | two numbers in a byte, each from 0 to 14 for -7 to 7, the first one in the low bits |
 * | csca | f32 per centre: value of one step; 0 if its skills have no vectors |
 */
const STEPS = 7

export function writeCentres(
  { space, dimensions }: Pick<Vectors, 'space' | 'dimensions'>,
  centres: readonly Float32Array[],
): Record<string, Uint8Array> {
  const numbers = new Uint8Array((centres.length * dimensions) / 2)
  const scales = new Float32Array(centres.length)
  for (const [file, centre] of centres.entries()) {
    const scale = centre.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / STEPS
    scales[file] = scale
    if (scale === 0) continue
    for (let at = 0; at < dimensions; at += 2) {
      const [low = 0, high = 0] = [centre[at], centre[at + 1]].map(
        (value = 0) => Math.round(value / scale) + STEPS,
      )
      numbers[(file * dimensions + at) / 2] = low | (high << 4)
    }
  }
  return { vhea: writeJsonSection({ space, dimensions }), cvec: numbers, csca: bytesOf(scales) }
}

/** Reads centres; `undefined` without vectors, and if they are damaged. */
export function readCentres(
  sections: ReadonlyMap<string, Uint8Array>,
  files: number,
): Vectors | undefined {
  const head = readJsonSection(sections.get('vhea'))
  const [numbers, csca] = ['cvec', 'csca'].map(tag => sections.get(tag))
  if (!isRecord(head) || !numbers || !csca) return undefined
  const { space, dimensions } = head
  if (typeof space !== 'string' || !isCount(dimensions) || dimensions % 8 !== 0) return undefined
  if (numbers.length * 2 !== files * dimensions || csca.length !== files * 4) return undefined
  const scales = new Float32Array(csca.buffer, csca.byteOffset, files)
  const bytes = new Int8Array(files * dimensions)
  for (let file = 0, at = 0; file < files; file++) {
    const end = ((file + 1) * dimensions) / 2
    // Zeros, as they are.
    if (scales[file] === 0) at = end
    for (; at < end; at++) {
      const pair = numbers[at] as number
      bytes[at * 2] = (pair & 15) - STEPS
      bytes[at * 2 + 1] = (pair >> 4) - STEPS
    }
  }
  return haveUnitLength(bytes, scales, dimensions)
    ? { space, dimensions, bytes, scales }
    : undefined
}
