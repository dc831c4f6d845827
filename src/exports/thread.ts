/**
 * Matching and embedding in a Web Worker.
 *
 * @packageDocumentation
 * @module skillshelf/thread
 */

export type { RuledOutVectors, Vectors } from '../search/index/vectors.js'
export type {
  LiveSegment,
  MatcherOptions,
  QueryVector,
} from '../search/match/skill-match.js'
export { serveEmbedder, threadEmbedder } from '../search/thread/embedder.js'
export { serveMatcher, threadMatcher } from '../search/thread/matcher.js'
export type { ThreadOptions, WorkerLike } from '../search/thread/protocol.js'
