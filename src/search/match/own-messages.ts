import { messageTerm } from '../index/message-key.js'
import type { Segment } from '../index/open.js'
import { eachPosting } from '../index/postings.js'
import { type Candidate, createCandidate } from './candidates.js'
import type { CorpusStatistics } from './corpus-statistics.js'
import { likenessOf, type MessageFeatures, messageFeatures } from './message-likeness.js'
import type { QueryMatch } from './query-match.js'
import type { SearchedSegment } from './searched-segment.js'

// The author of a skill wrote down messages that need it. One that is equal to the user's message is a proof; one that is like it is evidence
// (`own` in score.ts). An index term of the whole message finds the equal ones, because their words may be in many other skills too.

/** A message of a skill, as it is compared with messages of users. */
export interface OwnMessage {
  text: string
  features: MessageFeatures
  /** Its vector in a space, made when it is compared: most messages of a skill are in another language than the user's. */
  embedded?: { space: string; vector: Float32Array }
}

/** Best candidates whose messages are compared. */
const COMPARED = 8
/** Skills of a segment whose messages are kept. */
const MAX_KEPT = 500
/** Relevance of a skill with an equal message, as a multiple of the best relevance without. */
const EQUAL_LEAD = 2

/** The messages of skills, by segment: the same skills are compared again and again. */
const kept = new WeakMap<Segment, Map<number, OwnMessage[]>>()

/** The messages of a skill. */
export function ownMessagesOf(
  segment: Segment,
  skill: number,
  corpus: CorpusStatistics,
): readonly OwnMessage[] {
  const ofSegment = kept.get(segment) ?? new Map<number, OwnMessage[]>()
  kept.set(segment, ofSegment)
  const known = ofSegment.get(skill)
  if (known) return known
  const read = segment
    .messagesOf(skill)
    .map(text => ({ text, features: messageFeatures(text, corpus) }))
  if (ofSegment.size >= MAX_KEPT) ofSegment.clear()
  ofSegment.set(skill, read)
  return read
}

/** Adds the live skills with a message that may equal the user's. */
export function addEqual(
  candidates: Candidate[],
  { query: { compared }, segments, only }: QueryMatch,
): void {
  const terms = compared.map(messageTerm)
  for (const [segmentIndex, { segment, dead, scores }] of segments.entries()) {
    for (const entry of terms.flatMap(term => segment.lexicon.find(term) ?? [])) {
      eachPosting(segment, entry, skill => {
        if (dead.has(skill) || (only && !only(segmentIndex, skill))) return
        const known = candidates.find(
          one => one.segmentIndex === segmentIndex && one.skill === skill,
        )
        const candidate = known ?? createCandidate(segmentIndex, skill, scores[skill] ?? 0)
        candidate.mayBeEqual = true
        if (!known) candidates.push(candidate)
      })
    }
  }
}

/**
 * Compares the user's message with those of the best candidates, and puts skills with an equal one first.
 * @param candidates Best first.
 */
export function compareOwnMessages(candidates: readonly Candidate[], match: QueryMatch): void {
  const { query, segments, corpus } = match
  let compared: readonly MessageFeatures[] | undefined
  const equalRelevance = EQUAL_LEAD * (candidates[0]?.relevance || 1)
  for (const [index, candidate] of candidates.entries()) {
    if (index >= COMPARED && !candidate.mayBeEqual) continue
    const { segment } = segments[candidate.segmentIndex] as SearchedSegment
    const messages = ownMessagesOf(segment, candidate.skill, corpus)
    if (messages.length === 0) continue
    compared ??= query.compared.map(message => messageFeatures(message, corpus))
    for (const { text, features } of messages) {
      const likeness = Math.max(...compared.map(one => likenessOf(one, features, corpus)))
      const isEqual = compared.some(({ key }) => key === features.key)
      if (isEqual || likeness > (candidate.own?.likeness ?? 0)) {
        candidate.own = { text, likeness, isEqual }
      }
      if (isEqual) break
    }
    if (candidate.own?.isEqual) candidate.relevance = equalRelevance
  }
}
