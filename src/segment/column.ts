import { bytesOf, u32 } from '../core/sections.js'

/**
 * A column of texts, decoded on access.
 * Layout: u32 n, u32 × (n + 1) offsets into what follows, the texts in UTF-8.
 */
export interface Column {
  readonly length: number
  get(index: number): string
}

export function writeColumn(texts: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  const encoded = texts.map(text => encoder.encode(text))
  const head = new Uint32Array(texts.length + 2)
  head[0] = texts.length
  for (const [index, bytes] of encoded.entries()) head[index + 2] = (head[index + 1] as number) + bytes.length
  const out = new Uint8Array(head.byteLength + (head.at(-1) as number))
  out.set(bytesOf(head))
  let offset = head.byteLength
  for (const bytes of encoded) {
    out.set(bytes, offset)
    offset += bytes.length
  }
  return out
}

export function readColumn(bytes: Uint8Array): Column {
  const length = bytes.length >= 4 ? (u32(bytes.subarray(0, 4))[0] as number) : 0
  const offsets = u32(bytes.subarray(4, 4 + (length + 1) * 4))
  const texts = bytes.subarray((length + 2) * 4)
  // Keep a byte order mark: a text reads back exactly as it was written.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return { length, get: index => decoder.decode(texts.subarray(offsets[index] ?? 0, offsets[index + 1] ?? 0)) }
}
