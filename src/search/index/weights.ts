/** Names the formula and weights below. Change it with them: segments written with another name are rebuilt. */
export const SCORING = 'bm25f/1'

/** BM25F (Robertson, Zaragoza, Taylor 2004): weighted term frequencies are summed over the fields of a skill and then saturated. */
export const K1 = 1.5
const B = 0.75

/**
 * Where each field counts. Tags have no field: they are short and chosen with care, so they have the roles of others.
 *
 * | | BM25F field (`build.ts`) | forward list (`build.ts`): pairs | whole in the message (`match/bonuses.ts`) | vector (`embeddedSkill` in `build.ts`) |
 * |---|---|---|---|---|
 * | name, display name | name | head | bonus, `named` in the score, hit of `keyword` | name |
 * | tags | description | head | named in the reason, hit of `keyword` | name |
 * | description, when to use | description | head | | description |
 * | messages | message, each one alone | | | messages |
 * | body | body, `BODY_LENGTH` | body | | body |
 *
 * The head of a forward list also takes away doubt about a skill with messages (`HEAD_SHARE` in `match/score.ts`), and `match/signals.ts`
 * reads the fields that a reason names from it.
 *
 * Average lengths are constants: weights do not depend on other skills. Each message is a field, so many languages cost nothing.
 */
export const FIELDS = {
  name: { weight: 2, average: 3 },
  description: { weight: 1, average: 40 },
  body: { weight: 0.25, average: 650 },
  message: { weight: 0.6, average: 12 },
} as const

/** Maximum characters read from a body. */
export const BODY_LENGTH = 20_000

/** Length-normalized weight of one occurrence in a field of `length` terms: `weight / (1 - b + b * length / average)`. */
export function occurrenceWeight(field: keyof typeof FIELDS, length: number): number {
  const { weight, average } = FIELDS[field]
  return weight / (1 - B + (B * length) / average)
}

/** Quantizes the saturated frequency `tf * (k1 + 1) / (tf + k1)` to a byte, 1 to 255. */
export function toByte(frequency: number): number {
  return Math.max(1, Math.round((frequency / (frequency + K1)) * 255))
}

/** `byte * FROM_BYTE` is the saturated frequency. */
export const FROM_BYTE = (K1 + 1) / 255

/** Inverse document frequency, never negative, of a term that `df` of `n` documents contain. */
export function idfOf(n: number, df: number): number {
  return Math.log(1 + (n - df + 0.5) / (df + 0.5))
}
