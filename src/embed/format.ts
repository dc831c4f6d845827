import { digestOf } from '../core/digest.js'
import { SkillshelfError } from '../core/errors.js'
import { raw, readSections, u16, u32, writeSections } from '../segment/format.js'
import { ANALYZER } from '../text/analyze.js'
import { classOf, HAN, JOINED } from '../text/character-classes.js'
import { packRow } from './quantize.js'
import { blocksOf, writeVocabulary } from './vocabulary.js'

/**
 * The files of a static model, so that every variant is a prefix: {words, grams} x {first dimensions, the rest}. Each has the sections of
 * src/segment/format.ts:
 *
 * | tag  | what |
 * |------|------|
 * | head | JSON: `ModelHead` |
 * | voca | the terms, front-coded (see vocabulary.ts); only with the first dimensions, as `vocb` and `docs` |
 * | vocb | u32 per block of terms: where it begins in `voca` |
 * | docs | u8 per term: 2^(byte / steps) documents have it |
 * | scal | u16 per term: the upper half of a 32-bit float (see quantize.ts) |
 * | rows | 4 bits per term and dimension |
 */
export const FORMAT = 'skillshelf-static/2'
const OURS = 'use the model files of this version of skillshelf'
/** Its dev server answers with a page otherwise. */
const IN_VITE = "in development with Vite set optimizeDeps: { exclude: ['skillshelf'] }"
/** Document counts are kept to an eighth of an octave. */
export const STEPS = 8

/** `latin`: words of letters and digits in scripts with blanks between words; `han`: grams of ideographs, kana, Hangul and the like. */
export type Part = 'latin' | 'han'

export interface ModelHead {
  format: string
  analyzer: string
  /** The same in all files that belong together. */
  weights: string
  part: Part
  /** Dimensions from, to (exclusive). */
  dimensions: readonly [number, number]
  rows: number
  /** Documents that were counted. */
  documents: number
  steps: number
  seed: number
}

/** One part, opened. */
export interface ModelFile {
  head: ModelHead
  vocabulary: { terms: Uint8Array; blocks: Uint32Array } | undefined
  counts: Uint8Array | undefined
  scales: Uint16Array
  rows: Uint8Array
}

/** What training makes of a part: terms sorted by unit, `rows.length / terms.length` dimensions, and how many documents have each term. */
export interface PartTable {
  terms: readonly string[]
  rows: Float32Array
  counts: readonly number[]
  documents: number
}

export interface ModelFiles {
  latin: Uint8Array<ArrayBuffer>
  latinRest: Uint8Array<ArrayBuffer>
  han: Uint8Array<ArrayBuffer>
  hanRest: Uint8Array<ArrayBuffer>
}

/** The part that a term belongs to. */
export function partOf(term: string): Part {
  const kind = classOf(term.charCodeAt(0))
  return kind === HAN || kind === JOINED ? 'han' : 'latin'
}

/** Writes the four files of a model. `first` dimensions are the prefix. */
export function writeModel(
  tables: Readonly<Record<Part, PartTable>>,
  { dimensions, first, seed }: { dimensions: number; first: number; seed: number },
): ModelFiles {
  const packed = (['latin', 'han'] as const).map(part => ({
    part,
    table: tables[part],
    head: pack(tables[part], dimensions, 0, first),
    rest: pack(tables[part], dimensions, first, dimensions),
    vocabulary: writeVocabulary(tables[part].terms),
  }))
  // Named by content: vectors that were kept under this name are of these very weights.
  const all = packed.map(({ head, rest, vocabulary }) =>
    [vocabulary.terms, head.rows, bytesOf(head.scales), rest.rows, bytesOf(rest.scales)].map(digestOf).join(),
  )
  const weights = digestOf(all.join()).slice(7, 19)
  const file = (part: Part, from: number, to: number, own: Record<string, Uint8Array>): Uint8Array<ArrayBuffer> => {
    const { terms, documents } = tables[part]
    const head: ModelHead = {
      format: FORMAT,
      analyzer: ANALYZER,
      weights,
      part,
      dimensions: [from, to],
      rows: terms.length,
      documents,
      steps: STEPS,
      seed,
    }
    return writeSections({ head: new TextEncoder().encode(JSON.stringify(head)), ...own })
  }
  const files = packed.map(({ part, table, head, rest, vocabulary }) => [
    file(part, 0, first, {
      voca: vocabulary.terms,
      vocb: raw(vocabulary.blocks),
      docs: Uint8Array.from(table.counts, count => Math.round(Math.log2(Math.max(1, count)) * STEPS)),
      scal: bytesOf(head.scales),
      rows: head.rows,
    }),
    file(part, first, dimensions, { scal: bytesOf(rest.scales), rows: rest.rows }),
  ])
  const [[latin, latinRest], [han, hanRest]] = files as [[Bytes, Bytes], [Bytes, Bytes]]
  return { latin, latinRest, han, hanRest }
}

type Bytes = Uint8Array<ArrayBuffer>

function pack(
  { terms, rows }: PartTable,
  dimensions: number,
  from: number,
  to: number,
): { rows: Bytes; scales: Uint16Array<ArrayBuffer> } {
  const bytes = (to - from) / 2
  const packed = new Uint8Array(terms.length * bytes)
  const scales = new Uint16Array(terms.length)
  for (let row = 0; row < terms.length; row++)
    scales[row] = packRow(
      rows.subarray(row * dimensions + from, row * dimensions + to),
      packed.subarray(row * bytes, (row + 1) * bytes),
    )
  return { rows: packed, scales }
}

function bytesOf(array: Uint16Array<ArrayBuffer>): Bytes {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

/** Opens one file. Throws `format` where it is none, is cut off, or was made for another analysis. */
export function readModelFile(bytes: Uint8Array): ModelFile {
  // Typed arrays want an even start: bytes out of the middle of something are copied.
  const sections = readSections(bytes.byteOffset % 8 === 0 ? bytes : bytes.slice())
  const text = sections?.get('head')
  const scales = sections?.get('scal')
  const rows = sections?.get('rows')
  const head = text && headOf(text)
  if (!sections || !head || !scales || !rows) throw broken('Not a file of a static model', `${OURS}; ${IN_VITE}`)
  if (head.analyzer !== ANALYZER)
    throw broken(`The model was made for the analysis ${head.analyzer}, and this is ${ANALYZER}`)
  const [from, to] = head.dimensions
  if (scales.length !== head.rows * 2 || rows.length !== (head.rows * (to - from)) / 2)
    throw broken('The model is cut off')
  const terms = sections.get('voca')
  const blocks = u32(sections.get('vocb') ?? new Uint8Array(0))
  const counts = sections.get('docs')
  if (from === 0 && (!terms || blocks.length !== blocksOf(head.rows) || counts?.length !== head.rows))
    throw broken('The model has no vocabulary')
  return { head, vocabulary: terms && { terms, blocks }, counts, scales: u16(scales), rows }
}

function headOf(bytes: Uint8Array): ModelHead | undefined {
  try {
    const head = JSON.parse(new TextDecoder().decode(bytes)) as Partial<ModelHead>
    return head.format === FORMAT && Array.isArray(head.dimensions) ? (head as ModelHead) : undefined
  } catch {
    return undefined
  }
}

function broken(message: string, hint = OURS): SkillshelfError {
  return new SkillshelfError('format', message, { hint })
}
