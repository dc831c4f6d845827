import { analyze, TERM } from '../../core/text/analyze.js'
import type { Segment } from '../index/open.js'
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

/** Skills of a segment whose messages are kept as terms and vectors. */
const MAX_KEPT = 500

interface ReadMessage extends SimilarMessage {
  vector?: Float32Array
}

/** The messages of shown skills, by segment and by space of their vectors: the same skills are shown again and again. */
const kept = new WeakMap<Segment, Map<string, ReadMessage[]>>()

/** Finds the message of a skill that is most like the user's message, by words and by meaning. */
export function findSimilarMessage(
  segment: Segment,
  skill: number,
  queryTerms: readonly QueryTerm[],
  embedding: QueryEmbedding | undefined,
): SimilarMessage | undefined {
  const total = queryTerms.reduce((sum, { idf, weight }) => sum + idf * weight, 0)
  let best: (SimilarMessage & { value: number }) | undefined
  for (const { text, terms, vector } of readMessages(segment, skill, embedding)) {
    const covered = queryTerms.reduce((sum, { idf, weight, forms }) => {
      const shares = forms.map(({ term, share }) => (terms.has(term) ? share : 0))
      return sum + idf * weight * Math.max(0, ...shares)
    }, 0)
    const coverage = total > 0 ? covered / total : 0
    const cosine = vector ? dot(vector, embedding?.vector as Float32Array) : 0
    if (coverage < MIN_COVERAGE && cosine < MIN_COSINE) continue
    const value = coverage + cosine
    if (!best || value > best.value) best = { text, terms, value }
  }
  return best && { text: best.text, terms: best.terms }
}

function readMessages(segment: Segment, skill: number, embedding: QueryEmbedding | undefined): ReadMessage[] {
  const embed = embedding?.embedText
  const ofSegment = kept.get(segment) ?? new Map<string, ReadMessage[]>()
  kept.set(segment, ofSegment)
  const key = `${skill} ${embed ? embedding.space : ''}`
  const known = ofSegment.get(key)
  if (known) return known
  const read = segment
    .messagesOf(skill)
    .map(text => ({ text, terms: termsOf(text), ...(embed ? { vector: embed(text) } : {}) }))
  if (ofSegment.size >= MAX_KEPT) ofSegment.clear()
  // Zeros: a part of the model is not loaded yet.
  if (read.every(({ vector }) => !vector || vector.some(Boolean))) ofSegment.set(key, read)
  return read
}

/** The index terms of a text. */
export function termsOf(text: string): Set<string> {
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
