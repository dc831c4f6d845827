/** The world as a command sees it, so that tests can run commands in process. */
export interface Io {
  stdout(text: string): void
  stderr(text: string): void
  cwd: string
  /** Whether stdout is a terminal: then there are colours. */
  isTTY: boolean
  /** Columns of that terminal. */
  columns?: number
  env?: Readonly<Record<string, string | undefined>>
  signal?: AbortSignal | undefined
  /** Where progress is drawn: stderr, where that is a terminal. Left out: nowhere. */
  progress?: NodeJS.WritableStream
}

/** Prints data for programs. */
export function printJson(io: Io, data: unknown): void {
  io.stdout(`${JSON.stringify(data, undefined, 2)}\n`)
}

/** Prints lines for people. */
export function printLines(io: Io, ...lines: readonly string[]): void {
  io.stdout(`${lines.join('\n')}\n`)
}

/** `signal` as an option, present only where there is one. */
export function cancellable(io: Io): { signal?: AbortSignal | undefined } {
  return io.signal ? { signal: io.signal } : {}
}
