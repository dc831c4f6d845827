import type { Readable, Writable } from 'node:stream'
import progress from 'cli-progress'
import { errorMessage, isSkillshelfError } from '../../core/errors.js'
import { plainLine, visibleJson } from '../../core/sanitize.js'
import { terminalRow } from './terminal.js'

/** Input and output of a command. Tests pass their own to run commands in process. */
export interface Io {
  stdout(text: string): void
  stderr(text: string): void
  /** Writes to stdout as it is. Only for the content of a file, and never to a terminal. */
  unchanged?: ((text: string) => void) | undefined
  cwd: string
  /** Whether stdout is a terminal. Enables colors. */
  isTTY: boolean
  /** Width of the terminal. Default 80 for a terminal, otherwise 120. */
  columns?: number | undefined
  env?: Readonly<Record<string, string | undefined>> | undefined
  signal?: AbortSignal | undefined
  /** Terminal to draw progress bars on. Left out: no progress bars. */
  progress?: NodeJS.WritableStream | undefined
  /** Streams of `skillshelf mcp`. Default: stdin and stdout of the process. */
  streams?: { stdin: Readable; stdout: Writable } | undefined
}

/** Prints JSON. Hidden characters are escaped. */
export function printJson(io: Io, data: unknown): void {
  io.stdout(`${visibleJson(data, 2)}\n`)
}

/** A row, or rows. Long lists are not spread, because the stack has no room for as many arguments. */
type Rows = string | readonly string[]

/** Prints rows of text. A line break inside a row is shown as `[U+000A]`, so that no text starts a row of its own. */
export function printLines(io: Io, ...rows: readonly Rows[]): void {
  io.stdout(`${rows.flat().map(terminalRow).join('\n')}\n`)
}

/** Prints rows to stderr, as `printLines` does to stdout. */
export function printErrors(io: Io, ...rows: readonly Rows[]): void {
  io.stderr(`${rows.flat().map(terminalRow).join('\n')}\n`)
}

/** Formats a number with its noun: `1 skill`, `1,234 skills`. */
export function plural(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}

/** Formats a size in bytes: `12 bytes`, `3.4 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return plural(bytes, 'byte')
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

export interface ProgressBar {
  update(label: string, done: number, total: number | undefined): void
  /** Removes the bar. */
  stop(): void
}

/** Draws a progress bar on stderr, if that is a terminal, until the task ends. */
export async function withProgressBar<T>(
  io: Io,
  task: (bar: ProgressBar) => Promise<T>,
): Promise<T> {
  if (!io.progress) return task({ update: () => {}, stop: () => {} })
  const bar = new progress.SingleBar(
    {
      format: '{label} {bar} {value}/{total}',
      stream: io.progress,
      hideCursor: true,
      clearOnComplete: true,
      // SIGINT aborts the command, which stops the bar.
      gracefulExit: false,
      barsize: 30,
    },
    progress.Presets.shades_classic,
  )
  const update: ProgressBar['update'] = (label, done, total = done) => {
    if (!bar.isActive) bar.start(total, done, { label })
    bar.setTotal(total)
    bar.update(done, { label })
  }
  try {
    return await task({ update, stop: () => bar.stop() })
  } finally {
    bar.stop()
  }
}

/** Exit codes. `failed`: a check failed. `error`: invalid usage, or input that cannot be read. */
export const EXIT = { ok: 0, failed: 1, error: 2, aborted: 130 } as const

/** Prints an error to stderr, with `debug` its stack trace too. Returns the exit code. */
export function reportError(error: unknown, io: Io, debug: boolean): number {
  const aborted =
    isSkillshelfError(error, 'aborted') || (error instanceof Error && error.name === 'AbortError')
  const { message, hint } = aborted ? { message: 'interrupted' } : describeError(error)
  printErrors(io, `skillshelf: ${plainLine(message)}`)
  if (hint !== undefined) printErrors(io, `  ${plainLine(hint)}`)
  if (debug && error instanceof Error) io.stderr(`\n${stackTrace(error)}\n`)
  return aborted ? EXIT.aborted : EXIT.error
}

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'disk quota exceeded',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'part of the path is not a folder',
  EISDIR: 'is a folder',
  EEXIST: 'already exists',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'name too long',
  EMFILE: 'too many open files',
}

/** Describes a code of Node, such as `EACCES`. */
export function systemError(code: string): string {
  return SYSTEM_ERRORS[code] ?? code
}

/** Splits an error into its message and its hint. */
export function describeError(error: unknown): { message: string; hint?: string | undefined } {
  if (isSkillshelfError(error)) {
    const { hint } = error.details
    const { message } = error
    // The message of a SkillshelfError ends with its hint in parentheses.
    return { message: hint ? message.slice(0, -hint.length - 3) : message, hint }
  }
  if (error instanceof Error && 'code' in error && 'path' in error) {
    return { message: `Cannot use ${String(error.path)}: ${systemError(String(error.code))}` }
  }
  const message = errorMessage(error)
  return {
    message: `Unexpected error: ${message}`,
    hint: 'run the command again with --debug and report its output',
  }
}

/** Its message is one row, so that it cannot add frames. */
function stackTrace(error: Error): string {
  const { message, stack = String(error) } = error
  const start = stack.indexOf(message)
  const trace =
    start < 0
      ? plainLine(stack)
      : stack.slice(0, start) + plainLine(message) + stack.slice(start + message.length)
  return error.cause instanceof Error ? `${trace}\ncaused by ${stackTrace(error.cause)}` : trace
}
