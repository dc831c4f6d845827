import { compile } from '#kernel/tiles'
import { openWasm } from '../../../core/load-module.js'

/** Numbers in one array, and products of matrices in it. Offsets and strides count numbers. */
export interface Matrices {
  readonly heap: Float32Array
  /** Reserves numbers, and returns their offset. */
  reserve(size: number): number
  /**
   * Writes the product of `rows` rows of `inputs` numbers with a matrix.
   * @param matrix Offset of the matrix, in panels: see `panelOffset`. The number of outputs is a multiple of 8.
   */
  multiply(product: Product): void
}

/** The functions of `kernel/tiles.ts`. */
interface Tiles {
  four(from: number, fromStride: number, inputs: number, panel: number, to: number, toStride: number): void
  one(from: number, inputs: number, panel: number, to: number): void
}

export interface Product {
  from: number
  fromStride: number
  rows: number
  inputs: number
  matrix: number
  outputs: number
  to: number
  toStride: number
}

/** Of a number in the heap. */
const BYTES = 4
/** Outputs in a panel. */
export const PANEL = 4
/** Outputs and rows of a tile of the kernel. */
const TILE_OUTPUTS = 8
const TILE_ROWS = 4

/** Where the weight of an input and an output is, from the start of a matrix: by panel of four outputs, input, output. */
export function panelOffset(inputs: number, input: number, output: number): number {
  return Math.floor(output / PANEL) * inputs * PANEL + input * PANEL + (output % PANEL)
}

/**
 * @param size Numbers in the heap.
 * @param wasm Use WebAssembly where it is available.
 */
export function createMatrices(size: number, wasm: boolean): Matrices {
  const tiles = wasm ? openWasm<Tiles>(compile, size * BYTES) : undefined
  const heap = new Float32Array(tiles?.memory ?? new ArrayBuffer(size * BYTES), 0, size)
  let reserved = 0
  return {
    heap,
    reserve(count) {
      const offset = reserved
      reserved += count
      return offset
    },
    multiply: tiles ? product => multiplyTiles(tiles.functions, product) : product => multiplyPanels(heap, product),
  }
}

function multiplyTiles({ four, one }: Tiles, product: Product): void {
  const { from, fromStride, rows, inputs, matrix, outputs, to, toStride } = product
  for (let output = 0; output < outputs; output += TILE_OUTPUTS) {
    const panel = (matrix + output * inputs) * BYTES
    const input = (row: number): number => (from + row * fromStride) * BYTES
    const result = (row: number): number => (to + row * toStride + output) * BYTES
    let row = 0
    for (; row + TILE_ROWS <= rows; row += TILE_ROWS)
      four(input(row), fromStride * BYTES, inputs, panel, result(row), toStride * BYTES)
    for (; row < rows; row++) one(input(row), inputs, panel, result(row))
  }
}

function multiplyPanels(heap: Float32Array, product: Product): void {
  const { from, fromStride, rows, inputs, matrix, outputs, to, toStride } = product
  const blocked = rows - (rows % 4)
  for (let output = 0; output < outputs; output += PANEL) {
    const panel = matrix + output * inputs
    for (let row = 0; row < blocked; row += 4)
      multiplyFour(heap, from + row * fromStride, fromStride, inputs, panel, to + row * toStride + output, toStride)
    for (let row = blocked; row < rows; row++)
      multiplyOne(heap, from + row * fromStride, inputs, panel, to + row * toStride + output)
  }
}

/** Four rows by four outputs: the sums stay in registers. */
function multiplyFour(
  heap: Float32Array,
  from: number,
  stride: number,
  inputs: number,
  panel: number,
  to: number,
  toStride: number,
): void {
  let s00 = 0
  let s01 = 0
  let s02 = 0
  let s03 = 0
  let s10 = 0
  let s11 = 0
  let s12 = 0
  let s13 = 0
  let s20 = 0
  let s21 = 0
  let s22 = 0
  let s23 = 0
  let s30 = 0
  let s31 = 0
  let s32 = 0
  let s33 = 0
  const second = from + stride
  const third = second + stride
  const fourth = third + stride
  let weight = panel
  for (let input = 0; input < inputs; input++) {
    const a0 = heap[from + input] as number
    const a1 = heap[second + input] as number
    const a2 = heap[third + input] as number
    const a3 = heap[fourth + input] as number
    const w0 = heap[weight] as number
    const w1 = heap[weight + 1] as number
    const w2 = heap[weight + 2] as number
    const w3 = heap[weight + 3] as number
    weight += PANEL
    s00 += a0 * w0
    s01 += a0 * w1
    s02 += a0 * w2
    s03 += a0 * w3
    s10 += a1 * w0
    s11 += a1 * w1
    s12 += a1 * w2
    s13 += a1 * w3
    s20 += a2 * w0
    s21 += a2 * w1
    s22 += a2 * w2
    s23 += a2 * w3
    s30 += a3 * w0
    s31 += a3 * w1
    s32 += a3 * w2
    s33 += a3 * w3
  }
  heap[to] = s00
  heap[to + 1] = s01
  heap[to + 2] = s02
  heap[to + 3] = s03
  heap[to + toStride] = s10
  heap[to + toStride + 1] = s11
  heap[to + toStride + 2] = s12
  heap[to + toStride + 3] = s13
  heap[to + 2 * toStride] = s20
  heap[to + 2 * toStride + 1] = s21
  heap[to + 2 * toStride + 2] = s22
  heap[to + 2 * toStride + 3] = s23
  heap[to + 3 * toStride] = s30
  heap[to + 3 * toStride + 1] = s31
  heap[to + 3 * toStride + 2] = s32
  heap[to + 3 * toStride + 3] = s33
}

function multiplyOne(heap: Float32Array, from: number, inputs: number, panel: number, to: number): void {
  let s0 = 0
  let s1 = 0
  let s2 = 0
  let s3 = 0
  let weight = panel
  for (let input = 0; input < inputs; input++) {
    const a = heap[from + input] as number
    s0 += a * (heap[weight] as number)
    s1 += a * (heap[weight + 1] as number)
    s2 += a * (heap[weight + 2] as number)
    s3 += a * (heap[weight + 3] as number)
    weight += PANEL
  }
  heap[to] = s0
  heap[to + 1] = s1
  heap[to + 2] = s2
  heap[to + 3] = s3
}
