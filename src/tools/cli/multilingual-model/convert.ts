import { promisify } from 'node:util'
import { constants, deflateRaw } from 'node:zlib'
import { bytesOf, writeJsonSection, writeSections } from '../../../core/byte-sections.js'
import { digestOf } from '../../../core/digest.js'
import {
  BRANCH,
  BRANCHES,
  EMBEDDING,
  layersOf,
  MULTILINGUAL_FORMAT,
  type MultilingualHead,
  SCORE_STEPS,
} from '../../../search/model/multilingual/format.js'
import { isWritten, MULTILINGUAL_LANGUAGES } from './alphabet.js'
import { type Axes, quantize } from './axes.js'
import type { NpyArray } from './npy.js'
import type { Piece } from './sentencepiece.js'

/** The first pieces of the SentencePiece model stand for no text. */
const UNKNOWN = 0
const BEGIN = 1
const END = 2
const MARKS = 6
/** Pieces are quantized in groups, by the remainder of their number. */
const GROUPS = 17
const MAX_NARROW = 15
/** Subtracted by SentencePiece from the least score. */
const UNKNOWN_PENALTY = 10

export interface ConvertInput {
  source: string
  pieces: readonly Piece[]
  arrays: (name: string) => NpyArray
  /** Without it, vectors stay as they are. */
  axes?: Axes | undefined
}

/** Makes the file of the model. */
export async function convertModel({
  source,
  pieces,
  arrays,
  axes = identity(),
}: ConvertInput): Promise<Uint8Array<ArrayBuffer>> {
  const number = (name: string): Float32Array => Float32Array.from(arrays(name).data)
  const table = readTable(pieces, arrays)
  const layers = denseLayers(number, axes)
  const data = writeSections({
    text: new TextEncoder().encode(table.rows.map(({ text }) => text).join('\n')),
    scor: bytesOf(Uint16Array.from(table.rows, ({ score }) => Math.round(-score * SCORE_STEPS))),
    grup: Uint8Array.from(table.rows, ({ id }) => id % GROUPS),
    base: Uint8Array.from(table.rows, ({ least }) => least),
    narr: table.narrow,
    wide: table.wide,
    norm: bytesOf(
      join([
        ...['ln_g', 'ln_b'].map(name => join(BRANCHES.map(({ size }) => number(`${name}${size}`)))),
        number('ln_g'),
        number('ln_b'),
      ]),
    ),
    dens: bytesOf(joinBytes(layers.map(({ weights }) => weights))),
    scal: bytesOf(join(layers.map(({ scales }) => scales))),
    bias: bytesOf(join(layers.map(({ biases }) => biases))),
  })
  const row = (id: number): number => table.rows.findIndex(one => one.id === id)
  const [levels, steps] = [number('lo'), number('scale')]
  const head: MultilingualHead = {
    format: MULTILINGUAL_FORMAT,
    source,
    languages: MULTILINGUAL_LANGUAGES,
    digest: digestOf(data),
    size: data.length,
    pieces: table.rows.length,
    narrow: table.rows.filter(({ range }) => range <= MAX_NARROW).length,
    dimensions: axes.dimensions,
    levels: Array.from(levels, (least, group) => ({ least, step: steps[group] as number })),
    unknown: row(UNKNOWN),
    begin: row(BEGIN),
    end: row(END),
    unknownScore: pieces.reduce((least, { score }) => Math.min(least, score), 0) - UNKNOWN_PENALTY,
    epsilon: number('eps')[0] as number,
  }
  return writeSections({ head: writeJsonSection(head), data: await deflate(data) })
}

interface Row extends Piece {
  id: number
  /** The least level of its numbers, and the greatest above it. */
  least: number
  range: number
  levels: Uint8Array
}

/** The rows of the kept pieces. Rows of similar range are neighbors, which compresses them by a tenth. */
function readTable(
  pieces: readonly Piece[],
  arrays: ConvertInput['arrays'],
): { rows: Row[]; narrow: Uint8Array; wide: Uint8Array } {
  const groups = Array.from({ length: GROUPS }, (_, group) => arrays(`q${group + 1}`).data as Uint8Array)
  const rows = pieces.flatMap(({ text, score }, id): Row[] => {
    if (id >= MARKS ? !isWritten(text) : id > END) return []
    const from = Math.floor(id / GROUPS) * EMBEDDING
    const levels = (groups[id % GROUPS] as Uint8Array).subarray(from, from + EMBEDDING)
    const least = levels.reduce((one, other) => Math.min(one, other))
    const range = levels.reduce((one, other) => Math.max(one, other)) - least
    return [{ id, text: id < MARKS ? '' : text, score, least, range, levels }]
  })
  rows.sort((a, b) => a.range - b.range || a.id - b.id)
  const split = rows.findIndex(({ range }) => range > MAX_NARROW)
  const narrow = new Uint8Array((split * EMBEDDING) / 2)
  const wide = new Uint8Array((rows.length - split) * EMBEDDING)
  for (const [row, { levels, least }] of rows.entries())
    for (let index = 0; index < EMBEDDING; index++) {
      const level = (levels[index] as number) - least
      if (row >= split) wide[(row - split) * EMBEDDING + index] = level
      else {
        const at = (row * EMBEDDING + index) >> 1
        narrow[at] = (narrow[at] as number) | (level << (index % 2 === 0 ? 0 : 4))
      }
    }
  return { rows, narrow, wide }
}

/** The matrices in the order of `layersOf`, quantized to 8 bits with a scale for each output. */
function denseLayers(
  number: (name: string) => Float32Array,
  axes: Axes,
): { weights: Int8Array; scales: Float32Array; biases: Float32Array }[] {
  const matrices: Record<string, { weights: Float32Array; biases?: Float32Array }> = {
    project: {
      weights: besides(BRANCHES.map(({ size }) => number(`proj${size}`))),
      biases: join(BRANCHES.map(({ size }) => number(`proj_b${size}`))),
    },
    sum: { weights: number('cnn_W'), biases: number('cnn_b') },
    dense1: { weights: number('d0') },
    // The input of a layer and that of the one before are one input here.
    dense2: { weights: join([number('p1'), number('d1')]) },
    dense3: { weights: number('d2') },
    dense4: { weights: join([number('p3'), number('d3')]) },
    axes,
  }
  for (const { size } of BRANCHES) {
    matrices[`first${size}`] = { weights: number(`w1_${size}`), biases: number(`b1_${size}`) }
    matrices[`second${size}`] = { weights: number(`w2_${size}`), biases: number(`b2_${size}`) }
  }
  return layersOf(axes.dimensions).map(({ name, inputs, outputs }) => {
    const { weights, biases = new Float32Array(outputs) } = matrices[name] as { weights: Float32Array } & {
      biases?: Float32Array
    }
    if (weights.length !== inputs * outputs) throw new Error(`The matrix ${name} has another size`)
    return { ...quantize(weights, outputs), biases }
  })
}

/** Matrices of `EMBEDDING` inputs and `BRANCH` outputs, as one with the outputs of all. */
function besides(matrices: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(EMBEDDING * BRANCH * matrices.length)
  for (let input = 0; input < EMBEDDING; input++)
    for (const [index, matrix] of matrices.entries())
      joined.set(matrix.subarray(input * BRANCH, (input + 1) * BRANCH), (input * matrices.length + index) * BRANCH)
  return joined
}

function identity(): Axes {
  const weights = new Float32Array(EMBEDDING * EMBEDDING)
  for (let index = 0; index < EMBEDDING; index++) weights[index * EMBEDDING + index] = 1
  return { dimensions: EMBEDDING, weights, biases: new Float32Array(EMBEDDING) }
}

function join(arrays: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(arrays.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const array of arrays) {
    joined.set(array, at)
    at += array.length
  }
  return joined
}

function joinBytes(arrays: readonly Int8Array[]): Int8Array {
  const joined = new Int8Array(arrays.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const array of arrays) {
    joined.set(array, at)
    at += array.length
  }
  return joined
}

/** Levels of embeddings have no repeated runs, so codes by frequency alone are smaller than with a search for repetitions. */
function deflate(data: Uint8Array): Promise<Uint8Array> {
  return promisify(deflateRaw)(data, { strategy: constants.Z_HUFFMAN_ONLY, memLevel: 9 })
}
