/**
 * Embedding in a Web Worker.
 *
 * @packageDocumentation
 * @module skillshelf/thread
 */

export { serveEmbedder, threadEmbedder } from '../search/thread/embedder.js'
export type { ThreadOptions, WorkerLike } from '../search/thread/protocol.js'
