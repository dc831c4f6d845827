/**
 * A library behind HTTP.
 *
 * @packageDocumentation
 * @module skillshelf/client
 */

export { connectLibrary } from '../server/client/connect.js'
export type { ConnectOptions } from '../server/client/http-client.js'
