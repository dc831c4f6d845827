import { readJsonSection, readSections, u16 } from '../../../core/byte-sections.js'

/**
 * The file of the multilingual model: a container of sections (see core/byte-sections.ts).
 *
 * | tag  | content |
 * |------|---------|
 * | head | JSON: `MultilingualHead` |
 * | data | another container, deflated |
 *
 * The sections of `data`, with the pieces in the order of their rows:
 *
 * | tag  | content |
 * |------|---------|
 * | text | the pieces in UTF-8, one a line |
 * | scor | u16 per piece: its log probability is the number divided by -2048 |
 * | grup | u8 per piece: index in `levels` of the head |
 * | base | u8 per piece: the level of a 0 in its row |
 * | narr | rows of levels in 4 bits, low half first |
 * | wide | rows of levels in 8 bits, after the last narrow row |
 * | norm | f32: factors and offsets of the two layer normalizations |
 * | dens | i8: the matrices of `layersOf`, each by input, then output |
 * | scal | f32: for each matrix the scales of its outputs |
 * | bias | f32: for each matrix the biases of its outputs |
 */
export const MULTILINGUAL_FORMAT = 'skillshelf-multilingual/1'
export const SCORE_STEPS = 2048

/** Numbers of the architecture: see encoder.ts. */
export const EMBEDDING = 512
export const BRANCH = 256
/** The n-grams of each branch: tokens per window, and those before the current one. */
export const BRANCHES = [
  { size: 2, before: 0 },
  { size: 3, before: 1 },
  { size: 5, before: 2 },
] as const
export const FEATURES = EMBEDDING + BRANCHES.length * BRANCH
export const HIDDEN = 320
const NORMS = 2 * (BRANCHES.length * BRANCH + FEATURES)

export interface MultilingualHead {
  format: string
  /** The source of the weights. */
  source: string
  /** BCP 47 languages. */
  languages: string[]
  /** `sha256:` digest and bytes of `data`, inflated. */
  digest: string
  size: number
  /** Number of pieces, and how many of their rows are narrow. */
  pieces: number
  narrow: number
  /** Numbers in a vector. */
  dimensions: number
  /** The number that a level of 0 means, and the step between two levels. */
  levels: { least: number; step: number }[]
  /** The rows of the unknown piece and of the marks around a text. */
  unknown: number
  begin: number
  end: number
  /** Log probability of the unknown piece. */
  unknownScore: number
  /** Added to variances. */
  epsilon: number
}

export interface Layer {
  name: string
  inputs: number
  outputs: number
}

/** The matrices of the model, in the order of the file. */
export function layersOf(dimensions: number): Layer[] {
  const branches = BRANCHES.flatMap(({ size }) =>
    ['first', 'second'].map(name => ({ name: `${name}${size}`, inputs: size * BRANCH, outputs: BRANCH })),
  )
  return [
    { name: 'project', inputs: EMBEDDING, outputs: BRANCHES.length * BRANCH },
    ...branches,
    { name: 'sum', inputs: FEATURES, outputs: EMBEDDING },
    { name: 'dense1', inputs: EMBEDDING, outputs: HIDDEN },
    { name: 'dense2', inputs: EMBEDDING + HIDDEN, outputs: HIDDEN },
    { name: 'dense3', inputs: HIDDEN, outputs: EMBEDDING },
    { name: 'dense4', inputs: HIDDEN + EMBEDDING, outputs: EMBEDDING },
    { name: 'axes', inputs: EMBEDDING, outputs: dimensions },
  ]
}

/** The weights of the model, as views on its inflated bytes. */
export interface Weights {
  head: MultilingualHead
  text: Uint8Array
  scores: Uint16Array
  groups: Uint8Array
  bases: Uint8Array
  narrow: Uint8Array
  wide: Uint8Array
  norms: Float32Array
  matrices: Int8Array
  scales: Float32Array
  biases: Float32Array
}

/** Splits a file into its head and its deflated data; `undefined` if it is not a file of the model. */
export function readModelFile(bytes: Uint8Array): { head: MultilingualHead; data: Uint8Array } | undefined {
  const sections = readSections(bytes)
  const head = readJsonSection(sections?.get('head')) as Partial<MultilingualHead> | null | undefined
  const data = sections?.get('data')
  return head?.format === MULTILINGUAL_FORMAT && data ? { head: head as MultilingualHead, data } : undefined
}

/** Opens the inflated data; `undefined` if a section is missing or has another size than the head says. */
export function readWeights(head: MultilingualHead, data: Uint8Array): Weights | undefined {
  const sections = readSections(data)
  if (!sections) return undefined
  const section = (tag: string): Uint8Array => sections.get(tag) ?? new Uint8Array(0)
  const weights: Weights = {
    head,
    text: section('text'),
    scores: u16(section('scor')),
    groups: section('grup'),
    bases: section('base'),
    narrow: section('narr'),
    wide: section('wide'),
    norms: f32(section('norm')),
    matrices: i8(section('dens')),
    scales: f32(section('scal')),
    biases: f32(section('bias')),
  }
  const layers = layersOf(head.dimensions)
  const outputs = layers.reduce((sum, layer) => sum + layer.outputs, 0)
  const expected: [ArrayLike<unknown>, number][] = [
    [weights.scores, head.pieces],
    [weights.groups, head.pieces],
    [weights.bases, head.pieces],
    [weights.narrow, (head.narrow * EMBEDDING) / 2],
    [weights.wide, (head.pieces - head.narrow) * EMBEDDING],
    [weights.norms, NORMS],
    [weights.matrices, layers.reduce((sum, layer) => sum + layer.inputs * layer.outputs, 0)],
    [weights.scales, outputs],
    [weights.biases, outputs],
  ]
  return expected.every(([{ length }, size]) => length === size) ? weights : undefined
}

function f32(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2)
}

function i8(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
