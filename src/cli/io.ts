/** Input and output of a command. Tests pass their own to run commands in process. */
export interface Io {
  stdout(text: string): void
  stderr(text: string): void
  cwd: string
  /** Whether stdout is a terminal. Enables colors. */
  isTTY: boolean
  /** Width of the terminal. Default 80 for a terminal, otherwise 120. */
  columns?: number | undefined
  env?: Readonly<Record<string, string | undefined>> | undefined
  signal?: AbortSignal | undefined
  /** Terminal to draw progress bars on. Left out: no progress bars. */
  progress?: NodeJS.WritableStream | undefined
}

export function printJson(io: Io, data: unknown): void {
  io.stdout(`${JSON.stringify(data, undefined, 2)}\n`)
}

export function printLines(io: Io, ...lines: readonly string[]): void {
  io.stdout(`${lines.join('\n')}\n`)
}
