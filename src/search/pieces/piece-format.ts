/**
 * A library in pieces: its segments as one, cut into files of which a message needs a few. docs/decisions/029-pieces.md has the reasons.
 *
 * The skills are in the order of their clusters (see clusters.ts), so that skills of one meaning are in one file, and the postings of a word
 * are near each other. Every file is deflated, and named by the digest of the deflated bytes.
 *
 * | file | content |
 * |------|---------|
 * | list | what all others are: see piece-list.ts |
 * | terms | a run of the terms in code point order, with their postings: a lexicon and `post` |
 * | postings | those of some common terms, which the list has: without a container |
 * | rows | a cluster of the skills: `line`, a column of their entries as JSON, and `segm`, a segment without terms |
 * | encoder | with vectors of an encoder, their list and a file of them beside each file of rows: see encoder-pieces.ts |
 *
 * A reader that has all of them has the segment.
 */
import { inflate } from '../../core/inflate.js'

/** Skills from which files of rows are larger, so that the list of their centres is not. */
const MANY_SKILLS = 16_384
/** Skills of a file of rows, at most. */
export const MAX_ROWS = 32
/** Bytes of a file of terms or postings before it is deflated, about. */
export const TERM_BYTES = 8_192
/** Bytes of postings from which a term is common: its neighbors would need them too. */
export const COMMON_BYTES = 1_024
/** Postings of a term that are kept, at most: the heaviest. A word of more skills tells few of them apart. */
export const MAX_POSTINGS = 4_096
/** Bytes of the list before it is deflated, at most. A million skills have about ten million. */
export const MAX_LIST_BYTES = 33_554_432
/** Bytes of any other file before it is deflated, at most. A message reads many. */
const MAX_BYTES = 4_194_304

/** Skills of a file of rows of a library, at most. */
export function rowSkills(skills: number): number {
  return skills > MANY_SKILLS ? MAX_ROWS : MAX_ROWS / 2
}

export interface Piece {
  /** `files/<16 hex>.piece` */
  file: string
  bytes: Uint8Array<ArrayBuffer>
}

const FILE = /^files\/([0-9a-f]{16})\.piece$/

/** @param digest Its first 16 digits. */
export function pieceFile(digest: string): string {
  return `files/${digest}.piece`
}

export function isPieceFile(file: string): boolean {
  return FILE.test(file)
}

/** The digests in the names of pieces: 8 bytes each. */
export function writeDigests(files: readonly string[]): Uint8Array {
  const digits = files.flatMap(file => FILE.exec(file)?.[1]?.match(/../g) ?? [])
  return Uint8Array.from(digits, hex => Number.parseInt(hex, 16))
}

/** Bytes of a digest in the name of a piece. */
export const DIGEST_BYTES = 8
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export function readDigests(digests: Uint8Array): string[] {
  const files: string[] = []
  for (let end = DIGEST_BYTES; end <= digests.length; end += DIGEST_BYTES) {
    let digest = ''
    for (let at = end - DIGEST_BYTES; at < end; at++) digest += HEX[digests[at] as number]
    files.push(pieceFile(digest))
  }
  return files
}

/**
 * Inflates a piece; `undefined` if it is damaged.
 * @param most Bytes that it may have then. It never takes more memory. Default: those of a piece that is no list.
 */
export async function readPiece(
  bytes: Uint8Array,
  most = MAX_BYTES,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return inflate(bytes, most)
}
