import { type Entry, type FileEntry, type Reader, ZipReader } from '@zip.js/zip.js/lib/zip-core-reader.js'
import { SkillshelfError } from '../../core/errors.js'
import { crc32 } from './crc32.js'
import type { Entries } from './entries.js'
import { asBroken, broken } from './error.js'
import { inflate } from './inflate.js'
import { concat } from './kind.js'
import type { Meter } from './limits.js'

const STORED = 0
const DEFLATED = 8
const TYPE = 0o170000
const REGULAR = 0o100000
/** What zip.js says of what nobody without the password, or without the other parts, can read. */
const CANNOT = /encrypt|split zip/i

/**
 * Reads a zip by its central directory; zip.js compares it with the headers before each file, and refuses files that overlap.
 * Of two entries with one name the later one in the directory counts.
 * @throws SkillshelfError `format`, `unsupported` (encrypted, split), `too-large`
 */
export async function readZip(bytes: Uint8Array, entries: Entries, meter: Meter): Promise<void> {
  const source = {
    size: bytes.length,
    readUint8Array: async (at: number, length: number) => bytes.slice(at, at + length),
  }
  const reader = new ZipReader(source as unknown as Reader<unknown>, { filenameValidation: 'tolerant' })
  try {
    const files = new Map<string, FileEntry>()
    let declared = 0
    for await (const entry of reader.getEntriesGenerator()) {
      const { path, file } = placeOf(entry, entries)
      if (path === undefined) continue
      files.delete(path)
      if (!file) continue
      files.set(path, file)
      meter.file(path, entry.uncompressedSize)
    }
    for (const { uncompressedSize } of files.values()) declared += uncompressedSize
    meter.declared(declared)
    for (const [path, entry] of files) entries.put(path, await readFile(path, entry, bytes, meter))
  } catch (error) {
    if (!(error instanceof SkillshelfError) && error instanceof Error && CANNOT.test(error.message))
      throw new SkillshelfError('unsupported', `The archive cannot be read: ${error.message}`, { hint: PLAIN }, error)
    throw asBroken(error)
  }
}

const PLAIN = 'make the zip again, in one part and without a password'

/** Where an entry is to stand, and the file that it is, if it is one. */
function placeOf(entry: Entry, entries: Entries): { path?: string | undefined; file?: FileEntry } {
  const { filename, symlink, unixMode = 0 } = entry
  if (symlink) return { path: entries.refuse(filename, 'it is a link') }
  if (entry.directory) {
    entries.folder()
    return {}
  }
  const type = unixMode & TYPE
  if (type !== 0 && type !== REGULAR) return { path: entries.refuse(filename, 'it is a device or a pipe') }
  return { path: entries.admit(filename), file: entry }
}

async function readFile(path: string, entry: FileEntry, bytes: Uint8Array, meter: Meter): Promise<Uint8Array> {
  const { encrypted, compressionMethod: method, compressedSize, uncompressedSize: size, crc32: sum } = entry
  if (encrypted) throw new SkillshelfError('unsupported', `${path} in the archive is encrypted`, { hint: PLAIN })
  if (method !== STORED && method !== DEFLATED)
    throw broken(
      `${path} in the archive is compressed by method ${method}`,
      'make the zip again, with deflate or stored',
    )
  // Compares the headers and finds the bytes. Not inflated by zip.js, whose streams take a millisecond for each file.
  await entry.getData(new WritableStream(), { passThrough: true, checkOverlappingEntryOnly: true })
  const start = entry.localDirectory?.dataOffset ?? bytes.length
  const packed = bytes.subarray(start, start + compressedSize)
  const parts: Uint8Array[] = []
  let length = 0
  const take = (piece: Uint8Array): void => {
    length += piece.length
    if (length > size) throw broken(`The archive is broken: ${path} is longer than it says`)
    parts.push(piece)
  }
  await (method === DEFLATED ? inflate(packed, meter, take) : copy(packed, meter, take))
  const whole = concat(parts)
  if (whole.length !== size || crc32(whole) !== sum)
    throw broken(`The archive is broken: the checksum or the length of ${path} is wrong`)
  return whole
}

async function copy(packed: Uint8Array, meter: Meter, take: (piece: Uint8Array) => void): Promise<void> {
  meter.fed(packed.length)
  meter.inflated(packed.length)
  take(packed)
  await meter.pause()
}
