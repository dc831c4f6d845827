import { createPublishClient, type PublishClient } from '../client/publish.js'
import { commandError } from './errors.js'
import type { Io } from './io.js'

/** Creates the client of a server that skills are written to. */
export function writeClient(io: Io, to: string, token = io.env?.['SKILLSHELF_TOKEN'] ?? ''): PublishClient {
  if (token.trim() === '')
    throw commandError('A write token is required', 'set SKILLSHELF_TOKEN to the write token of the server')
  return createPublishClient(to, token.trim(), io.signal)
}
