import { deflateSync } from 'fflate'
import { concatBytes } from '../../src/core/bytes.js'
import { crc32 } from '../../src/source/archive/inflate.js'
import type { SkillSource } from '../../src/source/source.js'

// Builds archives byte by byte, because no tool writes the malformed ones these tests need.

export type Bytes = Uint8Array<ArrayBuffer>

export function bytesOf(content: Uint8Array | string): Bytes {
  return new Uint8Array(typeof content === 'string' ? new TextEncoder().encode(content) : content)
}

/** Pseudorandom bytes, which do not compress. */
export function noise(length: number, seed = 1): Bytes {
  let state = seed
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
}

/** Little-endian numbers, each with its width in bytes. */
function fields(...numbers: readonly (readonly [width: 2 | 4 | 8, value: number])[]): Bytes {
  const bytes = new Uint8Array(numbers.reduce((sum, [width]) => sum + width, 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const [width, value] of numbers) {
    if (width === 2) view.setUint16(at, value, true)
    else if (width === 4) view.setUint32(at, value, true)
    else view.setBigUint64(at, BigInt(value), true)
    at += width
  }
  return bytes
}

export interface ZipPart {
  name: string | Uint8Array
  content?: Uint8Array | string
  /** 0 stored, 8 deflate. Default 8. */
  method?: number
  /** 1 encrypted, 8 data descriptor, 0x800 UTF-8 name. Default 0x800. */
  flags?: number
  /** Unix mode. Default 0o100644. */
  mode?: number
  crc?: number
  /** The declared inflated size. */
  size?: number
  /** Compressed bytes to write as they are. */
  raw?: Uint8Array
  /** The offset in the central directory. */
  offset?: number
  /** Write sizes and offset to the zip64 extra field. */
  zip64?: boolean
  /** Values of the local header that differ from the central directory. */
  local?: { name?: string; method?: number; size?: number }
}

export function zipOf(parts: readonly ZipPart[]): Bytes {
  const bodies: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let at = 0
  for (const part of parts) {
    const { content = '', method = 8, flags = 0x800, mode = 0o100644, zip64 = false } = part
    const name = bytesOf(part.name)
    const plain = bytesOf(content)
    const raw = part.raw ?? (method === 8 ? deflateSync(plain) : plain)
    const size = part.size ?? plain.length
    const crc = part.crc ?? crc32(plain)
    const behind = (flags & 8) !== 0
    const local = {
      method,
      size,
      ...part.local,
      name: part.local?.name ? bytesOf(part.local.name) : name,
    }
    const wide = zip64
      ? fields([2, 1], [2, 24], [8, size], [8, raw.length], [8, part.offset ?? at])
      : new Uint8Array()
    const wideLocal = zip64 ? fields([2, 1], [2, 16], [8, size], [8, raw.length]) : new Uint8Array()
    const sizes = (inflated: number): Bytes =>
      zip64 ? fields([4, 0xffffffff], [4, 0xffffffff]) : fields([4, raw.length], [4, inflated])
    const header = concatBytes([
      fields([4, 0x04034b50], [2, 45], [2, flags], [2, local.method], [2, 0], [2, 33]),
      behind ? new Uint8Array(12) : concatBytes([fields([4, crc]), sizes(local.size)]),
      fields([2, local.name.length], [2, wideLocal.length]),
      local.name,
      wideLocal,
    ])
    const after = behind
      ? fields([4, 0x08074b50], [4, crc], [4, raw.length], [4, size])
      : new Uint8Array()
    directory.push(
      concatBytes([
        fields(
          [4, 0x02014b50],
          [2, 0x0300 + 45],
          [2, 45],
          [2, flags],
          [2, method],
          [2, 0],
          [2, 33],
          [4, crc],
        ),
        sizes(size),
        fields([2, name.length], [2, wide.length], [2, 0], [2, 0], [2, 0], [4, mode * 65_536]),
        fields([4, zip64 ? 0xffffffff : (part.offset ?? at)]),
        name,
        wide,
      ]),
    )
    bodies.push(header, raw, after)
    at += header.length + raw.length + after.length
  }
  const list = concatBytes(directory)
  const end = fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, parts.length],
    [2, parts.length],
    [4, list.length],
    [4, at],
  )
  return concatBytes([...bodies, list, end, fields([2, 0])])
}

export interface TarPart {
  name: string | Uint8Array
  content?: Uint8Array | string
  /** '0' file, '1' hard link, '2' link, '3' '4' devices, '5' folder, '6' pipe, 'x' 'g' PAX, 'L' long name. Default '0'. */
  type?: string
  link?: string
  prefix?: string
  size?: number
  /** 'ustar\0' + '00' or, for GNU, 'ustar ' + ' \0'. Default the first. */
  magic?: string
  mode?: number
}

export function tarHeader({
  name,
  content = '',
  type = '0',
  link = '',
  prefix = '',
  ...part
}: TarPart): Bytes {
  const header = new Uint8Array(512)
  const put = (at: number, text: string | Uint8Array): void => header.set(bytesOf(text), at)
  put(0, name)
  put(100, `${(part.mode ?? 0o644).toString(8).padStart(7, '0')}\0`)
  put(108, '0000000\0')
  put(116, '0000000\0')
  put(124, `${(part.size ?? bytesOf(content).length).toString(8).padStart(11, '0')} `)
  put(136, '00000000000 ')
  put(156, type)
  put(157, link)
  put(257, part.magic ?? 'ustar\x0000')
  put(345, prefix)
  return withChecksum(header)
}

/** Writes the sum of the bytes of a tar header into it. */
export function withChecksum(header: Bytes): Bytes {
  header.fill(0x20, 148, 156)
  const sum = header.reduce((sum, byte) => sum + byte, 0)
  header.set(bytesOf(`${sum.toString(8).padStart(6, '0')}\0 `), 148)
  return header
}

export function tarOf(parts: readonly TarPart[]): Bytes {
  return concatBytes([
    ...parts.flatMap(part => [tarHeader(part), padded(bytesOf(part.content ?? ''))]),
    new Uint8Array(1024),
  ])
}

function padded(bytes: Uint8Array): Uint8Array {
  return concatBytes([bytes, new Uint8Array(-bytes.length & 511)])
}

/** A PAX header for the next entry, or for all with type `g`. */
export function pax(values: Readonly<Record<string, string>>, type: 'x' | 'g' = 'x'): TarPart {
  const content = Object.entries(values)
    .map(([key, value]) => {
      const rest = ` ${key}=${value}\n`
      const length = bytesOf(rest).length
      const digits = String(length + String(length + 2).length).length
      return `${length + digits}${rest}`
    })
    .join('')
  return { name: 'PaxHeader', type, content }
}

/** A stream of the bytes in chunks of this length. */
export function streamOf(
  bytes: Uint8Array,
  length = 1000,
): { stream: ReadableStream<Uint8Array>; cancelled: () => boolean } {
  let at = 0
  let cancelled = false
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + length))
      at += length
    },
    cancel() {
      cancelled = true
    },
  })
  return { stream, cancelled: () => cancelled }
}

export async function pathsOf(source: SkillSource): Promise<string[]> {
  return ((await source.list?.()) ?? []).map(({ path, unreadable }) =>
    unreadable ? `${path}: ${unreadable}` : path,
  )
}
