/**
 * Matching and embedding in a Web Worker.
 *
 * @packageDocumentation
 * @module skillshelf/thread
 */

export { serveEmbedder, threadEmbedder } from '../search/thread/embedder.js'
export { serveMatcher, threadMatcher } from '../search/thread/matcher.js'
export type { ThreadOptions, WorkerLike } from '../search/thread/types.js'
