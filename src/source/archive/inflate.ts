import { Gunzip, Inflate } from 'fflate'
import { crc32 } from './crc32.js'
import { asBroken, broken } from './error.js'
import { concat } from './kind.js'
import type { Meter } from './limits.js'

// One inflater in JavaScript: those of the platforms differ in what they take, and can make 1,000 bytes of one before anybody is asked.

/** Compressed bytes that go in at a time: 16 MiB may come out. */
const SLICE = 16_384
/** How far a gzip member's header may reach back: its name and comment. */
const HISTORY = 65_536
const NOTHING = new Uint8Array()

/** Inflates one entry of a zip; what comes out is given to `take`, piece by piece. It may be cut short without a word. */
export async function inflate(packed: Uint8Array, meter: Meter, take: (piece: Uint8Array) => void): Promise<void> {
  const stream = new Inflate(piece => {
    meter.inflated(piece.length)
    take(piece)
  })
  for (let at = 0; at < packed.length; at += SLICE) {
    const slice = packed.subarray(at, at + SLICE)
    meter.fed(slice.length)
    stream.push(slice, at + SLICE >= packed.length)
    await meter.pause()
  }
}

/**
 * What stands in a gzip stream, of one member or several, with its checksums checked.
 * @throws SkillshelfError `format`, `too-large`
 */
export async function* gunzip(pieces: AsyncIterable<Uint8Array>, meter: Meter): AsyncGenerator<Uint8Array> {
  let out: Uint8Array[] = []
  let sum = 0
  let length = 0
  let read = 0
  let history: Uint8Array = NOTHING
  /** Checks the member that ends at `end`, counted from the start of the stream. */
  const check = (end: number): void => {
    const at = history.length - (read - end) - 8
    if (at < 0) throw broken('The archive is broken: its gzip stream is cut short')
    const trailer = new DataView(history.buffer, history.byteOffset + at, 8)
    if (trailer.getUint32(0, true) !== sum || trailer.getUint32(4, true) !== length % 2 ** 32)
      throw broken('The archive is broken: it is cut short, or its checksum is wrong')
    sum = 0
    length = 0
  }
  const inflate = new Gunzip(piece => {
    meter.inflated(piece.length)
    sum = crc32(piece, sum)
    length += piece.length
    if (piece.length > 0) out.push(piece)
  })
  inflate.onmember = check
  const push = (slice: Uint8Array, last: boolean): void => {
    try {
      inflate.push(slice, last)
    } catch (error) {
      throw asBroken(error)
    }
  }
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += SLICE) {
      const slice = piece.subarray(at, at + SLICE)
      meter.fed(slice.length)
      read += slice.length
      history = concat([history.subarray(-HISTORY), slice])
      push(slice, false)
      yield* out
      out = []
      await meter.pause()
    }
  }
  push(NOTHING, true)
  check(read)
  yield* out
}
