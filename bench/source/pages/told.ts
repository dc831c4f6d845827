import type { Counts } from '../place.js'

// What the page says of each task. Times in ms, sizes in bytes.

export interface Installed {
  ms: number
  skills: number
  files: number
  bytes: number
}

export interface KeptOpening extends Counts {
  ms: number
  skills: number
}

export interface Fetched {
  ms: number
  skills: number
}

export interface Matched {
  openMs: number
  matchMs: number
  /** From the beginning of the page's loading to the answer. */
  atMs: number
  first: string
}
