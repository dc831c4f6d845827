/**
 * How messages are matched: reasons and the words in them, rerankers, and matchers for other threads.
 *
 * @packageDocumentation
 * @module skillshelf/match
 */

export { findTerms, type TextRange } from '../core/text/find-terms.js'
export {
  type AskModel,
  type LlmRerankOptions,
  llmRerank,
  type RerankAnswer,
  type RerankCandidate,
  type Reranker,
} from '../search/decide/rerank.js'
export type { Stages } from '../search/match/create-matcher.js'
export { localMatcher } from '../search/match/hybrid.js'
export { namedTerms, reasonOf } from '../search/match/reason.js'
export type {
  FieldName,
  KeptBecause,
  Matcher,
  MatcherResult,
  RankedMatch,
  RerankNote,
  Rule,
  TermForm,
  TermSignal,
} from '../search/match/skill-match.js'
