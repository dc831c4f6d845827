/** Reads of a source and their bytes. */
export interface Counts {
  reads: number
  bytes: number
}

/** A source of skills that can be opened repeatedly. */
export interface Target {
  /** Starts workerd before measuring. */
  start?(): Promise<unknown>
  open(): Promise<OpenedTarget>
  /** Counts since the last call. Absent if the host counts. */
  counts?(): Counts
  close?(): Promise<void>
}

export interface OpenedTarget {
  skills: number
  /** The object whose memory is measured. */
  held: object
  close?(): Promise<void>
}

/** Measurements of one source. Times in ms, sizes in bytes. */
export interface Opening extends Counts {
  skills: number
  /** First opening in a process: the code is loaded but not compiled. */
  firstMs: number
  /** Absent if the first opening was slow. */
  againMs?: number
  /** Memory of the last opened library, after garbage collection. */
  held: number
}
