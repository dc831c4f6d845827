import type { Counts } from '../types.js'

// Results of the tasks of the page. Times in ms, sizes in bytes.

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
  /** From the start of loading the page to the matches. */
  atMs: number
  first: string
}
