/** What opening asked of a place, and what came. */
export interface Counts {
  reads: number
  bytes: number
}

/** A place with skills, to be opened again and again. */
export interface Place {
  /** Starts what stands ready in earnest: workerd. */
  ready?(): Promise<unknown>
  open(): Promise<Opened>
  /** Since the last time. Left out where the host counts. */
  counts?(): Counts
  close?(): Promise<void>
}

export interface Opened {
  skills: number
  /** Whatever has to be kept for it: it is what the memory is measured of. */
  held: object
  close?(): Promise<void>
}

/** What one process measured of a place. Times in ms, sizes in bytes. */
export interface Opening extends Counts {
  skills: number
  /** In a process that has opened nothing yet: its code is loaded, and not yet compiled. */
  firstMs: number
  /** Left out where the first time was long enough to say all. */
  againMs?: number
  /** Held by what was opened last, after collection. */
  held: number
}
