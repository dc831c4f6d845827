import {
  bytesOf,
  readJsonSection,
  readSections,
  u32,
  writeJsonSection,
  writeSections,
} from '../../core/byte-sections.js'
import { areSkills } from './ruled-out.js'

/**
 * One vector of unit length per skill, as signed bytes. Sections:
 *
 * | tag  | content |
 * |------|------|
 * | vhea | JSON: `{ space, dimensions }` |
 * | vecs | i8 × dimensions per skill |
 * | vsca | f32 per skill: value of one step; 0 if the model knows nothing of the skill |
 * | vnos | u32 per skill that rules something out: its number, ascending; absent if none does |
 * | vnov | i8 × dimensions per such skill: what it rules out |
 * | vnoc | f32 per such skill: value of one step |
 */
export interface Vectors {
  /** Identifies the model. Only vectors of the same space are compared. */
  space: string
  /** A multiple of 8, at most 256. */
  dimensions: number
  bytes: Int8Array
  scales: Float32Array
  /** The number of the skill of each row, ascending, if only some skills have one. Default: each has. */
  skills?: Uint32Array | undefined
  /** Of what some skills rule out: a row for each. */
  ruledOut?: RuledOutVectors | undefined
}

/** Vectors of some skills, by row. */
export interface RuledOutVectors {
  /** The number of the skill of each row, ascending. */
  skills: Uint32Array
  bytes: Int8Array
  scales: Float32Array
}

const STEPS = 127
/** Rounding to bytes changes the length of a vector by at most 6 %. */
const LENGTH_TOLERANCE = 0.1

/** Collects the vectors of a segment. */
export interface VectorsWriter {
  /** Adds the vector of the next skill. @param ruledOut That of what it rules out, if it does */
  add(vector: ArrayLike<number>, ruledOut?: ArrayLike<number>): void
  finish(): Vectors
}

export function createVectorsWriter(space: string, dimensions: number): VectorsWriter {
  const own = createRows(dimensions)
  const ruledOut = createRows(dimensions)
  const skills: number[] = []
  return {
    add(vector, against) {
      if (against) {
        skills.push(own.length)
        ruledOut.add(against)
      }
      own.add(vector)
    },
    finish() {
      return {
        space,
        dimensions,
        ...own.finish(),
        ...(skills.length > 0
          ? { ruledOut: { skills: Uint32Array.from(skills), ...ruledOut.finish() } }
          : {}),
      }
    },
  }
}

function createRows(dimensions: number) {
  const all: Int8Array[] = []
  const scales: number[] = []
  return {
    get length() {
      return all.length
    },
    add(vector: ArrayLike<number>): void {
      const bytes = new Int8Array(dimensions)
      all.push(bytes)
      scales.push(quantizeVector(vector, bytes))
    },
    finish() {
      const bytes = new Int8Array(all.length * dimensions)
      for (const [row, vector] of all.entries()) bytes.set(vector, row * dimensions)
      return { bytes, scales: Float32Array.from(scales) }
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
  ruledOut,
}: Vectors): Record<string, Uint8Array> {
  return {
    vhea: writeJsonSection({ space, dimensions }),
    vecs: bytesOf(bytes),
    vsca: bytesOf(scales),
    ...(ruledOut
      ? {
          vnos: bytesOf(ruledOut.skills),
          vnov: bytesOf(ruledOut.bytes),
          vnoc: bytesOf(ruledOut.scales),
        }
      : {}),
  }
}

/** Tags of the sections of vectors. */
const TAGS = ['vhea', 'vecs', 'vsca', 'vnos', 'vnov', 'vnoc']

/** Returns the segment with these vectors instead of its own. */
export function addVectors(segment: Uint8Array, vectors: Vectors): Uint8Array<ArrayBuffer> {
  const others = [...(readSections(segment) ?? [])].filter(([tag]) => !TAGS.includes(tag))
  return writeSections({ ...Object.fromEntries(others), ...vectorSections(vectors) })
}

/** Reads the vectors of a segment; `undefined` if it has none, or one of them is neither of unit length nor zero. */
export function readVectors(
  sections: ReadonlyMap<string, Uint8Array>,
  skills: number,
  maxDimensions = 256,
): Vectors | undefined {
  const [head, vecs, vsca, vnos, vnov, vnoc] = TAGS.map(tag => sections.get(tag))
  if (!head || !vecs || !vsca) return undefined
  const { space, dimensions = 0 } = (readJsonSection(head) ?? {}) as Partial<Vectors>
  if (
    typeof space !== 'string' ||
    !(dimensions >= 8 && dimensions <= maxDimensions && dimensions % 8 === 0)
  ) {
    return undefined
  }
  const own = readRows(vecs, vsca, skills, dimensions)
  if (!own) return undefined
  if (!vnos || !vnov || !vnoc) return { space, dimensions, ...own }
  const numbers = u32(vnos)
  const rows = readRows(vnov, vnoc, numbers.length, dimensions)
  if (!rows || !areSkills(numbers, skills)) return undefined
  return { space, dimensions, ...own, ruledOut: { skills: numbers, ...rows } }
}

function readRows(
  vectors: Uint8Array,
  values: Uint8Array,
  rows: number,
  dimensions: number,
): Pick<Vectors, 'bytes' | 'scales'> | undefined {
  if (vectors.length !== rows * dimensions || values.length !== rows * 4) return undefined
  const bytes = new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length)
  const scales = new Float32Array(values.buffer, values.byteOffset, values.length >> 2)
  return haveUnitLength(bytes, scales, dimensions) ? { bytes, scales } : undefined
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
