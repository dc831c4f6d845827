import type { WorkerLike } from './types.js'

/** A worker that serves `transformers`, for `threadEmbedder({ worker: readyWorker, ... })`: its script comes with the package. */
export function readyWorker(): WorkerLike {
  return new Worker(new URL('./ready.worker.js', import.meta.url), { type: 'module' })
}
