import { type ErrorCode, errorMessage, isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { plainLine, showHidden } from '../../core/sanitize.js'
import type { Io } from './io.js'

/** Exit codes. `failed`: a check failed. `error`: invalid usage, or input that cannot be read. */
export const EXIT = { ok: 0, failed: 1, error: 2, aborted: 130 } as const

/** An error that ends a command with a message and a hint on how to fix it. */
export function commandError(message: string, hint?: string, code: ErrorCode = 'invalid-input'): SkillshelfError {
  return new SkillshelfError(code, message, hint === undefined ? {} : { hint })
}

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
