import { SkillshelfError } from '../../core/errors.js'
import { broken } from './error.js'

export type ArchiveKind = 'zip' | 'gzip' | 'tar'

const ZIP = ['504b0304', '504b0506', '504b0708']
/** What people have too, by its first bytes. */
const OTHERS: readonly [magic: string, name: string][] = [
  ['425a68', 'bzip2'],
  ['fd377a585a00', 'xz'],
  ['28b52ffd', 'zstd'],
  ['377abcaf271c', '7z'],
  ['526172211a07', 'rar'],
]

/**
 * What the first 512 bytes of a file say it is, whatever its name. Anything unknown may be a tar, which has no mark at its start.
 * @throws SkillshelfError `format` for no bytes at all, `unsupported` for other archives
 */
export function kindOf(start: Uint8Array): ArchiveKind {
  if (start.length === 0) throw broken('The archive is empty: it has no bytes at all')
  const hex = [...start.subarray(0, 6)].map(byte => byte.toString(16).padStart(2, '0')).join('')
  if (ZIP.some(magic => hex.startsWith(magic))) return 'zip'
  if (hex.startsWith('1f8b')) return 'gzip'
  const other = OTHERS.find(([magic]) => hex.startsWith(magic))
  if (other)
    throw new SkillshelfError('unsupported', `The archive is a ${other[1]} file`, { hint: 'give a zip or a tar.gz' })
  return 'tar'
}

/** A tar of this century. */
export function hasTarMark(start: Uint8Array): boolean {
  return new TextDecoder().decode(start.subarray(257, 262)) === 'ustar'
}

/** The first `bytes` of a stream (fewer where it is shorter), and a stream in which they stand again. */
export async function peek(
  pieces: AsyncIterable<Uint8Array>,
  bytes: number,
): Promise<{ start: Uint8Array; pieces: AsyncIterable<Uint8Array> }> {
  const iterator = pieces[Symbol.asyncIterator]()
  const held: Uint8Array[] = []
  let length = 0
  while (length < bytes) {
    const { done, value } = await iterator.next()
    if (done) break
    held.push(value)
    length += value.length
  }
  async function* again(): AsyncGenerator<Uint8Array> {
    try {
      for (let piece = held.shift(); piece; piece = held.shift()) yield piece
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return { start: concat(held).subarray(0, bytes), pieces: again() }
}

export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
