/**
 * Deflated bytes:
 *
 *     0  u32, the number of bytes inflated, little-endian
 *     4  the raw DEFLATE bytes (RFC 1951)
 */
export const HEADER = 4

/** Bytes that deflated ones take when they are inflated, as they say themselves; `undefined` if they are too few to say. */
export function inflatedSize(bytes: Uint8Array): number | undefined {
  if (bytes.length < HEADER) return undefined
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
}
