/**
 * A ready-made worker that serves transformers.js models.
 *
 * @packageDocumentation
 * @module skillshelf/thread/ready
 */

export { readyWorker } from '../../search/thread/transformers-worker.js'
