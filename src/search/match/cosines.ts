import { compile } from '#kernel/cosines'
import { openWasm } from '../../core/load-module.js'
import type { Vectors } from '../index/vectors.js'

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
  const largest = query.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  const step = Math.fround(largest / Math.min(MAX_NUMBER, Math.floor(MAX_SUM / MAX_BYTE / query.length)))
  return { numbers: Int16Array.from(query, value => Math.round(value / (step || 1))), step }
}

/** The cosine of the message and one skill. It rounds where the kernel does, so the results are the same, bit for bit. */
export function cosineOf({ numbers, step }: QuerySteps, { bytes, scales, dimensions }: Vectors, skill: number): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  // Four sums run in parallel.
  for (let i = 0, at = skill * dimensions; i < dimensions; i += 4, at += 4) {
    a = (a + Math.imul(numbers[i] as number, bytes[at] as number)) | 0
    b = (b + Math.imul(numbers[i + 1] as number, bytes[at + 1] as number)) | 0
    c = (c + Math.imul(numbers[i + 2] as number, bytes[at + 2] as number)) | 0
    d = (d + Math.imul(numbers[i + 3] as number, bytes[at + 3] as number)) | 0
  }
  return Math.fround(Math.fround(Math.fround((a + b + c + d) | 0) * (scales[skill] as number)) * step)
}

/** Computes in JavaScript. */
export function plainCosines(query: QuerySteps, vectors: Vectors, from: number): Float32Array {
  const cosines = new Float32Array(Math.min(BLOCK_BYTES, vectors.scales.length - from))
  for (let index = 0; index < cosines.length; index++) cosines[index] = cosineOf(query, vectors, from + index)
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
