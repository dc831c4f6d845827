/** Memory shared by all training threads. */
import type { Encoded } from './encode.js'

export interface Settings {
  /** Rows of the table. */
  rows: number
  dimensions: number
  /** The loss is also computed over this many first dimensions. */
  first: number
  /** Pairs of a batch: a multiple of `SHARDS * 4`. */
  batch: number
  steps: number
  /** Cosines are multiplied by it: the inverse temperature. */
  scale: number
  rate: number
  /** Share of a text's terms that are dropped at random at each visit. */
  dropout: number
  threads: number
  seed: number
}

export interface Memory {
  settings: Settings
  encoded: Encoded
  /** Numbers of pairs, a batch after the other. */
  order: Uint32Array<SharedArrayBuffer>
  table: Float32Array<SharedArrayBuffer>
  /** Adam's moments, and the step at which each row's were last brought up to date. */
  mean: Float32Array<SharedArrayBuffer>
  square: Float32Array<SharedArrayBuffer>
  seen: Int32Array<SharedArrayBuffer>
  /** Loss of each step, whole and prefix together. */
  losses: Float64Array<SharedArrayBuffer>
  /** Threads that wait at the barrier, how often it opened, steps done. */
  control: Int32Array<SharedArrayBuffer>
  /** Vectors of the left (0) and right (1) texts of a batch before they are made unit length, and the same transposed. */
  vectors: readonly Float32Array<SharedArrayBuffer>[]
  across: readonly Float32Array<SharedArrayBuffer>[]
  /** 1 / length of those vectors: whole, then prefix. */
  inverse: readonly Float32Array<SharedArrayBuffer>[]
  /** Dot products of the batch: whole, prefix. */
  wholeDots: Float32Array<SharedArrayBuffer>
  prefixDots: Float32Array<SharedArrayBuffer>
  /** Exponentials, then the factors of the gradient; and those transposed. */
  whole: Float32Array<SharedArrayBuffer>
  prefix: Float32Array<SharedArrayBuffer>
  wholeAcross: Float32Array<SharedArrayBuffer>
  prefixAcross: Float32Array<SharedArrayBuffer>
  /** Sums over a row of the batch's matrix: whole, then prefix; and of each shard's part of the columns. */
  rowSums: Float64Array<SharedArrayBuffer>
  columnSums: Float64Array<SharedArrayBuffer>
  /** Of each shard's part of the columns: the gradient's pull along the vectors themselves. */
  columnPulls: Float64Array<SharedArrayBuffer>
  /** Loss of each shard. */
  shardLosses: Float64Array<SharedArrayBuffer>
  /** Gradients of the vectors, left and right. */
  gradients: readonly Float32Array<SharedArrayBuffer>[]
}

/** Shards of a batch. Independent of the number of threads, so that sums always have the same order. */
export const SHARDS = 16

export function createMemory(settings: Settings, encoded: Encoded, order: Uint32Array<SharedArrayBuffer>): Memory {
  const { rows, dimensions, batch, steps } = settings
  const float = (length: number) => new Float32Array(new SharedArrayBuffer(length * 4))
  const double = (length: number) => new Float64Array(new SharedArrayBuffer(length * 8))
  const two = (length: number) => [float(length), float(length)]
  return {
    settings,
    encoded,
    order,
    table: float(rows * dimensions),
    mean: float(rows * dimensions),
    square: float(rows * dimensions),
    seen: new Int32Array(new SharedArrayBuffer(rows * 4)),
    losses: double(steps),
    control: new Int32Array(new SharedArrayBuffer(12)),
    vectors: two(batch * dimensions),
    across: two(batch * dimensions),
    inverse: two(batch * 2),
    wholeDots: float(batch * batch),
    prefixDots: float(batch * batch),
    whole: float(batch * batch),
    prefix: float(batch * batch),
    wholeAcross: float(batch * batch),
    prefixAcross: float(batch * batch),
    rowSums: double(batch * 2),
    columnSums: double(SHARDS * batch * 2),
    columnPulls: double(SHARDS * batch * 2),
    shardLosses: double(SHARDS),
    gradients: two(batch * dimensions),
  }
}
