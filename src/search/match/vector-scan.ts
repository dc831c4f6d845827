import { compile } from '#kernel/cosines'
import { openWasm } from '../../core/open-wasm.js'
import type { Vectors } from '../index/vectors.js'
import type { SkillRef } from './searched-segment.js'

/** A skill close to a message in meaning. */
export interface NearestSkill extends SkillRef {
  /** Cosine of message and skill, -1 to 1. */
  cosine: number
}

export interface VectorSegment {
  vectors: Vectors | undefined
  /** Excludes skills. Default: none. */
  isLive?: ((skill: number) => boolean) | undefined
}

/** Fewer skills take a fraction of a millisecond. A page with few skills compiles no WebAssembly, and a strict policy reports nothing. */
const MIN_FOR_KERNEL = 2_000

let fastest: Cosines | undefined

/** Finds the skills nearest to a message, best first, by the cosines of all skills. Skills whose vectors are zeros are never found. */
export function nearestByVector(
  vector: Float32Array,
  segments: readonly VectorSegment[],
  limit: number,
): NearestSkill[] {
  const best: NearestSkill[] = []
  const query = quantizeQuery(vector)
  const cosines = cosinesFor(
    segments.reduce((sum, { vectors }) => sum + (vectors?.scales.length ?? 0), 0),
  )
  for (const [segmentIndex, { vectors, isLive }] of segments.entries()) {
    if (vectors?.dimensions !== vector.length) continue
    scan(cosines, query, vectors, (row, cosine) => {
      const skill = vectors.skills?.[row] ?? row
      if (vectors.scales[row] !== 0 && (!isLive || isLive(skill))) {
        insert(best, { segmentIndex, skill, cosine }, limit)
      }
      return best.length < limit
        ? Number.NEGATIVE_INFINITY
        : (best[limit - 1] as NearestSkill).cosine
    })
  }
  return best
}

function cosinesFor(skills: number): Cosines {
  if (skills < MIN_FOR_KERNEL) return plainCosines
  fastest ??= kernelCosines() ?? plainCosines
  return fastest
}

/** Calls `each` for every row above a threshold, which is the result of the last call. */
function scan(
  cosines: Cosines,
  query: QuerySteps,
  vectors: Vectors,
  each: (row: number, cosine: number) => number,
): void {
  let threshold = Number.NEGATIVE_INFINITY
  for (let from = 0; from < vectors.scales.length; ) {
    const block = cosines(query, vectors, from)
    for (let index = 0; index < block.length; index++) {
      const cosine = block[index] as number
      if (cosine > threshold) threshold = each(from + index, cosine)
    }
    from += block.length
  }
}

/** Inserts in order, after equal ones, and drops the last if there are too many. */
function insert(best: NearestSkill[], skill: NearestSkill, limit: number): void {
  let index = best.length
  while (index > 0 && (best[index - 1] as NearestSkill).cosine < skill.cosine) index--
  best.splice(index, 0, skill)
  if (best.length > limit) best.pop()
}

/** A message as integers: `value = number * step`. */
export interface QuerySteps {
  numbers: Int16Array
  /** A 32-bit float. */
  step: number
}

/** Returns the cosines of the message and some skills, `from` and those after it. The next call overwrites them. */
export type Cosines = (query: QuerySteps, vectors: Vectors, from: number) => Float32Array

/** The function of `kernel/cosines.ts`. */
interface Kernel {
  cosines(
    query: number,
    step: number,
    dimensions: number,
    vectors: number,
    scales: number,
    skills: number,
    out: number,
  ): void
}

const MAX_NUMBER = 32_767
/** Sums are 32-bit integers, so the order of additions has no effect. */
const MAX_SUM = 2 ** 31 - 1
/** Of a number of a skill. */
const MAX_BYTE = 128

export function quantizeQuery(query: Float32Array): QuerySteps {
  let largest = 0
  for (const value of query) largest = Math.max(largest, Math.abs(value))
  const step = Math.fround(
    largest / Math.min(MAX_NUMBER, Math.floor(MAX_SUM / MAX_BYTE / query.length)),
  )
  const numbers = new Int16Array(query.length)
  for (let index = 0; index < numbers.length; index++) {
    numbers[index] = Math.round((query[index] as number) / (step || 1))
  }
  return { numbers, step }
}

/** The cosine of the message and the skill of one row. It rounds where the kernel does, so the results are the same, bit for bit. */
export function cosineOf(
  { numbers, step }: QuerySteps,
  { bytes, scales, dimensions }: Pick<Vectors, 'bytes' | 'scales' | 'dimensions'>,
  row: number,
): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  // Four sums run in parallel.
  for (let i = 0, at = row * dimensions; i < dimensions; i += 4, at += 4) {
    a = (a + Math.imul(numbers[i] as number, bytes[at] as number)) | 0
    b = (b + Math.imul(numbers[i + 1] as number, bytes[at + 1] as number)) | 0
    c = (c + Math.imul(numbers[i + 2] as number, bytes[at + 2] as number)) | 0
    d = (d + Math.imul(numbers[i + 3] as number, bytes[at + 3] as number)) | 0
  }
  return Math.fround(Math.fround(Math.fround((a + b + c + d) | 0) * (scales[row] as number)) * step)
}

export function plainCosines(query: QuerySteps, vectors: Vectors, from: number): Float32Array {
  const cosines = new Float32Array(Math.min(BLOCK_BYTES, vectors.scales.length - from))
  for (let index = 0; index < cosines.length; index++) {
    cosines[index] = cosineOf(query, vectors, from + index)
  }
  return cosines
}

/** Vectors are copied to the memory of the kernel block by block, and stay in the processor's cache. */
const BLOCK_BYTES = 65_536
/** The kernel computes four skills at a time. */
const ROWS = 4
const MIN_DIMENSIONS = 8

/** Returns a function that computes in the kernel, ten times as fast; `undefined` where it is not available. */
export function kernelCosines(): Cosines | undefined {
  const scalesAt = BLOCK_BYTES
  const outAt = scalesAt + (BLOCK_BYTES / MIN_DIMENSIONS) * 4
  const queryAt = outAt + (BLOCK_BYTES / MIN_DIMENSIONS) * 4
  const kernel = openWasm<Kernel>(compile, queryAt + (BLOCK_BYTES / ROWS) * 2)
  if (!kernel) return undefined
  const { memory, functions } = kernel
  const block = new Int8Array(memory, 0, BLOCK_BYTES)
  const blockScales = new Float32Array(memory, scalesAt, BLOCK_BYTES / MIN_DIMENSIONS)
  const cosines = new Float32Array(memory, outAt, BLOCK_BYTES / MIN_DIMENSIONS)
  const numbersIn = new Int16Array(memory, queryAt, BLOCK_BYTES / ROWS)
  return (query, vectors, from) => {
    const { bytes, scales, dimensions } = vectors
    const rows = Math.floor(BLOCK_BYTES / dimensions / ROWS) * ROWS
    if (rows === 0) return plainCosines(query, vectors, from)
    const to = Math.min(from + rows, scales.length)
    block.set(bytes.subarray(from * dimensions, to * dimensions))
    blockScales.set(scales.subarray(from, to))
    numbersIn.set(query.numbers)
    functions.cosines(queryAt, query.step, dimensions, 0, scalesAt, to - from, outAt)
    return cosines.subarray(0, to - from)
  }
}
