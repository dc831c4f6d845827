/** The fields of a tar header that modern-tar does not expose. It treats every unknown type as a file. */
export interface TarHeaderInfo {
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
export function createTarHeaderScanner(): { push(chunk: Uint8Array): void; next(): TarHeaderInfo | undefined } {
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
  if ((field[0] as number) & 0x80)
    return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, (field[0] as number) & 0x7f)
  const digits = /^[ ]*([0-7 ]*)/.exec(new TextDecoder().decode(field))?.[1]?.replaceAll(' ', '')
  return digits ? Number.parseInt(digits, 8) : 0
}
