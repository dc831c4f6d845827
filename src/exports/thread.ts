/** Matching and embedding in a Web Worker. */
export { serveEmbedder, threadEmbedder } from '../thread/embedder.js'
export { serveMatcher, threadMatcher } from '../thread/matcher.js'
export type { ThreadOptions, WorkerLike } from '../thread/types.js'
