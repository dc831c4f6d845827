/** Every code an error of this library can carry. The set is closed: a host may switch over it. */
export type ErrorCode =
  | 'aborted' // the caller's signal fired
  | 'ambiguous-name' // several skills answer to the name; `candidates` lists their ids
  | 'closed' // the library or source was closed
  | 'conflict' // somebody else wrote meanwhile: read again and retry
  | 'format' // bytes are not in the format they should be in
  | 'invalid-input' // an argument is of the wrong type or out of range
  | 'invalid-path' // a path would leave its folder, or cannot be a path
  | 'model-failed' // a model could not be loaded or could not read a text
  | 'not-allowed' // whoever asks must not have this
  | 'not-loaded' // the skill is not open in this session
  | 'resource-not-found' // the skill is there, the file in it is not
  | 'skill-not-found'
  | 'source-failed' // the place could not be read: network, permission, digest
  | 'source-not-found' // nothing stands at the address
  | 'storage-full' // the place has no room left
  | 'thread-failed' // a Web Worker crashed, was terminated, or could not be loaded
  | 'too-large'
  | 'unsupported' // the source cannot do this

export interface ErrorDetails {
  /** What the caller passed: a name, a path, an address. */
  subject?: string
  /** Ids or paths the caller may have meant, best first. */
  candidates?: readonly string[]
  /** HTTP status, where there was one. */
  status?: number
  /** What it was reckoned by, such as tokens needed and left. */
  figures?: Readonly<Record<string, number>>
  /** One sentence on how to mend it. */
  hint?: string
}

/** The shape of an error as JSON: what crosses a thread or the wire. */
export interface ErrorData extends ErrorDetails {
  code: ErrorCode
  message: string
}

/** The one error class. `code` is stable, `message` is for people, `hint` says how to mend it. */
export class SkillshelfError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(details.hint ? `${message} (${details.hint})` : message, cause === undefined ? {} : { cause })
    this.name = code === 'aborted' ? 'AbortError' : 'SkillshelfError'
    this.code = code
    this.details = details
  }

  toJSON(): ErrorData {
    return { ...this.details, code: this.code, message: this.message }
  }

  /** The error that `toJSON` was called on, on the other side of a thread or the wire. */
  static from(data: ErrorData): SkillshelfError {
    const { code, message, hint, ...details } = data
    const bare = hint && message.endsWith(` (${hint})`) ? message.slice(0, -hint.length - 3) : message
    return new SkillshelfError(code, bare, hint ? { ...details, hint } : details)
  }
}

/** True for an error of this class with one of these codes (any code when none is given). */
export function isSkillshelfError(error: unknown, ...codes: ErrorCode[]): error is SkillshelfError {
  return error instanceof SkillshelfError && (codes.length === 0 || codes.includes(error.code))
}

/** True for a 4xx response other than 408 and 429. Many hosts answer 400 or 403 instead of 404 for missing files. */
export function isClientError(error: unknown): boolean {
  const { status } = isSkillshelfError(error, 'source-failed') ? error.details : {}
  return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429
}

/** Throws `aborted` (name `AbortError`, the signal's reason as cause) when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new SkillshelfError('aborted', 'The operation was aborted', {}, signal.reason)
}

/** Any thrown value as an error of this class; aborts keep their code. */
export function asSkillshelfError(
  error: unknown,
  code: ErrorCode,
  what: string,
  details: ErrorDetails = {},
): SkillshelfError {
  if (error instanceof SkillshelfError) return error
  if (error instanceof Error && error.name === 'AbortError')
    return new SkillshelfError('aborted', 'The operation was aborted', {}, error)
  return new SkillshelfError(code, `${what}: ${errorMessage(error)}`, details, error)
}

/** The message of any thrown value. */
export function errorMessage(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  return 'message' in error && typeof error.message === 'string' ? error.message : 'unknown'
}
