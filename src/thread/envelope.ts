import { type ErrorData, SkillshelfError } from '../core/errors.js'

/** What is left of an error that crosses: comlink alone would lose its code, details and cause. */
export type SentError = (ErrorData | { name: string; message: string }) & { cause?: SentError }

/** Causes that are followed: a chain may be a ring. */
const DEPTH = 8

export function packError(error: unknown, depth = DEPTH): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, cause } = error
  return {
    ...(error instanceof SkillshelfError ? error.toJSON() : { name, message }),
    ...(cause === undefined || depth === 0 ? {} : { cause: packError(cause, depth - 1) }),
  }
}

export function unpackError({ cause, ...sent }: SentError): Error {
  const error = 'code' in sent ? SkillshelfError.from(sent) : new Error(sent.message)
  if ('name' in sent) define(error, 'name', sent.name)
  if (cause) define(error, 'cause', unpackError(cause))
  return error
}

/** As the constructor of Error would: not listed among its own fields. */
function define(error: Error, key: 'name' | 'cause', value: unknown): void {
  Object.defineProperty(error, key, { value, configurable: true, writable: true })
}
