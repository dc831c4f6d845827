import { createPublishClient, type PublishClient } from '../../server/client/publish.js'
import { commandError } from './errors.js'
import type { Io } from './io.js'

/** Creates the client of a server that skills are written to. */
export function writeClient(io: Io, to: string, token?: string): PublishClient {
  return createPublishClient(to, writeToken(io, token), io.signal)
}

/** The write token of an option or the environment. */
export function writeToken(io: Io, token = io.env?.['SKILLSHELF_TOKEN'] ?? ''): string {
  if (token.trim() === '')
    throw commandError('A write token is required', 'set SKILLSHELF_TOKEN to the write token of the server')
  return token.trim()
}
