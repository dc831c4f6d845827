/** A 16-bit hash of a word (FNV-1a, folded): two neighbouring words are told apart by 32 bits. */
export function fingerprint(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 16) ^ (hash & 0xffff)
}

/** Stands between texts that are not neighbours: name, tags, description, body. No word has it. */
export const GAP = 0

/** A word's fingerprint in a sequence, never `GAP`. */
export function sequenceCode(text: string): number {
  return fingerprint(text) || 1
}
