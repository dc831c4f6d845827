/** A ready-made worker that serves transformers.js models. */
export { readyWorker } from '../../thread/ready.js'
