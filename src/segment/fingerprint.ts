/** A 16-bit hash of a word (FNV-1a, folded): two neighbouring words are told apart by 32 bits. */
export function fingerprint(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 16) ^ (hash & 0xffff)
}

/** Stands between texts that are not neighbours: name, tags, description, body. No word has it. */
export const GAP = 0

/** Where two neighbours stand first in a sequence: the index of the second, or -1. The platform's own search passes over the rest. */
export function placeOfPair(sequence: Uint16Array, first: number, second: number): number {
  for (let at = sequence.indexOf(second, 1); at >= 0; at = sequence.indexOf(second, at + 1))
    if (sequence[at - 1] === first) return at
  return -1
}

/** A word's fingerprint in a sequence, never `GAP`. */
export function sequenceCode(text: string): number {
  return fingerprint(text) || 1
}
