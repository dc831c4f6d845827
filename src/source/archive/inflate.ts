import { Gunzip, Inflate } from 'fflate'
import { concatBytes } from '../../core/bytes.js'
import { asFormatError, formatError } from './format.js'
import type { Meter } from './limits.js'

// fflate instead of `DecompressionStream`: engines differ in the input they accept, and may inflate 1,000 bytes per byte before a limit
// can be checked.

/** Compressed bytes per step. One step inflates to 16 MiB at most. */
const STEP = 16_384
/** Bytes kept to find the trailer before the header of the next gzip member, which holds a name and a comment. */
const HISTORY = 65_536
const EMPTY = new Uint8Array()

/** Inflates a zip entry. A truncated entry is not reported, so callers check its length. */
export async function inflate(
  packed: Uint8Array,
  meter: Meter,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  const stream = new Inflate(chunk => {
    meter.inflated(chunk.length)
    onChunk(chunk)
  })
  for (let offset = 0; offset < packed.length; offset += STEP) {
    const slice = packed.subarray(offset, offset + STEP)
    meter.deflated(slice.length)
    stream.push(slice, offset + STEP >= packed.length)
    await meter.pause()
  }
}

/** Inflates a gzip stream of one or more members and verifies their checksums. @throws SkillshelfError `format`, `too-large` */
export async function* gunzip(
  chunks: AsyncIterable<Uint8Array>,
  meter: Meter,
): AsyncGenerator<Uint8Array> {
  let inflated: Uint8Array[] = []
  let sum = 0
  let length = 0
  let read = 0
  let history: Uint8Array = EMPTY
  /** Verifies the member that ends at this offset of the stream. */
  const verifyMember = (end: number): void => {
    const trailerStart = history.length - (read - end) - 8
    if (trailerStart < 0) throw formatError('The archive is broken: its gzip stream is truncated')
    const trailer = new DataView(history.buffer, history.byteOffset + trailerStart, 8)
    if (trailer.getUint32(0, true) !== sum || trailer.getUint32(4, true) !== length % 2 ** 32) {
      throw formatError('The archive is broken: it is truncated, or its checksum is wrong')
    }
    sum = 0
    length = 0
  }
  const stream = new Gunzip(chunk => {
    meter.inflated(chunk.length)
    sum = crc32(chunk, sum)
    length += chunk.length
    if (chunk.length > 0) inflated.push(chunk)
  })
  stream.onmember = verifyMember
  const push = (slice: Uint8Array, last: boolean): void => {
    try {
      stream.push(slice, last)
    } catch (error) {
      throw asFormatError(error)
    }
  }
  for await (const chunk of chunks) {
    for (let offset = 0; offset < chunk.length; offset += STEP) {
      const slice = chunk.subarray(offset, offset + STEP)
      meter.deflated(slice.length)
      read += slice.length
      history = concatBytes([history.subarray(-HISTORY), slice])
      push(slice, false)
      yield* inflated
      inflated = []
      await meter.pause()
    }
  }
  push(EMPTY, true)
  verifyMember(read)
  yield* inflated
}

const TABLE = /* @__PURE__ */ Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

/** The CRC-32 checksum of zip and gzip. `previous` is the checksum of the preceding bytes. */
export function crc32(bytes: Uint8Array, previous = 0): number {
  let value = ~previous
  for (let index = 0; index < bytes.length; index++) {
    value = (TABLE[(value ^ (bytes[index] as number)) & 0xff] as number) ^ (value >>> 8)
  }
  return ~value >>> 0
}
