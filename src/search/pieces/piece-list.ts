import { readJsonSection, readSections, u32 } from '../../core/byte-sections.js'
import { blockCount } from '../../core/front-coding.js'
import { isCount, isRecord } from '../../core/plain-data.js'
import { ANALYZER } from '../../core/text/analyze.js'
import { ascends } from '../index/column.js'
import { byCodePoint, type Lexicon, openLexicon } from '../index/lexicon.js'
import type { Vectors } from '../index/vectors.js'
import { SCORING } from '../index/weights.js'
import { readCentres } from './centres.js'
import { DIGEST_BYTES, isPieceFile, MAX_ROWS, readDigests } from './piece-format.js'

/**
 * Which pieces a library has. Sections of the list:
 *
 * | tag | content |
 * |-----|---------|
 * | head | JSON: `ListHead` |
 * | firs | the first term of each file of terms, one a line |
 * | tdig, cdig, rdig | the digests of the files of terms, of the postings of common terms, and of rows: 8 bytes each |
 * | lexi, lexb | the lexicon of the common terms |
 * | csta | u32 per file of their postings: where it starts among all of them |
 * | rsta | u32 per file of rows: the number of its first skill |
 * | vhea, cvec, csca | the centre of each file of rows: see centres.ts |
 */
export interface PieceList {
  skills: number
  /** Model of the vectors; `undefined` without vectors. */
  space: string | undefined
  /** The first term of each file of terms. */
  firstTerms: readonly string[]
  termFiles: readonly string[]
  common: Lexicon
  commonStarts: Uint32Array
  commonFiles: readonly string[]
  rowStarts: Uint32Array
  rowFiles: readonly string[]
  /** The centre of each file of rows. */
  centres: Vectors | undefined
  encoder: EncoderHead | undefined
}

/** Where the vectors of an encoder are: see encoder-pieces.ts. */
export interface EncoderHead {
  /** See `Embedder.id`. */
  space: string
  /** The list of their files. */
  list: string
}

/** Files of each kind, at most: those of some ten million skills. */
const MAX_FILES = 524_288

/** The section `head`. */
export interface ListHead {
  analyzer: string
  scoring: string
  skills: number
  /** Number of common terms. */
  common: number
  /** Absent without vectors of an encoder. */
  encoder?: EncoderHead | undefined
}

/** Reads the content of a list; `undefined` if it is damaged, or of another version. */
export function readList(content: Uint8Array): PieceList | undefined {
  const sections = readSections(content)
  const head = readJsonSection(sections?.get('head')) as Partial<ListHead> | undefined
  if (!sections || !isRecord(head)) return undefined
  const { analyzer, scoring, skills, common } = head
  if (analyzer !== ANALYZER || scoring !== SCORING || !isCount(skills) || !isCount(common)) {
    return undefined
  }
  const need = (tag: string): Uint8Array => sections.get(tag) ?? new Uint8Array(0)
  if (['tdig', 'cdig', 'rdig'].some(tag => need(tag).length > MAX_FILES * DIGEST_BYTES)) {
    return undefined
  }
  const firstTerms = new TextDecoder('utf-8', { ignoreBOM: true })
    .decode(need('firs'))
    .split('\n')
    .filter(Boolean)
  const [termFiles, commonFiles, rowFiles] = ['tdig', 'cdig', 'rdig'].map(tag =>
    readDigests(need(tag)),
  ) as [string[], string[], string[]]
  const [blocks, commonStarts, rowStarts] = ['lexb', 'csta', 'rsta'].map(tag => u32(need(tag))) as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ]
  const isSound =
    termFiles.length === firstTerms.length &&
    firstTerms.every(
      (term, file) => file === 0 || byCodePoint(firstTerms[file - 1] as string, term) < 0,
    ) &&
    // A file that is two things would be read for one of them, again and again.
    areDistinct([...termFiles, ...new Set(commonFiles), ...rowFiles]) &&
    blocks.length === blockCount(common) * 2 &&
    commonStarts.length === commonFiles.length &&
    ascends(commonStarts, 0xffffffff) &&
    rowStarts.length === rowFiles.length &&
    startRows(rowStarts, skills)
  if (!isSound) return undefined
  const centres = readCentres(sections, rowFiles.length)
  return {
    skills,
    space: centres?.space,
    firstTerms,
    termFiles,
    // Lengths of postings are not counts of skills: they may be larger.
    common: openLexicon(need('lexi'), blocks, common, 0xffffffff),
    commonStarts,
    commonFiles,
    rowStarts,
    rowFiles,
    centres,
    encoder: readEncoderHead(head.encoder),
  }
}

/** `undefined` for something else: then the transformer reads the whole library. */
function readEncoderHead(encoder: unknown): EncoderHead | undefined {
  if (!isRecord(encoder)) return undefined
  const { space, list } = encoder
  if (typeof space !== 'string' || typeof list !== 'string' || !isPieceFile(list)) return undefined
  return { space, list }
}

/** Whether the files of rows have all skills, each of them some, and no more than a file may have. */
function startRows(starts: Uint32Array, skills: number): boolean {
  const haveSome = starts.every((start, file) => {
    const length = (starts[file + 1] ?? skills) - start
    return length > 0 && length <= MAX_ROWS
  })
  return haveSome && (starts[0] ?? skills) === 0
}

function areDistinct(files: readonly string[]): boolean {
  return new Set(files).size === files.length
}
