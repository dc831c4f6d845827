import { isWorker } from '../../core/platform.js'

/** How a library opened without `embedder` gets the bundled model: in use; in a Worker, which works in requests only, when it opens. */
export function defaultModel(): 'joins' | 'opens' | undefined {
  return isWorker() ? 'opens' : 'joins'
}
