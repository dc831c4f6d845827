import { homedir } from 'node:os'
import type { Environment } from '../hook/hosts/host.js'
import type { Io } from './io.js'

export function envOf(io: Io): Environment {
  return io.env ?? process.env
}

/** The home folder of the user. */
export function homeOf(io: Io): string {
  return envOf(io)['HOME'] ?? homedir()
}
