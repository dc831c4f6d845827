import { concatBytes } from '../../core/bytes.js'
import { asSkillshelfError, SkillshelfError } from '../../core/errors.js'

const ZIP_MAGIC = ['504b0304', '504b0506', '504b0708']
const UNSUPPORTED: readonly [magic: string, name: string][] = [
  ['425a68', 'bzip2'],
  ['fd377a585a00', 'xz'],
  ['28b52ffd', 'zstd'],
  ['377abcaf271c', '7z'],
  ['526172211a07', 'rar'],
]

/** Detects the format by 512 bytes. Unknown ones are tar, whose old form has no mark. @throws SkillshelfError `format`, `unsupported` */
export function detectFormat(start: Uint8Array): 'zip' | 'gzip' | 'tar' {
  if (start.length === 0) throw formatError('The archive is empty (0 bytes)')
  const hex = [...start.subarray(0, 6)].map(byte => byte.toString(16).padStart(2, '0')).join('')
  if (ZIP_MAGIC.some(magic => hex.startsWith(magic))) return 'zip'
  if (hex.startsWith('1f8b')) return 'gzip'
  const other = UNSUPPORTED.find(([magic]) => hex.startsWith(magic))
  if (other) {
    throw new SkillshelfError('unsupported', `The archive is a ${other[1]} file`, {
      hint: 'give a zip or a tar.gz',
    })
  }
  return 'tar'
}

/** Whether the first 512 bytes are a header of the ustar format. */
export function hasUstarMagic(start: Uint8Array): boolean {
  return new TextDecoder().decode(start.subarray(257, 262)) === 'ustar'
}

/** Whether a file starts with a frontmatter. */
export function isSkillFile(start: Uint8Array): boolean {
  return /^\s*---[ \t]*\r?\n/.test(new TextDecoder().decode(start))
}

/** Reads the first `length` bytes of a stream, and returns them together with the whole stream. */
export async function peek(
  chunks: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ start: Uint8Array; chunks: AsyncIterable<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]()
  const held: Uint8Array[] = []
  let heldLength = 0
  while (heldLength < length) {
    const { done, value } = await iterator.next()
    if (done) break
    held.push(value)
    heldLength += value.length
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      for (let chunk = held.shift(); chunk; chunk = held.shift()) yield chunk
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        yield next.value
      }
    } finally {
      await iterator.return?.()
    }
  }
  return { start: concatBytes(held).subarray(0, length), chunks: all() }
}

const HINT = 'create or download the archive again'

/** An error of bytes that are not a valid archive. */
export function formatError(message: string, hint = HINT): SkillshelfError {
  return new SkillshelfError('format', message, { hint })
}

/** Wraps an error that a library threw for an invalid archive. */
export function asFormatError(error: unknown): SkillshelfError {
  return asSkillshelfError(error, 'format', 'The archive is broken', { hint: HINT })
}
