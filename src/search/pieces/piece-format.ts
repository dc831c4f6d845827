/**
 * A library in pieces: its segments as one, cut into files of which a message needs a few. docs/decisions/029-pieces.md has the reasons.
 *
 * The skills are in the order of their clusters (see clusters.ts), so that skills of one meaning are in one file, and the postings of a word
 * are near each other. Every file is deflated, because static hosts compress texts only, and named by the digest of the deflated bytes.
 *
 * | file | content |
 * |------|---------|
 * | list | what all others are: see piece-list.ts |
 * | terms | a run of the terms in code point order, with their postings: a lexicon and `post` |
 * | postings | those of some common terms, which the list has: without a container |
 * | rows | a cluster of the skills: `line`, a column of their entries as JSON, and `segm`, a segment without terms |
 *
 * A reader that has all of them has the segment.
 */
import { deflateSync, inflateSync } from 'fflate'
import { digestOf, shortDigest } from '../../core/digest.js'

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
/** Bytes that precede the deflated ones: u32, the number of bytes inflated. */
const HEADER = 4

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

/** The digest in the name of a piece; `''` for another file. */
export function pieceDigest(file: string): string {
  return FILE.exec(file)?.[1] ?? ''
}

export function writePiece(content: Uint8Array): Piece {
  const deflated = deflateSync(content, { level: 9 })
  const bytes = new Uint8Array(HEADER + deflated.length)
  new DataView(bytes.buffer).setUint32(0, content.length, true)
  bytes.set(deflated, HEADER)
  return { file: pieceFile(shortDigest(digestOf(bytes))), bytes }
}

/**
 * Inflates a piece; `undefined` if it is damaged.
 * @param most Bytes that it may have then. It never takes more memory. Default: those of a piece that is no list.
 */
export async function readPiece(
  bytes: Uint8Array<ArrayBuffer>,
  most = MAX_BYTES,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (bytes.length < HEADER) return undefined
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  if (size > most) return undefined
  const deflated = bytes.subarray(HEADER)
  try {
    const platform = createInflater()
    const content = platform
      ? await inflateBy(platform, deflated, size)
      : // A view would not be aligned to what follows.
        new Uint8Array(inflateSync(deflated, { out: new Uint8Array(size) }))
    return content?.length === size ? content : undefined
  } catch {
    return undefined
  }
}

/** The platform inflates in a tenth of the time of a script that is not compiled yet, as in the first message of an isolate. */
function createInflater(): DecompressionStream | undefined {
  try {
    return new DecompressionStream('deflate-raw')
  } catch {
    return undefined
  }
}

/** Inflates to `size` bytes; `undefined` if there are more. */
async function inflateBy(
  { readable, writable }: DecompressionStream,
  deflated: Uint8Array<ArrayBuffer>,
  size: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const writer = writable.getWriter()
  // Its errors are those of the reader, too.
  writer.write(deflated).catch(() => undefined)
  writer.close().catch(() => undefined)
  const content = new Uint8Array(size)
  const reader = readable.getReader()
  let at = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return at === size ? content : undefined
    if (at + value.length > size) {
      await reader.cancel()
      return undefined
    }
    content.set(value, at)
    at += value.length
  }
}
