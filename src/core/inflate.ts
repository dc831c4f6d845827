import { HEADER, inflatedSize } from './deflated.js'
import { onDemand } from './load-module.js'

const loadDeflate = onDemand(() => import('./deflate.js'))

/**
 * Inflates, by the platform where it can. `undefined` if the bytes are damaged.
 * @param most Bytes that they may have then
 */
export async function inflate(
  bytes: Uint8Array,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const size = inflatedSize(bytes)
  if (size === undefined || size > most) return undefined
  const platform = createInflater()
  if (platform) {
    const deflated = new Uint8Array(bytes.subarray(HEADER))
    return inflateBy(platform, deflated, size).catch(() => undefined)
  }
  const { inflateSynchronously } = await loadDeflate()
  return inflateSynchronously(bytes, most)
}

/** The platform inflates in a tenth of the time of a script that is not compiled yet, as in the first message of an isolate. */
function createInflater(): DecompressionStream | undefined {
  try {
    return new DecompressionStream('deflate-raw')
  } catch {
    return undefined
  }
}

/** Inflates to `size` bytes; `undefined` if there are more or fewer. */
async function inflateBy(
  { readable, writable }: DecompressionStream,
  deflated: Uint8Array<ArrayBuffer>,
  size: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const writer = writable.getWriter()
  // Its errors are those of the reader, too.
  writer.write(deflated).catch(() => undefined)
  writer.close().catch(() => undefined)
  const content = new Uint8Array(size)
  const reader = readable.getReader()
  let length = 0
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
