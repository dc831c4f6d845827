import {
  bytesOf,
  readJsonSection,
  readSections,
  writeJsonSection,
  writeSections,
} from '../../core/byte-sections.js'

/**
 * One vector of unit length per skill, as signed bytes. Sections:
 *
 * | tag  | content |
 * |------|------|
 * | vhea | JSON: `{ space, dimensions }` |
 * | vecs | i8 × dimensions per skill |
 * | vsca | f32 per skill: value of one step; 0 if the model knows nothing of the skill |
 */
export interface Vectors {
  /** Identifies the model. Only vectors of the same space are compared. */
  space: string
  /** A multiple of 8, at most 256. */
  dimensions: number
  bytes: Int8Array
  scales: Float32Array
}

const STEPS = 127
/** Rounding to bytes changes the length of a vector by at most 6 %. */
const LENGTH_TOLERANCE = 0.1

/** Collects the vectors of a segment. */
export interface VectorsWriter {
  /** Adds the vector of the next skill. */
  add(vector: ArrayLike<number>): void
  finish(): Vectors
}

export function createVectorsWriter(space: string, dimensions: number): VectorsWriter {
  const all: Int8Array[] = []
  const scales: number[] = []
  return {
    add(vector) {
      const bytes = new Int8Array(dimensions)
      all.push(bytes)
      scales.push(quantizeVector(vector, bytes))
    },
    finish() {
      const bytes = new Int8Array(all.length * dimensions)
      for (const [skill, vector] of all.entries()) bytes.set(vector, skill * dimensions)
      return { space, dimensions, bytes, scales: Float32Array.from(scales) }
    },
  }
}

/**
 * Quantizes a vector to signed bytes: `value = byte * scale`.
 * @returns The scale; 0 for a vector of zeros, and for one with NaN or infinity, which says nothing either.
 */
export function quantizeVector(vector: ArrayLike<number>, out: Int8Array): number {
  let largest = 0
  for (let index = 0; index < out.length; index++) {
    largest = Math.max(largest, Math.abs(vector[index] as number))
  }
  const isUsable = largest > 0 && largest < Number.POSITIVE_INFINITY
  const scale = isUsable ? largest / STEPS : 0
  for (let index = 0; index < out.length; index++) {
    out[index] = scale === 0 ? 0 : Math.round((vector[index] as number) / scale)
  }
  return scale
}

/** The space of the vectors of a segment, without opening it. */
export function vectorSpaceOf(segment: Uint8Array): string | undefined {
  const head = readJsonSection(readSections(segment)?.get('vhea')) as
    | Partial<Vectors>
    | null
    | undefined
  return head?.space
}

export function vectorSections({
  space,
  dimensions,
  bytes,
  scales,
}: Vectors): Record<string, Uint8Array> {
  return {
    vhea: writeJsonSection({ space, dimensions }),
    vecs: bytesOf(bytes),
    vsca: bytesOf(scales),
  }
}

/** Returns the segment with these vectors instead of its own. */
export function addVectors(segment: Uint8Array, vectors: Vectors): Uint8Array<ArrayBuffer> {
  return writeSections({
    ...Object.fromEntries(readSections(segment) ?? []),
    ...vectorSections(vectors),
  })
}

/** Reads the vectors of a segment; `undefined` if it has none, or one of them is neither of unit length nor zero. */
export function readVectors(
  sections: ReadonlyMap<string, Uint8Array>,
  skills: number,
  maxDimensions = 256,
): Vectors | undefined {
  const [head, vecs, vsca] = ['vhea', 'vecs', 'vsca'].map(tag => sections.get(tag))
  if (!head || !vecs || !vsca) return undefined
  const { space, dimensions = 0 } = (readJsonSection(head) ?? {}) as Partial<Vectors>
  if (
    typeof space !== 'string' ||
    !(dimensions >= 8 && dimensions <= maxDimensions && dimensions % 8 === 0)
  ) {
    return undefined
  }
  if (vecs.length !== skills * dimensions || vsca.length !== skills * 4) return undefined
  const bytes = new Int8Array(vecs.buffer, vecs.byteOffset, vecs.length)
  const scales = new Float32Array(vsca.buffer, vsca.byteOffset, vsca.length >> 2)
  return haveUnitLength(bytes, scales, dimensions)
    ? { space, dimensions, bytes, scales }
    : undefined
}

/** Whether each vector is of unit length, or zero. Longer vectors would be near to every message. */
export function haveUnitLength(
  bytes: Int8Array,
  scales: Float32Array,
  dimensions: number,
): boolean {
  for (let skill = 0, at = 0; skill < scales.length; skill++) {
    let sum = 0
    for (const end = at + dimensions; at < end; at++) {
      sum += (bytes[at] as number) * (bytes[at] as number)
    }
    const scale = scales[skill] as number
    if (scale !== 0 && !(Math.abs(Math.sqrt(sum) * scale - 1) <= LENGTH_TOLERANCE)) return false
  }
  return true
}
