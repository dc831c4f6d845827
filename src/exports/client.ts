/**
 * A library behind HTTP.
 *
 * @packageDocumentation
 * @module skillshelf/client
 */

export { connectLibrary } from '../client/connect.js'
export type { ConnectOptions } from '../client/options.js'
