/** A library behind HTTP, as one in this process. */
export { connectLibrary } from './connect.js'
export type { ConnectOptions } from './options.js'
