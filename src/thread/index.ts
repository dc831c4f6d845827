export { serveEmbedder, threadEmbedder } from './embedder.js'
export { serveMatcher, threadMatcher } from './matcher.js'
export type { ThreadOptions, WorkerLike } from './types.js'
