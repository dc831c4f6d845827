import { type ErrorCode, errorMessage, isSkillshelfError, SkillshelfError } from '../core/errors.js'
import type { Io } from './io.js'
import { singleLine } from './text.js'

export const EXIT = { ok: 0, failed: 1, error: 2, aborted: 130 } as const

/** What a command throws when it cannot do what it was asked. */
export function commandError(message: string, hint?: string, code: ErrorCode = 'invalid-input'): SkillshelfError {
  return new SkillshelfError(code, message, hint === undefined ? {} : { hint })
}

/** Tells a person what went wrong, and gives the exit code. A stack trace only where it was asked for. */
export function reportError(error: unknown, io: Io, debug: boolean): number {
  const stopped = isSkillshelfError(error, 'aborted') || (error instanceof Error && error.name === 'AbortError')
  const { message, hint } = stopped ? { message: 'stopped', hint: undefined } : describeError(error)
  io.stderr(`skillshelf: ${singleLine(message)}\n`)
  if (hint !== undefined) io.stderr(`  ${singleLine(hint)}\n`)
  if (debug && error instanceof Error) io.stderr(`\n${traceOf(error)}\n`)
  return stopped ? EXIT.aborted : EXIT.error
}

const SYSTEM: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  EEXIST: 'it exists already',
  ELOOP: 'its links lead round in a circle',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
}

/** What went wrong, and how to mend it, apart. */
export function describeError(error: unknown): { message: string; hint: string | undefined } {
  if (isSkillshelfError(error)) {
    const { hint } = error.details
    const { message } = error
    // The message of a SkillshelfError ends with its hint in brackets.
    return { message: hint ? message.slice(0, -hint.length - 3) : message, hint }
  }
  if (error instanceof Error && 'code' in error && 'path' in error) {
    const why = SYSTEM[String(error.code)] ?? String(error.code)
    return { message: `${String(error.path)} cannot be used: ${why}`, hint: undefined }
  }
  const message = errorMessage(error)
  return {
    message: `something went wrong that should not: ${message}`,
    hint: 'run it again with --debug and report what it prints',
  }
}

function traceOf(error: Error): string {
  const own = error.stack ?? String(error)
  return error.cause instanceof Error ? `${own}\ncaused by ${traceOf(error.cause)}` : own
}
