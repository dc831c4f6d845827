/** The common part of a Web Worker and a MessagePort. */
export interface WorkerLike {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void
  addEventListener(type: string, listener: (event: { readonly type: string }) => void): void
  removeEventListener(type: string, listener: (event: { readonly type: string }) => void): void
  /** Opens a port. */
  start?(): void
  /** Closes a port. */
  close?(): void
  /** Ends a worker. */
  terminate?(): void
}

export interface ThreadOptions {
  /** Creates the worker. Called for each start, including the restart after a crash. */
  worker: () => WorkerLike
  /**
   * Timeout for the worker to load its script and become ready, in milliseconds.
   * @default 60000
   */
  startTimeout?: number | undefined
}
