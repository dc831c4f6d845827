import type { WorkerLike } from './protocol.js'

/**
 * Creates a worker that runs `transformers`. Its script ships with the package.
 * @returns A worker for the `worker` option of `threadEmbedder`.
 * @example
 * await library.upgrade(threadEmbedder({ worker: readyWorker, model: 'all-MiniLM-L6-v2' }))
 */
export function readyWorker(): WorkerLike {
  return new Worker(new URL('./transformers.worker.js', import.meta.url), { type: 'module' })
}
