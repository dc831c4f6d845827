import { deflateSync, inflateSync } from 'fflate'
import { HEADER, inflatedSize } from './deflated.js'

/** Deflates bytes, because static hosts compress texts only. The layout is in deflated.ts. */
export function deflate(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const deflated = deflateSync(content, { level: 9 })
  const bytes = new Uint8Array(HEADER + deflated.length)
  new DataView(bytes.buffer).setUint32(0, content.length, true)
  bytes.set(deflated, HEADER)
  return bytes
}

/** `undefined` if the bytes are damaged. @param most Bytes that they may have then: it never takes more memory. */
export function inflateSynchronously(
  bytes: Uint8Array,
  most: number,
): Uint8Array<ArrayBuffer> | undefined {
  const size = inflatedSize(bytes)
  if (size === undefined || size > most) return undefined
  try {
    // What does not fit is dropped without an error, so there is room for a byte too many.
    const content = inflateSync(bytes.subarray(HEADER), { out: new Uint8Array(size + 1) })
    // A view would not be aligned to what follows.
    return content.length === size ? new Uint8Array(content) : undefined
  } catch {
    return undefined
  }
}
