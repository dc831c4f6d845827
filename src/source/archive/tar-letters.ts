/** What the header of a tar entry says that modern-tar does not pass on: it takes every kind it does not know for a file. */
export interface TarLetter {
  /** The type flag: one character. */
  letter: string
  /** Bytes, as the header itself has it. */
  size: number
}

const BLOCK = 512
/** Entries that describe the next one. */
const ABOUT = new Set(['x', 'g', 'L', 'K'])
/** Links, devices, folders: nothing follows their header, whatever size it has. */
const BODYLESS = new Set(['1', '2', '3', '4', '5', '6'])

/** Watches the bytes of a tar go by, and notes the letter of each entry. */
export function tarLetters(): { push(piece: Uint8Array): void; next(): TarLetter | undefined } {
  const noted: TarLetter[] = []
  const header = new Uint8Array(BLOCK)
  let filled = 0
  let skip = 0
  let ended = false
  const note = (): void => {
    ended = header.every(byte => byte === 0)
    if (ended) return
    const letter = String.fromCharCode(header[156] as number)
    const size = sizeOf(header)
    skip = BODYLESS.has(letter) ? 0 : Math.ceil(size / BLOCK) * BLOCK
    if (!ABOUT.has(letter)) noted.push({ letter, size })
  }
  return {
    push(piece) {
      for (let at = 0; at < piece.length && !ended; ) {
        const rest = piece.length - at
        if (skip > 0) {
          const step = Math.min(skip, rest)
          skip -= step
          at += step
          continue
        }
        const step = Math.min(BLOCK - filled, rest)
        header.set(piece.subarray(at, at + step), filled)
        filled += step
        at += step
        if (filled < BLOCK) continue
        filled = 0
        note()
      }
    },
    next: () => noted.shift(),
  }
}

/** Octal digits, or a big number behind a set bit. What is neither is told by modern-tar. */
function sizeOf(header: Uint8Array): number {
  const field = header.subarray(124, 136)
  if ((field[0] as number) & 0x80)
    return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, (field[0] as number) & 0x7f)
  const digits = /^[ ]*([0-7 ]*)/.exec(new TextDecoder().decode(field))?.[1]?.replaceAll(' ', '')
  return digits ? Number.parseInt(digits, 8) : 0
}
