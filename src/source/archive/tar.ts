import { createTarDecoder, type ParsedTarEntry, type TarHeader } from 'modern-tar'
import { concatBytes } from '../../core/bytes.js'
import { SkillshelfError } from '../../core/errors.js'
import { rethrowCallbackError } from '../../core/progress.js'
import type { Entries } from './entries.js'
import { asFormatError, formatError, hasUstarMagic, peek } from './format.js'
import type { Meter } from './limits.js'

/** Reads a tar as a stream: ustar, GNU long names, PAX paths. @throws SkillshelfError `format`, `unsupported` (sparse), `too-large` */
export async function readTar(
  tar: AsyncIterable<Uint8Array>,
  entries: Entries,
  meter: Meter,
): Promise<void> {
  const { start, chunks } = await peek(tar, 512)
  const headers = createTarHeaderScanner()
  const decoder = createTarDecoder({ strict: true })
  const reader = decoder.readable.getReader()
  const writer = decoder.writable.getWriter()
  // Rejects once the writable is aborted. Prevents an unhandled rejection.
  writer.closed.catch(() => undefined)
  let failure: unknown
  const writing = (async () => {
    for await (const chunk of chunks) {
      headers.push(chunk)
      await writer.write(chunk)
    }
    await writer.close()
  })().catch(error => {
    failure ??= error
    void writer.abort(error).catch(() => undefined)
  })
  let read = 0
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      await readEntry(next.value, headers.next(), entries, meter)
      read++
    }
    await writing
    if (failure !== undefined) throw failure
  } catch (error) {
    failure ??= error
    void writer.abort(failure).catch(() => undefined)
    void reader.cancel(failure).catch(() => undefined)
    rethrowCallbackError(failure)
    if (read === 0 && !hasUstarMagic(start) && !(failure instanceof SkillshelfError)) {
      throw formatError(
        'Not an archive: the bytes are neither a zip nor a tar or tar.gz',
        'give a zip or a tar.gz',
      )
    }
    throw asFormatError(failure)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  symlink: 'it is a link',
  link: 'it is a hard link',
  'character-device': 'it is a device',
  'block-device': 'it is a device',
  fifo: 'it is a pipe',
}
/** Type flags of a regular file: ustar, the original tar, and contiguous files. */
const FILE_TYPES = new Set(['0', '\0', '7'])

async function readEntry(
  { header, body }: ParsedTarEntry,
  info: TarHeaderInfo | undefined,
  entries: Entries,
  meter: Meter,
): Promise<void> {
  checkHeader(header, info)
  const { name, type = 'file' } = header
  let path: string | undefined
  if (type === 'directory') entries.addFolder()
  else if (type !== 'file') entries.refuse(name, REASONS[type] ?? 'it is not a file')
  else if (info && !FILE_TYPES.has(info.type)) {
    entries.refuse(name, `it is not a file but of tar type ${JSON.stringify(info.type)}`)
  } else path = entries.admit(name)
  if (path === undefined) return body.cancel()
  meter.file(path, header.size)
  const chunks: Uint8Array[] = []
  const reader = body.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value)
  }
  entries.put(path, concatBytes(chunks))
}

/** Rejects entries that modern-tar would misread silently. */
function checkHeader(
  { name, size, type, pax = {} }: TarHeader,
  info: TarHeaderInfo | undefined,
): void {
  if (info?.type === 'S' || Object.keys(pax).some(key => key.startsWith('GNU.sparse.'))) {
    throw new SkillshelfError('unsupported', `${name} in the archive is a sparse file`, {
      hint: 'create the archive without tar --sparse, or as a zip',
    })
  }
  const paxSize = pax['size'] === undefined ? size : Number(pax['size'])
  // Tar readers disagree on which size counts, so they would see different files.
  if (!info || paxSize !== size || (type === 'file' && size !== info.size)) {
    throw formatError(`The archive is broken: ${name} declares two sizes`)
  }
}

/** The fields of a tar header that modern-tar does not expose. It treats every unknown type as a file. */
interface TarHeaderInfo {
  /** The type flag: one character. */
  type: string
  /** Size in bytes as the header itself declares it, without PAX extensions. */
  size: number
}

const BLOCK = 512
/** Types of entries that describe the following entry. */
const EXTENSION_TYPES = new Set(['x', 'g', 'L', 'K'])
/** Types without a body, whatever size the header declares: links, devices and folders. */
const BODYLESS_TYPES = new Set(['1', '2', '3', '4', '5', '6'])

/** Records the header of each entry while the bytes of a tar are pushed through. */
function createTarHeaderScanner(): {
  push(chunk: Uint8Array): void
  next(): TarHeaderInfo | undefined
} {
  const headers: TarHeaderInfo[] = []
  const block = new Uint8Array(BLOCK)
  let filled = 0
  let skip = 0
  let ended = false
  const readBlock = (): void => {
    ended = block.every(byte => byte === 0)
    if (ended) return
    const type = String.fromCharCode(block[156] as number)
    const size = parseSize(block)
    skip = BODYLESS_TYPES.has(type) ? 0 : Math.ceil(size / BLOCK) * BLOCK
    if (!EXTENSION_TYPES.has(type)) headers.push({ type, size })
  }
  return {
    push(chunk) {
      for (let offset = 0; offset < chunk.length && !ended; ) {
        const rest = chunk.length - offset
        if (skip > 0) {
          const step = Math.min(skip, rest)
          skip -= step
          offset += step
          continue
        }
        const step = Math.min(BLOCK - filled, rest)
        block.set(chunk.subarray(offset, offset + step), filled)
        filled += step
        offset += step
        if (filled < BLOCK) continue
        filled = 0
        readBlock()
      }
    },
    next: () => headers.shift(),
  }
}

/** Parses octal digits, or a base-256 number behind a set high bit. modern-tar reports malformed sizes. */
function parseSize(header: Uint8Array): number {
  const field = header.subarray(124, 136)
  if ((field[0] as number) & 0x80) {
    return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, (field[0] as number) & 0x7f)
  }
  const digits = /^[ ]*([0-7 ]*)/.exec(new TextDecoder().decode(field))?.[1]?.replaceAll(' ', '')
  return digits ? Number.parseInt(digits, 8) : 0
}
