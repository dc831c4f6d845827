import type { Readable, Writable } from 'node:stream'
import progress from 'cli-progress'
import { errorMessage, isSkillshelfError } from '../../core/errors.js'
import { plainLine, showHidden, visibleJson } from '../../core/sanitize.js'

/** The sequences of picocolors. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colors are control sequences
const COLOR = /(\u001b\[(?:[12]|22|3[1-9])m)/

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
  /** Streams of `skillshelf mcp`. Default: stdin and stdout of the process. */
  streams?: { stdin: Readable; stdout: Writable } | undefined
}

/** Prints JSON. Hidden characters are escaped. */
export function printJson(io: Io, data: unknown): void {
  io.stdout(`${visibleJson(data, 2)}\n`)
}

/** Prints lines of text. Hidden characters are shown; the colors of a terminal stay. */
export function printLines(io: Io, ...lines: readonly string[]): void {
  const text = lines.join('\n')
  const visible = io.isTTY
    ? text.split(COLOR).map((part, index) => (index % 2 === 0 ? showHidden(part) : part))
    : [showHidden(text)]
  io.stdout(`${visible.join('')}\n`)
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
export async function withProgressBar<T>(io: Io, task: (bar: ProgressBar) => Promise<T>): Promise<T> {
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
  const aborted = isSkillshelfError(error, 'aborted') || (error instanceof Error && error.name === 'AbortError')
  const { message, hint } = aborted ? { message: 'interrupted' } : describeError(error)
  io.stderr(`skillshelf: ${plainLine(message)}\n`)
  if (hint !== undefined) io.stderr(`  ${plainLine(hint)}\n`)
  if (debug && error instanceof Error) io.stderr(`\n${showHidden(stackTrace(error))}\n`)
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
  return { message: `Unexpected error: ${message}`, hint: 'run the command again with --debug and report its output' }
}

function stackTrace(error: Error): string {
  const stack = error.stack ?? String(error)
  return error.cause instanceof Error ? `${stack}\ncaused by ${stackTrace(error.cause)}` : stack
}
