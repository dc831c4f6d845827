import { analyze, TERM } from '../text/analyze.js'
import type { QueryTerm } from './query.js'
import type { QueryEmbedding } from './query-embedding.js'

/** A message of a skill that is like the user's. */
export interface SimilarMessage {
  text: string
  /** Terms of the message. */
  terms: ReadonlySet<string>
}

/** Minimum share of the query's idf that a message must cover, and minimum cosine without that. */
const MIN_COVERAGE = 0.3
const MIN_COSINE = 0.5

/** Finds the message of a skill that is most like the user's message, by words and by meaning. */
export function findSimilarMessage(
  messages: readonly string[],
  queryTerms: readonly QueryTerm[],
  embedding: Pick<QueryEmbedding, 'vector' | 'embedText'> | undefined,
): SimilarMessage | undefined {
  const total = queryTerms.reduce((sum, { idf, weight }) => sum + idf * weight, 0)
  let best: (SimilarMessage & { value: number }) | undefined
  for (const text of messages) {
    const terms = termsOf(text)
    const covered = queryTerms.reduce((sum, { term, idf, weight }) => sum + (terms.has(term) ? idf * weight : 0), 0)
    const coverage = total > 0 ? covered / total : 0
    const vector = embedding?.embedText?.(text)
    const cosine = vector ? dot(vector, embedding?.vector as Float32Array) : 0
    if (coverage < MIN_COVERAGE && cosine < MIN_COSINE) continue
    const value = coverage + cosine
    if (!best || value > best.value) best = { text, terms, value }
  }
  return best && { text: best.text, terms: best.terms }
}

function termsOf(text: string): Set<string> {
  const terms = new Set<string>()
  analyze(text, (term, kind) => {
    if (kind & TERM) terms.add(term)
  })
  return terms
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] as number) * (b[index] as number)
  return sum
}
