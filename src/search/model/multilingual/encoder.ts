import { normalize } from '../unit-vectors.js'
import { BRANCH, BRANCHES, EMBEDDING, FEATURES, HIDDEN, layersOf, type Weights } from './format.js'
import { createMatrices, type Matrices, panelOffset } from './matrix.js'

/** Writes the vector of a text, in unit length. */
export type Encoder = (rows: readonly number[], into: Float32Array) => void

/** Tokens that are read at once. In a longer text, n-grams end at the border of two windows. */
const WINDOW = 256
const PROJECTED = BRANCHES.length * BRANCH
/** Tokens of padding around a window: those of the longest n-gram. */
const PADDING = 4

/** A matrix in the heap. */
interface Dense {
  matrix: number
  inputs: number
  outputs: number
  bias: Float32Array
}

/**
 * Opens the network of the Multilingual Universal Sentence Encoder (Yang et al. 2019), version 3.
 *
 * The embedding of each token and three stacks of two convolutions over n-grams, with residual connections, are normalized and summed over
 * the text. Dense layers with skip connections follow, and a projection to the principal axes.
 *
 * @param wasm Use WebAssembly where it is available.
 */
export function createEncoder(weights: Weights, wasm = true): Encoder {
  const { dimensions } = weights.head
  const layers = layersOf(dimensions)
  const matrices = createMatrices(
    layers.reduce((sum, { inputs, outputs }) => sum + inputs * outputs, 0) +
      WINDOW * (FEATURES + PROJECTED) +
      2 * (WINDOW + PADDING) * BRANCH +
      2 * FEATURES +
      EMBEDDING * 4 +
      HIDDEN * 4,
    wasm,
  )
  const { heap } = matrices
  const dense = placeLayers(weights, matrices)
  const features = matrices.reserve(WINDOW * FEATURES)
  const projected = matrices.reserve(WINDOW * PROJECTED)
  const branch = matrices.reserve((WINDOW + PADDING) * BRANCH)
  const hidden = matrices.reserve((WINDOW + PADDING) * BRANCH)
  const total = matrices.reserve(FEATURES)
  const summed = matrices.reserve(EMBEDDING + HIDDEN)
  const middle = matrices.reserve(HIDDEN + EMBEDDING)
  const output = matrices.reserve(EMBEDDING)
  const vector = matrices.reserve(dimensions)
  const norms = splitNorms(weights.norms)
  const readRow = createRowReader(weights)

  const multiply = (layer: Dense, from: number, to: number, rows = 1, fromStride = 0, toStride = 0): void =>
    matrices.multiply({ ...layer, from, fromStride, rows, to, toStride })

  const addFeatures = (rows: readonly number[]): void => {
    const count = rows.length
    for (const [token, row] of rows.entries()) readRow(row, heap, features + token * FEATURES)
    multiply(dense.project, features, projected, count, FEATURES, PROJECTED)
    for (let token = 0; token < count; token++) {
      addBias(heap, projected + token * PROJECTED, dense.project.bias)
      normalizeLayer(heap, projected + token * PROJECTED, norms.projected, weights.head.epsilon)
    }
    for (const [index, { size, before }] of BRANCHES.entries()) {
      const padded = count + size - 1
      const [first, second] = dense.branches[index] as [Dense, Dense]
      heap.fill(0, branch, branch + padded * BRANCH)
      heap.fill(0, hidden, hidden + padded * BRANCH)
      for (let token = 0; token < count; token++) {
        const from = projected + token * PROJECTED + index * BRANCH
        heap.copyWithin(branch + (before + token) * BRANCH, from, from + BRANCH)
      }
      const to = features + EMBEDDING + index * BRANCH
      // Rows overlap: an n-gram is a run of tokens.
      multiply(first, branch, hidden + before * BRANCH, count, BRANCH, BRANCH)
      for (let token = before; token < before + count; token++)
        addResidual(heap, hidden + token * BRANCH, first.bias, branch + token * BRANCH)
      multiply(second, hidden, to, count, BRANCH, FEATURES)
      for (let token = 0; token < count; token++)
        addResidual(heap, to + token * FEATURES, second.bias, hidden + (before + token) * BRANCH)
    }
    for (let token = 0; token < count; token++) {
      const from = features + token * FEATURES
      normalizeLayer(heap, from, norms.features, weights.head.epsilon)
      for (let index = 0; index < FEATURES; index++)
        heap[total + index] = (heap[total + index] as number) + (heap[from + index] as number)
    }
  }

  return (rows, into) => {
    heap.fill(0, total, total + FEATURES)
    for (let from = 0; from < rows.length; from += WINDOW) addFeatures(rows.slice(from, from + WINDOW))
    const { sum, dense1, dense2, dense3, dense4, axes } = dense
    const root = Math.sqrt(rows.length)
    multiply(sum, total, summed)
    for (let index = 0; index < EMBEDDING; index++)
      heap[summed + index] = (heap[summed + index] as number) / root + root * (sum.bias[index] as number)
    multiply(dense1, summed, summed + EMBEDDING)
    rectify(heap, summed + EMBEDDING, dense1.bias)
    multiply(dense2, summed, middle)
    rectify(heap, middle, dense2.bias)
    multiply(dense3, middle, middle + HIDDEN)
    rectify(heap, middle + HIDDEN, dense3.bias)
    multiply(dense4, middle, output)
    addBias(heap, output, dense4.bias)
    let length = 0
    for (let index = output; index < output + EMBEDDING; index++) {
      heap[index] = Math.tanh(heap[index] as number)
      length += (heap[index] as number) ** 2
    }
    scale(heap, output, EMBEDDING, 1 / Math.sqrt(length || 1))
    multiply(axes, output, vector)
    addBias(heap, vector, axes.bias)
    into.set(heap.subarray(vector, vector + dimensions))
    normalize(into)
  }
}

/** Dequantizes the matrices into the heap. */
function placeLayers(
  weights: Weights,
  { heap, reserve }: Matrices,
): Record<'project' | 'sum' | 'dense1' | 'dense2' | 'dense3' | 'dense4' | 'axes', Dense> & {
  branches: [Dense, Dense][]
} {
  let weight = 0
  let column = 0
  const placed = layersOf(weights.head.dimensions).map(({ inputs, outputs }): Dense => {
    const matrix = reserve(inputs * outputs)
    const scales = weights.scales.subarray(column, column + outputs)
    for (let input = 0; input < inputs; input++)
      for (let output = 0; output < outputs; output++)
        heap[matrix + panelOffset(inputs, input, output)] =
          (weights.matrices[weight++] as number) * (scales[output] as number)
    const bias = weights.biases.subarray(column, column + outputs)
    column += outputs
    return { matrix, inputs, outputs, bias }
  })
  const [project, ...rest] = placed as [Dense, ...Dense[]]
  const branches = BRANCHES.map((_, index): [Dense, Dense] => [rest[index * 2] as Dense, rest[index * 2 + 1] as Dense])
  const [sum, dense1, dense2, dense3, dense4, axes] = rest.slice(BRANCHES.length * 2) as [
    Dense,
    Dense,
    Dense,
    Dense,
    Dense,
    Dense,
  ]
  return { project, branches, sum, dense1, dense2, dense3, dense4, axes }
}

interface Norm {
  factors: Float32Array
  offsets: Float32Array
}

function splitNorms(norms: Float32Array): { projected: Norm; features: Norm } {
  const normOf = (from: number, size: number): Norm => ({
    factors: norms.subarray(from, from + size),
    offsets: norms.subarray(from + size, from + 2 * size),
  })
  return { projected: normOf(0, PROJECTED), features: normOf(2 * PROJECTED, FEATURES) }
}

/** Returns a function that writes the embedding of a piece. */
function createRowReader({ head, groups, bases, narrow, wide }: Weights) {
  return (row: number, heap: Float32Array, to: number): void => {
    const { least, step } = head.levels[groups[row] as number] as { least: number; step: number }
    const base = least + step * (bases[row] as number)
    if (row < head.narrow) {
      const from = (row * EMBEDDING) / 2
      for (let index = 0; index < EMBEDDING / 2; index++) {
        const pair = narrow[from + index] as number
        heap[to + index * 2] = base + step * (pair & 15)
        heap[to + index * 2 + 1] = base + step * (pair >> 4)
      }
    } else {
      const from = (row - head.narrow) * EMBEDDING
      for (let index = 0; index < EMBEDDING; index++) heap[to + index] = base + step * (wide[from + index] as number)
    }
  }
}

function addBias(heap: Float32Array, at: number, bias: Float32Array): void {
  for (let index = 0; index < bias.length; index++)
    heap[at + index] = (heap[at + index] as number) + (bias[index] as number)
}

function rectify(heap: Float32Array, at: number, bias: Float32Array): void {
  for (let index = 0; index < bias.length; index++) {
    const value = (heap[at + index] as number) + (bias[index] as number)
    heap[at + index] = value > 0 ? value : 0
  }
}

function addResidual(heap: Float32Array, at: number, bias: Float32Array, residual: number): void {
  for (let index = 0; index < bias.length; index++) {
    const value = (heap[at + index] as number) + (bias[index] as number)
    heap[at + index] = (value > 0 ? value : 0) + (heap[residual + index] as number)
  }
}

function scale(heap: Float32Array, at: number, size: number, factor: number): void {
  for (let index = at; index < at + size; index++) heap[index] = (heap[index] as number) * factor
}

function normalizeLayer(heap: Float32Array, at: number, { factors, offsets }: Norm, epsilon: number): void {
  const size = factors.length
  let sum = 0
  for (let index = 0; index < size; index++) sum += heap[at + index] as number
  const mean = sum / size
  let squares = 0
  for (let index = 0; index < size; index++) squares += ((heap[at + index] as number) - mean) ** 2
  const factor = 1 / Math.sqrt(squares / size + epsilon)
  for (let index = 0; index < size; index++)
    heap[at + index] =
      ((heap[at + index] as number) - mean) * factor * (factors[index] as number) + (offsets[index] as number)
}
