import type { Environment } from '../hook/hosts/host.js'
import { homeFolder } from '../hook/own-files.js'
import type { Io } from './io.js'

export function envOf(io: Io): Environment {
  return io.env ?? process.env
}

/** The home folder of the user. */
export function homeOf(io: Io): string {
  return homeFolder(io.env?.['HOME'])
}
