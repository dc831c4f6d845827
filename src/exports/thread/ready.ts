export { readyWorker } from '../../thread/ready.js'
