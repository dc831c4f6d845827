/** Names the formula below. A segment made by another one is rebuilt. */
export const SCORING = 'bm25f/1'

/** BM25F (Robertson, Zaragoza 2004): one frequency per term and skill over weighted fields, then saturation. */
export const K1 = 1.5
const B = 0.75

/** Fields in the order of the sequence. `average` is a constant of the analyzer, so that segments add up exactly. */
export const FIELDS = {
  name: { weight: 2, average: 3 },
  description: { weight: 1, average: 40 },
  body: { weight: 0.25, average: 650 },
} as const

/** Characters of a body that are read. */
export const BODY_LENGTH = 20_000

/** What one occurrence in a field of `length` terms adds to the term's frequency. */
export function occurrence(field: keyof typeof FIELDS, length: number): number {
  const { weight, average } = FIELDS[field]
  return weight / (1 - B + (B * length) / average)
}

/** The saturated frequency `tf * (k1 + 1) / (tf + k1)` as a byte, 1 to 255. */
export function toByte(frequency: number): number {
  return Math.max(1, Math.round((frequency / (frequency + K1)) * 255))
}

/** What a byte is worth: `weight * FROM_BYTE` is the saturated frequency. */
export const FROM_BYTE = (K1 + 1) / 255
