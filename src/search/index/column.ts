import { bytesOf, u32 } from '../../core/byte-sections.js'
import { isAscii } from '../../core/text/analyze.js'

/** A column of texts, decoded on access. Layout: u32 n, u32 × (n + 1) offsets into what follows, the texts in UTF-8. */
export interface Column {
  readonly length: number
  /** The text, cut after 16 KiB unless the reader of the column says otherwise. */
  get(index: number): string
  /** True if the first line of the text is `line`. */
  startsWith(index: number, line: string): boolean
}

/** A query decodes texts. A hostile one must not take its time. */
const MAX_BYTES = 16_384
const LINE_FEED = 10

export function writeColumn(texts: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  const encoded = texts.map(text => encoder.encode(text))
  const head = new Uint32Array(texts.length + 2)
  head[0] = texts.length
  for (const [index, bytes] of encoded.entries()) {
    head[index + 2] = (head[index + 1] as number) + bytes.length
  }
  const out = new Uint8Array(head.byteLength + (head.at(-1) as number))
  out.set(bytesOf(head))
  let offset = head.byteLength
  for (const bytes of encoded) {
    out.set(bytes, offset)
    offset += bytes.length
  }
  return out
}

/**
 * Opens a column; `undefined` if an offset is out of range.
 * @param most Bytes of a text that are decoded.
 */
export function readColumn(bytes: Uint8Array, most = MAX_BYTES): Column | undefined {
  const length = bytes.length >= 4 ? (u32(bytes.subarray(0, 4))[0] as number) : 0
  const head = (length + 2) * 4
  if (head > bytes.length) return undefined
  const offsets = u32(bytes.subarray(4, head))
  const texts = bytes.subarray(head)
  if (!ascends(offsets, texts.length)) return undefined
  // Keep a byte order mark: a text reads back exactly as it was written.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const encoder = new TextEncoder()
  return {
    length,
    get(index) {
      const start = offsets[index] ?? 0
      return decoder.decode(texts.subarray(start, Math.min(offsets[index + 1] ?? 0, start + most)))
    },
    startsWith(index, line) {
      const start = offsets[index] ?? 0
      const end = offsets[index + 1] ?? 0
      const units = isAscii(line) ? undefined : encoder.encode(line)
      const size = units?.length ?? line.length
      if (start + size > end || (start + size < end && texts[start + size] !== LINE_FEED)) {
        return false
      }
      for (let at = 0; at < size; at++) {
        if (texts[start + at] !== (units ? units[at] : line.charCodeAt(at))) return false
      }
      return true
    },
  }
}

/** True if numbers never fall and end at most at `limit`. */
export function ascends(numbers: ArrayLike<number>, limit: number): boolean {
  let previous = 0
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index] as number
    if (number < previous) return false
    previous = number
  }
  return previous <= limit
}
