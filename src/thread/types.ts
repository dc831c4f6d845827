/** A Web Worker, or either end of a MessageChannel: what both have in common. */
export interface WorkerLike {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void
  addEventListener(type: string, listener: (event: { readonly type: string }) => void): void
  removeEventListener(type: string, listener: (event: { readonly type: string }) => void): void
  /** Of a port: opens it. */
  start?(): void
  /** Of a port: closes it. */
  close?(): void
  /** Of a worker: ends it. */
  terminate?(): void
}

export interface ThreadOptions {
  /** Makes the worker, each time one is needed: at the start, and again after one has died. */
  worker: () => WorkerLike
  /** Milliseconds that the script of the worker has to load and serve. Default 60,000. */
  startTimeout?: number | undefined
}
