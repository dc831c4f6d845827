import { http } from '../../src/exports/index.js'
import { opened } from './files.js'
import type { Place } from './place.js'

/** An address. The host counts. */
export function httpPlace(address: string): Place {
  return { open: () => opened(http(address)) }
}
