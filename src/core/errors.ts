/** Codes of `SkillshelfError`. The set is closed, so a `switch` over it can be exhaustive. */
export type ErrorCode =
  /** The signal of the caller fired. */
  | 'aborted'
  /** Several skills have this name. `candidates` lists their ids. */
  | 'ambiguous-name'
  /** The library or source was closed. */
  | 'closed'
  /** Another writer made a change in the meantime. Read again and retry. */
  | 'conflict'
  /** Data is not in the expected format. */
  | 'format'
  /** An argument or option has the wrong type or is out of range. */
  | 'invalid-input'
  /** A path leaves its folder or is malformed. */
  | 'invalid-path'
  /** A model failed to load or to embed a text. */
  | 'model-failed'
  /** A module that is loaded on demand is missing, for example because a deployment replaced it. */
  | 'module-failed'
  /** The caller has no permission. */
  | 'not-allowed'
  /** The skill is not loaded in this session. */
  | 'not-loaded'
  /** The skill exists, but the file does not. */
  | 'resource-not-found'
  /** No skill has this name or id. `candidates` lists similar names. */
  | 'skill-not-found'
  /** A source could not be read: network, permission or digest. */
  | 'source-failed'
  /** Nothing exists at the address of a source. */
  | 'source-not-found'
  /** The storage quota is exhausted. */
  | 'storage-full'
  /** A Web Worker failed to load, crashed or was terminated. */
  | 'thread-failed'
  /** A file, archive or request exceeds its limit. */
  | 'too-large'
  /** The source or platform does not support the operation. */
  | 'unsupported'
  /** A library that must be signed is unsigned, altered, older than one seen before, or signed by another key. Nothing of it is shown. */
  | 'untrusted'

/** Machine-readable details of a `SkillshelfError`. */
export interface ErrorDetails {
  /** The value in question: a name, path, address or option. */
  subject?: string
  /** Ids, names or paths that the caller may have meant, best first. */
  candidates?: readonly string[]
  /** HTTP status of the response, if any. */
  status?: number
  /** Numbers behind the error, such as tokens needed and tokens left. */
  figures?: Readonly<Record<string, number>>
  /** How to fix it, in one sentence. */
  hint?: string
}

/** A `SkillshelfError` as JSON, for workers and HTTP. */
export interface ErrorData extends ErrorDetails {
  code: ErrorCode
  message: string
}

/**
 * The error class of this library.
 *
 * `code` is stable and meant for programs; `message` is meant for people and may change. Aborted operations have the code `aborted` and
 * the name `AbortError`.
 * @example
 * ```ts
 * import { openLibrary, SkillshelfError } from 'skillshelf'
 *
 * const library = await openLibrary('/skills/')
 * try {
 *   await library.get('slides')
 * } catch (error) {
 *   if (error instanceof SkillshelfError && error.code === 'skill-not-found') console.log(error.details.candidates)
 *   else throw error
 * }
 * ```
 */
export class SkillshelfError extends Error {
  /** Stable code of the error. */
  readonly code: ErrorCode
  /** The subject of the error, and how to fix it. */
  readonly details: ErrorDetails

  /**
   * @param message What happened, and to what. The hint is appended in parentheses.
   * @param details Default `{}`.
   */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(
      details.hint ? `${message} (${details.hint})` : message,
      cause === undefined ? {} : { cause },
    )
    this.name = code === 'aborted' ? 'AbortError' : 'SkillshelfError'
    this.code = code
    this.details = details
  }

  /** Returns the error as plain data. */
  toJSON(): ErrorData {
    return { ...this.details, code: this.code, message: this.message }
  }

  /** Restores an error from the result of `toJSON`. */
  static from(data: ErrorData): SkillshelfError {
    const { code, message, hint, ...details } = data
    const bare =
      hint && message.endsWith(` (${hint})`) ? message.slice(0, -hint.length - 3) : message
    return new SkillshelfError(code, bare, hint ? { ...details, hint } : details)
  }
}

/** The error of an argument or option that cannot be used. */
export function invalidInput(message: string, hint?: string): SkillshelfError {
  return new SkillshelfError('invalid-input', message, hint ? { hint } : {})
}

/** True for a `SkillshelfError` with one of the given codes, or with any code if none is given. */
export function isSkillshelfError(error: unknown, ...codes: ErrorCode[]): error is SkillshelfError {
  return error instanceof SkillshelfError && (codes.length === 0 || codes.includes(error.code))
}

/** True for a 4xx response other than 408 and 429. Many hosts answer 400 or 403 instead of 404 for missing files. */
export function isClientError(error: unknown): boolean {
  const { status } = isSkillshelfError(error, 'source-failed') ? error.details : {}
  return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429
}

/** Throws if the signal has fired. @throws SkillshelfError `aborted`, with the reason of the signal as `cause`. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new SkillshelfError('aborted', 'The operation was aborted', {}, signal.reason)
  }
}

/** Wraps any thrown value: `code` for foreign errors, `aborted` for an `AbortError`. `context`: the failed operation, before a colon. */
export function asSkillshelfError(
  error: unknown,
  code: ErrorCode,
  context: string,
  details: ErrorDetails = {},
): SkillshelfError {
  if (error instanceof SkillshelfError) return error
  if (error instanceof Error && error.name === 'AbortError') {
    return new SkillshelfError('aborted', 'The operation was aborted', {}, error)
  }
  return new SkillshelfError(code, `${context}: ${errorMessage(error)}`, details, error)
}

/** The message of any thrown value. */
export function errorMessage(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  return 'message' in error && typeof error.message === 'string' ? error.message : 'unknown'
}
