import { http } from '../../src/exports/index.js'
import { openTarget } from './files.js'
import type { Target } from './types.js'

/** A URL. The host counts requests. */
export function httpTarget(address: string): Target {
  return { open: () => openTarget(http(address)) }
}
