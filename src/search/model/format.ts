import { bytesToHex } from '@noble/hashes/utils.js'
import { readJsonSection, readSections, u16, u32 } from '../../core/byte-sections.js'
import { SkillshelfError } from '../../core/errors.js'
import { blockCount } from '../../core/front-coding.js'
import { ANALYZER } from '../../core/text/analyze.js'
import type { Part } from './script-parts.js'
import { openVocabulary, type Vocabulary } from './vocabulary.js'

/**
 * The files of a static model, one for each part (see script-parts.ts). Each is a container of sections (see core/byte-sections.ts):
 *
 * | tag  | content |
 * |------|---------|
 * | head | JSON: `ModelHead` |
 * | voca | the terms in UTF-16 order, front-coded; `progr*` is any other word that starts with "progr" |
 * | vocb | u32 per block of terms: its offset in `voca` |
 * | docs | u8 per term: it occurs in 2^(byte / steps) documents |
 * | scal | u16 per term: scale of its weights, the upper half of a 32-bit float |
 * | rows | 4 bits per term and dimension: 0 to 15 mean -7.5 to 7.5 times the scale, low half first |
 *
 * A part is stored in rows, too: a start file and pieces, of which a message needs a few. The start file is a model file of the most frequent
 * terms with two more sections. Each piece has the sections `voca` to `rows` of the other terms, a run of them in order.
 *
 * | tag  | content of a start file |
 * |------|---------|
 * | frst | the first term of each piece in UTF-8, one a line |
 * | digs | 8 bytes per piece: the start of its SHA-256, which names it |
 * | filt | a filter of the terms of all pieces (see term-filter.ts); absent in parts of words, most of which a model has |
 */
export const MODEL_FORMAT = 'skillshelf-static/3'
/** The level that means a weight of 0. */
export const ZERO_LEVEL = 7.5
const SAME_VERSION = 'use the model files of this version of skillshelf'
/** Bytes of a digest that name a piece. */
const DIGEST_BYTES = 8
/** Vite's dev server answers with an HTML page if it pre-bundles the package. */
const VITE_HINT = "in development with Vite set optimizeDeps: { exclude: ['skillshelf'] }"

export interface ModelHead {
  format: string
  analyzer: string
  /** Digest of the weights: equal in all files of one model. */
  weights: string
  part: Part
  dimensions: number
  rows: number
  /** Number of documents that `docs` counts. */
  documents: number
  /** Steps per doubling in `docs`. */
  steps: number
  seed: number
}

export interface ModelFile {
  head: ModelHead
  vocabulary: Vocabulary
  counts: Uint8Array
  scales: Uint16Array
  rows: Uint8Array
}

/** The file of the most frequent terms of a part, and the list of its pieces. */
export interface ModelStart extends ModelFile {
  /** The first term of each piece. */
  firstTerms: readonly string[]
  /** The `shortDigest` of each piece. */
  digests: readonly string[]
  /** Of the terms of all pieces, see term-filter.ts. Absent if most terms of messages are in the model. */
  filter: Uint8Array | undefined
}

/**
 * Opens one file of a model.
 * @throws SkillshelfError `format` if the bytes are truncated, not a model file, or made for another analyzer
 */
export function readModelFile(bytes: Uint8Array): ModelFile {
  const { sections, head } = readContainer(bytes)
  return readTable(sections, head)
}

/**
 * Opens the start file of a part.
 * @throws SkillshelfError `format` as `readModelFile`
 */
export function readModelStart(bytes: Uint8Array): ModelStart {
  const { sections, head } = readContainer(bytes)
  const first = sections.get('frst')
  const digests = sections.get('digs')
  const firstTerms = new TextDecoder().decode(first).split('\n').filter(Boolean)
  if (!digests || digests.length !== firstTerms.length * DIGEST_BYTES) {
    throw formatError('The model file has no list of pieces')
  }
  return {
    ...readTable(sections, head),
    firstTerms,
    digests: readDigests(digests),
    filter: sections.get('filt'),
  }
}

/**
 * Opens a piece of a part, whose digest was compared.
 * @param head That of the start file.
 * @throws SkillshelfError `format` if it is not a piece
 */
export function readModelPiece(bytes: Uint8Array, head: ModelHead): ModelFile {
  const sections = readSections(aligned(bytes))
  const rows = sections?.get('docs')?.length
  if (!sections || !rows) throw formatError('Not a piece of the bundled model')
  return readTable(sections, { ...head, rows })
}

/** Typed arrays need an aligned start, so an unaligned view is copied. */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice()
}

function readContainer(bytes: Uint8Array): { sections: Map<string, Uint8Array>; head: ModelHead } {
  const sections = readSections(aligned(bytes))
  const head = readHead(sections?.get('head'))
  if (!sections || !head) {
    throw formatError('Not a file of the bundled model', `${SAME_VERSION}; ${VITE_HINT}`)
  }
  if (head.analyzer !== ANALYZER) {
    throw formatError(
      `The model was made for analyzer ${head.analyzer}; this version uses ${ANALYZER}`,
    )
  }
  return { sections, head }
}

function readTable(sections: ReadonlyMap<string, Uint8Array>, head: ModelHead): ModelFile {
  const scales = sections.get('scal')
  const rows = sections.get('rows')
  if (!scales || !rows) {
    throw formatError('Not a file of the bundled model', `${SAME_VERSION}; ${VITE_HINT}`)
  }
  if (scales.length !== head.rows * 2 || rows.length !== (head.rows * head.dimensions) / 2) {
    throw formatError('The model file is truncated')
  }
  const terms = sections.get('voca')
  const blocks = u32(sections.get('vocb') ?? new Uint8Array(0))
  const counts = sections.get('docs')
  if (!terms || blocks.length !== blockCount(head.rows) || counts?.length !== head.rows) {
    throw formatError('The model file has no vocabulary')
  }
  return {
    head,
    vocabulary: openVocabulary(terms, blocks, head.rows),
    counts,
    scales: u16(scales),
    rows,
  }
}

const float = new Float32Array(1)
const bits = new Uint32Array(float.buffer)

/** The number whose upper half is `half`. */
export function fromHalf(half: number): number {
  bits[0] = half << 16
  return float[0] as number
}

function readDigests(bytes: Uint8Array): string[] {
  return Array.from({ length: bytes.length / DIGEST_BYTES }, (_, piece) =>
    bytesToHex(bytes.subarray(piece * DIGEST_BYTES, (piece + 1) * DIGEST_BYTES)),
  )
}

function readHead(section: Uint8Array | undefined): ModelHead | undefined {
  const head = readJsonSection(section) as Partial<ModelHead> | null | undefined
  return head?.format === MODEL_FORMAT && Number.isInteger(head.dimensions)
    ? (head as ModelHead)
    : undefined
}

function formatError(message: string, hint = SAME_VERSION): SkillshelfError {
  return new SkillshelfError('format', message, { hint })
}
