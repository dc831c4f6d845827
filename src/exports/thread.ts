/**
 * Matching and embedding in a Web Worker.
 *
 * @packageDocumentation
 * @module skillshelf/thread
 */

export { serveEmbedder, threadEmbedder } from '../thread/embedder.js'
export { serveMatcher, threadMatcher } from '../thread/matcher.js'
export type { ThreadOptions, WorkerLike } from '../thread/types.js'
