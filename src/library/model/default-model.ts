import { isWorker } from '../../core/platform.js'

/**
 * How a library that is opened without `embedder` gets the bundled model. It joins while the library is in use. A Worker does no work
 * outside of requests, so there it opens with the library.
 */
export function defaultModel(): 'joins' | 'opens' | undefined {
  return isWorker() ? 'opens' : 'joins'
}
