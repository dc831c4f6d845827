/** What the model learns from: pairs of texts, and texts to count words in. */

export const KINDS = [
  'name', // name -> description
  'split', // first part of the description -> the rest
  'heading', // heading -> name and description
  'paragraph', // paragraph of the body -> name and description
  'phrase', // mined phrase -> name and description
  'translation', // Chinese -> English line
  'line', // Chinese line of the body -> name and Chinese description
  'cross', // Chinese description, heading, phrase or line -> name and English description of the same skill
  'gloss', // lemma -> gloss
  'synonym', // lemma -> synonym
  'software', // line of software or documentation -> English line
  'sense', // Chinese sense -> English word
  'word', // word -> English word
  'message', // message of a user -> name and description
  'held-out', // the same, to measure with: not learned
] as const
export type Kind = (typeof KINDS)[number]

export interface Pair {
  kind: Kind
  a: string
  b: string
  /** Pairs of one group are not negatives of each other. */
  group: string
  /** BCP 47 language of `a`, if known. */
  language?: string
}

/** A text for vocabulary and document counts. */
export interface Document {
  text: string
  /** BCP 47, if known. */
  language?: string
  /** `skill`: what background rarity is counted over; `other` only helps to choose the vocabulary. */
  kind: 'skill' | 'other'
  /**
   * Texts that it counts as.
   * @default 1
   */
  count?: number
}
