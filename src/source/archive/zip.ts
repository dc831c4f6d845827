import {
  type Entry,
  type FileEntry,
  type Reader,
  ZipReader,
} from '@zip.js/zip.js/lib/zip-core-reader.js'
import { concatBytes } from '../../core/bytes.js'
import { asSkillshelfError, errorMessage, SkillshelfError } from '../../core/errors.js'
import type { Entries } from './entries.js'
import { asFormatError, formatError } from './format.js'
import { crc32, inflate } from './inflate.js'
import type { Meter } from './limits.js'

const STORED = 0
const DEFLATED = 8
const UNIX_TYPE_MASK = 0o170000
const REGULAR_FILE = 0o100000
/** Matches the errors that zip.js throws for encrypted and split archives. */
const UNSUPPORTED = /encrypt|split zip/i
const UNSUPPORTED_HINT = 'create the zip as a single part and without a password'

/** Reads a zip by its directory, checked against local headers. @throws SkillshelfError `format`, `unsupported`, `too-large` */
export async function readZip(bytes: Uint8Array, entries: Entries, meter: Meter): Promise<void> {
  const source = {
    size: bytes.length,
    readUint8Array: async (offset: number, length: number) => bytes.slice(offset, offset + length),
  }
  const reader = new ZipReader(source as unknown as Reader<unknown>, {
    filenameValidation: 'tolerant',
    decodeText: decodeName,
  })
  try {
    const files = new Map<string, FileEntry>()
    let declared = 0
    for await (const entry of reader.getEntriesGenerator()) {
      const { path, file } = admitEntry(entry, entries)
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
    if (UNSUPPORTED.test(errorMessage(error))) {
      throw asSkillshelfError(error, 'unsupported', 'The archive could not be read', {
        hint: UNSUPPORTED_HINT,
      })
    }
    throw asFormatError(error)
  }
}

/** Two bytes of a character of GB 2312, the part of GBK with the characters in use. Names in other code pages hardly consist of such pairs. */
const LEAD = { first: 0xa1, last: 0xf7 }
const TRAIL = { first: 0xa1, last: 0xfe }

/** Decodes a name in the code page of Chinese Windows. `undefined` for others, which zip.js decodes. */
function decodeName(bytes: Uint8Array, encoding: string): string | undefined {
  if (encoding.toLowerCase() === 'utf-8' || isUtf8(bytes)) return undefined
  let pairs = 0
  for (let index = 0; index < bytes.length; index++) {
    const [lead = 0, trail = 0] = bytes.subarray(index, index + 2)
    if (lead < 0x80) continue
    if (!isIn(lead, LEAD) || !isIn(trail, TRAIL)) return undefined
    pairs++
    index++
  }
  return pairs === 0 ? undefined : new TextDecoder('gb18030').decode(bytes)
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

function isIn(byte: number, { first, last }: { first: number; last: number }): boolean {
  return byte >= first && byte <= last
}

/** The path of an entry, and the entry itself if it is a regular file. */
function admitEntry(
  entry: Entry,
  entries: Entries,
): { path?: string | undefined; file?: FileEntry } {
  const { symlink, unixMode = 0 } = entry
  // Windows PowerShell 5.1 writes backslashes, which no safe path has.
  const filename = entry.filename.replaceAll('\\', '/')
  if (symlink) return { path: entries.refuse(filename, 'it is a link') }
  if (entry.directory || filename.endsWith('/')) {
    entries.addFolder()
    return {}
  }
  const type = unixMode & UNIX_TYPE_MASK
  if (type !== 0 && type !== REGULAR_FILE) {
    return { path: entries.refuse(filename, 'it is a device or a pipe') }
  }
  return { path: entries.admit(filename), file: entry }
}

async function readFile(
  path: string,
  entry: FileEntry,
  bytes: Uint8Array,
  meter: Meter,
): Promise<Uint8Array> {
  const {
    encrypted,
    compressionMethod: method,
    compressedSize,
    uncompressedSize: size,
    crc32: sum,
  } = entry
  if (encrypted) {
    throw new SkillshelfError('unsupported', `${path} in the archive is encrypted`, {
      hint: UNSUPPORTED_HINT,
    })
  }
  if (method !== STORED && method !== DEFLATED) {
    throw formatError(
      `${path} in the archive uses compression method ${method}`,
      'create the zip with deflate or without compression',
    )
  }
  // zip.js only verifies the headers and locates the data. Its own streams cost a millisecond per file.
  await entry.getData(new WritableStream(), { passThrough: true, checkOverlappingEntryOnly: true })
  const start = entry.localDirectory?.dataOffset ?? bytes.length
  const packed = bytes.subarray(start, start + compressedSize)
  const chunks: Uint8Array[] = []
  let length = 0
  const onChunk = (chunk: Uint8Array): void => {
    length += chunk.length
    if (length > size) throw formatError(`The archive is broken: ${path} is longer than declared`)
    chunks.push(chunk)
  }
  if (method === DEFLATED) await inflate(packed, meter, onChunk)
  else {
    meter.deflated(packed.length)
    meter.inflated(packed.length)
    onChunk(packed)
    await meter.pause()
  }
  const content = concatBytes(chunks)
  if (content.length !== size || crc32(content) !== sum) {
    throw formatError(`The archive is broken: the checksum or length of ${path} is wrong`)
  }
  return content
}
