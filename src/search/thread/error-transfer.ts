import { type ErrorData, SkillshelfError } from '../../core/errors.js'

/** An error as plain data. Comlink alone would drop its code, details and cause. */
export type SentError = (ErrorData | { name: string; message: string }) & { cause?: SentError }

/** Maximum causes followed, because a chain can be circular. */
const MAX_DEPTH = 8

export function packError(error: unknown, depth = MAX_DEPTH): SentError {
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

/** Non-enumerable, as the Error constructor defines it. */
function define(error: Error, key: 'name' | 'cause', value: unknown): void {
  Object.defineProperty(error, key, { value, configurable: true, writable: true })
}
