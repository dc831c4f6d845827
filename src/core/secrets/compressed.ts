import { Gunzip, Unzip, UnzipInflate } from 'fflate'
import { concatBytes } from '../bytes.js'

/** What zip, tar and gzip files hold, as far as a budget. The readers of archives are above: they list, and fail where this one goes on. */

export interface PackedFile {
  /** Its name in the archive; empty for a gzip file that is no archive. */
  name: string
  bytes: Uint8Array
}

/** Bytes per step, which inflates to 16 MiB at most. */
const STEP = 16_384
/** S6: a file inflates to so many times its size, between these numbers of bytes. */
const RATIO = 20
const MIN_BYTES = 1_048_576
const MAX_BYTES = 64 * 1_048_576
const BLOCK = 512

/** Lists the files of an archive, without those that are broken, encrypted or over the budget. */
export function packedFiles(bytes: Uint8Array): readonly PackedFile[] {
  const budget = Math.min(MAX_BYTES, Math.max(MIN_BYTES, bytes.length * RATIO))
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return filesOfZip(bytes, budget)
  if (isTar(bytes)) return filesOfTar(bytes)
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return []
  const inner = gunzip(bytes, budget)
  return isTar(inner) ? filesOfTar(inner) : [{ name: '', bytes: inner }]
}

function filesOfZip(bytes: Uint8Array, budget: number): PackedFile[] {
  const files: PackedFile[] = []
  let left = budget
  const unzip = new Unzip(entry => {
    const chunks: Uint8Array[] = []
    entry.ondata = (error, chunk, isLast) => {
      if (error) return
      left -= chunk.length
      chunks.push(chunk)
      if (isLast) files.push({ name: entry.name, bytes: concatBytes(chunks) })
    }
    entry.start()
  })
  unzip.register(UnzipInflate)
  feed(bytes, (slice, isLast) => {
    unzip.push(slice, isLast)
    return left > 0
  })
  return files
}

function gunzip(bytes: Uint8Array, budget: number): Uint8Array {
  const chunks: Uint8Array[] = []
  let left = budget
  const stream = new Gunzip(chunk => {
    left -= chunk.length
    chunks.push(chunk)
  })
  feed(bytes, (slice, isLast) => {
    stream.push(slice, isLast)
    return left > 0
  })
  return concatBytes(chunks)
}

/** Pushes a file in steps, until `push` returns false or what it has is broken. */
function feed(bytes: Uint8Array, push: (slice: Uint8Array, isLast: boolean) => boolean): void {
  try {
    for (let at = 0; at < bytes.length; at += STEP) {
      if (!push(bytes.subarray(at, at + STEP), at + STEP >= bytes.length)) return
    }
  } catch {
    // What came before counts.
  }
}

function isTar(bytes: Uint8Array): boolean {
  return textAt(bytes, 257, 5) === 'ustar'
}

function filesOfTar(bytes: Uint8Array): PackedFile[] {
  const files: PackedFile[] = []
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const size = Number.parseInt(textAt(bytes, at + 124, 12), 8) || 0
    const from = at + BLOCK
    files.push({ name: textAt(bytes, at, 100), bytes: bytes.subarray(from, from + size) })
    at = from + Math.ceil(size / BLOCK) * BLOCK
  }
  return files
}

/** A text that ends at a NUL. */
function textAt(bytes: Uint8Array, at: number, length: number): string {
  const [text = ''] = new TextDecoder().decode(bytes.subarray(at, at + length)).split('\0')
  return text
}
