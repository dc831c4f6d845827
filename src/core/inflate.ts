import { onDemand } from './load-module.js'

/**
 * Deflated bytes:
 *
 *     0  u32, the number of bytes inflated, little-endian
 *     4  the raw DEFLATE bytes (RFC 1951)
 */
export const HEADER = 4
const loadDeflate = onDemand(() => import('./deflate.js'))

/** Bytes that deflated ones take when they are inflated, as they say themselves; `undefined` if they are too few to say. */
export function inflatedSize(bytes: Uint8Array): number | undefined {
  if (bytes.length < HEADER) return undefined
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
}

/**
 * Inflates with the code of the engine where it has some. `undefined` if the bytes are damaged.
 * @param most Bytes that they may have then
 */
export async function inflate(
  bytes: Uint8Array,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const size = inflatedSize(bytes)
  if (size === undefined || size > most) return undefined
  if (typeof DecompressionStream === 'undefined') {
    const { inflateSynchronously } = await loadDeflate()
    return inflateSynchronously(bytes, most)
  }
  return inflateNatively(new Uint8Array(bytes.subarray(HEADER)), size).catch(() => undefined)
}

async function inflateNatively(
  deflated: Uint8Array<ArrayBuffer>,
  size: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks = new Blob([deflated]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const content = new Uint8Array(size)
  let length = 0
  const reader = chunks.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (length + next.value.length > size) {
      await reader.cancel()
      return undefined
    }
    content.set(next.value, length)
    length += next.value.length
  }
  return length === size ? content : undefined
}
