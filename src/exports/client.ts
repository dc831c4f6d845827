/** A library behind HTTP, as one in this process. */
export { connectLibrary } from '../client/connect.js'
export type { ConnectOptions } from '../client/options.js'
