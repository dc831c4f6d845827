import { lazy } from '../../core/concurrency.js'
import { termsOf } from '../../core/text/analyze.js'
import { isSpaced } from '../../core/text/character-classes.js'
import type { Segment } from '../index/open.js'
import { divideRuledOut, type RuledOut } from '../index/ruled-out.js'
import type { Candidate, RuledOutMessage } from './candidates.js'
import type { CorpusStatistics } from './corpus-statistics.js'
import { likenessOf, type MessageFeatures, messageFeatures } from './message-likeness.js'
import { similaritiesTo } from './nearest-skills.js'
import type { QueryEmbedding } from './query-embedding.js'
import type { QueryMatch } from './query-match.js'
import type { QueryTerm } from './query-terms.js'
import type { SearchedSegment } from './searched-segment.js'
import { cosineOf, quantizeQuery } from './vector-scan.js'

// Authors say what their skills are not for ("Do NOT use for maps"), and write down messages that must not find them. A message that is near
// to them is evidence against the skill, however near it is to the rest: near misses share words with a skill, which is why their authors
// rule them out.

/** What an author rules out, as it is compared with messages. */
interface Clauses extends RuledOut {
  /** Terms of the clauses. */
  terms: ReadonlySet<string>
  messages: readonly MessageFeatures[]
  /** Each clause and message with its terms. */
  lines: readonly { text: string; terms: ReadonlySet<string> }[]
}

/** Best candidates that are compared. */
const COMPARED = 8
/** Skills of a segment whose clauses are kept. */
const MAX_KEPT = 500

/** Characters of a clause that a reason quotes. */
const MAX_QUOTED = 120

/**
 * How much it counts that a message is nearer to messages that a skill is not for than to the skill, and from which difference on; the
 * same for likeness by words. Fitted on near misses of authors too, half of which were written down.
 */
const NEARER = 15
const CLEARLY = 0.05
const LIKE = 15
const UNLIKE = 0.25
/** How much the share of a message's words that the clauses have, and the cosine, count against a skill: fitted on near misses of authors. */
const WORDS = 5.5
const COSINE = 4.3
/** Messages that a skill serves are as near as this. */
const USUAL = 1
/** The same where the vector is that of clauses and messages: they are nearer to all that is said of the skill. */
const USUAL_OF_BOTH = 1.7
/** From here on a reason names the clause. */
const NOTED = 1
/** How much relevance a skill loses for it. */
const LOSS = 0.03
/** What counts against a skill that is not for just this message. */
const EQUAL = Number.POSITIVE_INFINITY
/** What is left of the relevance of such a skill: it ranks last. */
const REJECTED = 1e-6

const kept = new WeakMap<Segment, Map<number, Clauses | undefined>>()

/** Says of the best candidates how far their authors rule the message out, and lowers their relevance. @param candidates Best first. */
export function weighRuledOut(candidates: readonly Candidate[], match: QueryMatch): void {
  // Few skills have messages to compare with.
  const compared = lazy(() => match.query.compared.map(one => messageFeatures(one, match.corpus)))
  const comparing = { ...match, compared }
  for (const [index, candidate] of candidates.entries()) {
    const isCompared = index < COMPARED
    if (!isCompared && !candidate.mayBeEqual) continue
    const { segment } = match.segments[candidate.segmentIndex] as SearchedSegment
    const clauses = clausesOf(segment, candidate.skill, match.corpus)
    const against = clauses ? weighClauses(clauses, candidate, comparing) : 0
    // Of others, only an equal message counts.
    if (clauses && against > (isCompared ? 0 : Number.MAX_VALUE)) {
      candidate.ruledOut = { against, text: nearestClause(match.terms, clauses) }
      candidate.relevance *= Math.max(REJECTED, Math.exp(-LOSS * against))
    }
  }
}

/** Whether what an author rules out is worth a word in the reason. */
export function isNoted(ruledOut: Candidate['ruledOut']): ruledOut is RuledOutMessage {
  return ruledOut !== undefined && ruledOut.against >= NOTED
}

/** Whether a skill is not for just this message. */
export function isRejected({ ruledOut }: Pick<Candidate, 'ruledOut'>): boolean {
  return ruledOut?.against === EQUAL
}

function weighClauses(
  clauses: Clauses,
  candidate: Candidate,
  match: QueryMatch & { compared(): MessageFeatures[] },
): number {
  const { terms, messages } = clauses
  const { segments, embeddings, corpus } = match
  const { segment } = segments[candidate.segmentIndex] as SearchedSegment
  const model = [embeddings.embedding, embeddings.second].find(
    one => one?.space === segment.vectors?.space,
  )
  const cosine = cosineTo(clauses, model)
  const byClauses = WORDS * sharedPart(match.terms, terms) + COSINE * cosine
  if (messages.length === 0) return Math.max(0, byClauses - USUAL)
  const compared = match.compared()
  if (compared.some(one => messages.some(({ key }) => key === one.key))) return EQUAL
  const likeness = Math.max(
    ...compared.flatMap(one => messages.map(other => likenessOf(one, other, corpus))),
  )
  const similarity = model ? (similaritiesTo([candidate], model, segments)[0] as number) : 0
  return (
    (terms.size > 0 ? Math.max(0, byClauses - USUAL_OF_BOTH) : 0) +
    NEARER * Math.max(0, cosine - similarity - CLEARLY) +
    LIKE * Math.max(0, likeness - UNLIKE)
  )
}

function clausesOf(segment: Segment, skill: number, corpus: CorpusStatistics): Clauses | undefined {
  const ofSegment = kept.get(segment) ?? new Map<number, Clauses | undefined>()
  kept.set(segment, ofSegment)
  if (ofSegment.has(skill)) return ofSegment.get(skill)
  const ruledOut = segment.ruledOutOf(skill)
  const clauses = ruledOut && readClauses(ruledOut, corpus)
  if (ofSegment.size >= MAX_KEPT) ofSegment.clear()
  ofSegment.set(skill, clauses)
  return clauses
}

function readClauses(ruledOut: RuledOut, corpus: CorpusStatistics): Clauses {
  const { clauses, messages } = divideRuledOut(ruledOut.text)
  return {
    ...ruledOut,
    terms: termsOf(clauses.join('\n')),
    messages: messages.map(text => messageFeatures(text, corpus)),
    lines: [...clauses, ...messages].map(text => ({ text, terms: termsOf(text) })),
  }
}

/** The clause or message that has most words of a message, not longer than a reason may quote. */
function nearestClause(terms: readonly QueryTerm[], { lines }: Clauses): string {
  const shares = lines.map(line => sharedPart(terms, line.terms))
  const { text } = lines[shares.indexOf(Math.max(...shares))] as Clauses['lines'][number]
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 1)}…` : text
}

/** The part of the words of a message that a text has, by their rarity in skills at large. */
function sharedPart(terms: readonly QueryTerm[], others: ReadonlySet<string>): number {
  let all = 0
  let shared = 0
  for (const { term, corpusIdf, weight, forms } of terms) {
    // A single ideograph is seldom a word.
    if (weight !== 1 || (!isSpaced(term) && term.length === 1)) continue
    all += corpusIdf
    if (forms.some(form => others.has(form.term))) shared += corpusIdf
  }
  return all === 0 ? 0 : shared / all
}

function cosineTo({ vector }: RuledOut, model: QueryEmbedding | undefined): number {
  if (!vector || vector.bytes.length !== model?.vector.length) return 0
  const { bytes, scale } = vector
  const row = { bytes, scales: Float32Array.of(scale), dimensions: bytes.length }
  return cosineOf(quantizeQuery(model.vector), row, 0)
}
