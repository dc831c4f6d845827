/** A 16-bit hash of a word: FNV-1a, folded. A pair of words is identified by 32 bits. */
export function fingerprint(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 16) ^ (hash & 0xffff)
}

/** Separates texts in a sequence (name, tags, description, body), so that their words are not neighbors. Never a word's code. */
export const GAP = 0

/** A word's fingerprint in a sequence, never `GAP`. */
export function sequenceCode(text: string): number {
  return fingerprint(text) || 1
}

/** The index of the second word where two words are first neighbors in a sequence, or -1. */
export function indexOfPair(sequence: Uint16Array, first: number, second: number): number {
  for (
    let index = sequence.indexOf(second, 1);
    index >= 0;
    index = sequence.indexOf(second, index + 1)
  ) {
    if (sequence[index - 1] === first) return index
  }
  return -1
}
