import { bytesOf, writeJsonSection, writeSections } from '../../src/core/byte-sections.js'
import { digestOf } from '../../src/core/digest.js'
import {
  EMBEDDING,
  FEATURES,
  layersOf,
  MULTILINGUAL_FORMAT,
  type MultilingualHead,
  readWeights,
  type Weights,
} from '../../src/search/model/multilingual/format.js'

const DIMENSIONS = 16
const PIECES = ['', '', '', '\u2581', '\u2581tea', 'pot', 'p', 'o', 't', 's', '\u2581茶', '🫖']
const SCORES = [0, 0, 0, 2, 3, 4, 6, 6, 6, 3, 4, 4]
const NARROW = 8

/** A model of the real format and architecture with twelve pieces and random weights. */
export async function tinyModel(
  change: Partial<MultilingualHead> = {},
): Promise<{ file: Uint8Array<ArrayBuffer>; weights: Weights }> {
  const random = numbersFrom(7)
  const layers = layersOf(DIMENSIONS)
  const outputs = layers.flatMap(layer => Array.from({ length: layer.outputs }, () => layer.inputs))
  const norms = Float32Array.from({ length: 2 * (768 + FEATURES) }, () => 1 + random())
  const data = writeSections({
    text: new TextEncoder().encode(PIECES.join('\n')),
    scor: bytesOf(Uint16Array.from(SCORES, score => score * 2048)),
    grup: Uint8Array.from(PIECES, (_, row) => row % 2),
    base: Uint8Array.from(PIECES, (_, row) => row % 5),
    narr: Uint8Array.from({ length: (NARROW * EMBEDDING) / 2 }, () => random() * 512),
    wide: Uint8Array.from({ length: (PIECES.length - NARROW) * EMBEDDING }, () => (random() + 0.5) * 63),
    norm: bytesOf(norms),
    dens: bytesOf(
      Int8Array.from(
        { length: layers.reduce((sum, { inputs, outputs: out }) => sum + inputs * out, 0) },
        () => random() * 254,
      ),
    ),
    scal: bytesOf(Float32Array.from(outputs, inputs => 0.03 / Math.sqrt(inputs))),
    bias: bytesOf(Float32Array.from(outputs, () => random() * 0.2)),
  })
  const head: MultilingualHead = {
    format: MULTILINGUAL_FORMAT,
    source: 'tests',
    languages: ['en', 'zh'],
    digest: digestOf(data),
    size: data.length,
    pieces: PIECES.length,
    narrow: NARROW,
    dimensions: DIMENSIONS,
    levels: [
      { least: -1, step: 0.1 },
      { least: -2, step: 0.2 },
    ],
    unknown: 0,
    begin: 1,
    end: 2,
    unknownScore: -20,
    epsilon: 1e-12,
    ...change,
  }
  const deflated = new Blob([data]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const file = writeSections({
    head: writeJsonSection(head),
    data: new Uint8Array(await new Response(deflated).arrayBuffer()),
  })
  return { file, weights: readWeights(head, data) as Weights }
}

/** Numbers from -0.5 to 0.5. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
}

type Vector = readonly number[]

/** The network written out plainly, in double precision. */
export function plainVector(
  { head, groups, bases, narrow, wide, norms, matrices, scales, biases }: Weights,
  rows: readonly number[],
): Vector {
  let weight = 0
  let column = 0
  const layers = new Map(
    layersOf(head.dimensions).map(({ name, inputs, outputs }) => {
      const [from, first] = [weight, column]
      weight += inputs * outputs
      column += outputs
      const apply = (input: Vector, factor = 1): number[] =>
        Array.from({ length: outputs }, (_, out) =>
          input.reduce(
            (sum, value, at) => sum + value * (matrices[from + at * outputs + out] ?? 0) * (scales[first + out] ?? 0),
            factor * (biases[first + out] ?? 0),
          ),
        )
      return [name, apply] as const
    }),
  )
  const layer = (name: string, input: Vector, factor = 1): number[] => layers.get(name)?.(input, factor) ?? []
  const relu = (values: Vector): number[] => values.map(value => Math.max(0, value))
  const add = (a: Vector, b: Vector): number[] => a.map((value, at) => value + (b[at] ?? 0))
  const normalize = (values: Vector, from: number): number[] => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
    return values.map(
      (value, at) =>
        ((value - mean) / Math.sqrt(variance + head.epsilon)) * (norms[from + at] ?? 0) +
        (norms[from + values.length + at] ?? 0),
    )
  }
  const embedding = (row: number): number[] =>
    Array.from({ length: EMBEDDING }, (_, at) => {
      const { least, step } = head.levels[groups[row] ?? 0] as { least: number; step: number }
      const pair = narrow[(row * EMBEDDING + at) >> 1] ?? 0
      const level =
        row < head.narrow ? (at % 2 === 0 ? pair & 15 : pair >> 4) : wide[(row - head.narrow) * EMBEDDING + at]
      return least + step * ((bases[row] ?? 0) + (level ?? 0))
    })
  const embeddings = rows.map(embedding)
  const projected = embeddings.map(one => normalize(layer('project', one), 0))
  const zeros = Array.from({ length: 256 }, () => 0)
  const grams = (tokens: readonly Vector[], size: number, before: number): number[][] =>
    tokens.map((_, at) => Array.from({ length: size }, (__, index) => tokens[at - before + index] ?? zeros).flat())
  const branches = [2, 3, 5].map((size, index) => {
    const tokens = projected.map(one => one.slice(index * 256, (index + 1) * 256))
    const before = (size - 1) >> 1
    const first = grams(tokens, size, before).map((gram, at) =>
      add(relu(layer(`first${size}`, gram)), tokens[at] ?? []),
    )
    return grams(first, size, before).map((gram, at) => add(relu(layer(`second${size}`, gram)), first[at] ?? []))
  })
  const features = embeddings.map((one, at) =>
    normalize([...one, ...branches.flatMap(branch => branch[at] ?? [])], 2 * 768),
  )
  const root = Math.sqrt(rows.length)
  const total = features.reduce(add)
  const sum = layer(
    'sum',
    total.map(value => value / root),
    root,
  )
  const hidden = relu(layer('dense1', sum))
  const middle = relu(layer('dense2', [...sum, ...hidden]))
  const output = layer('dense4', [...middle, ...relu(layer('dense3', middle))]).map(Math.tanh)
  return unit(layer('axes', unit(output)))
}

function unit(values: Vector): number[] {
  const length = Math.hypot(...values)
  return values.map(value => value / length)
}
