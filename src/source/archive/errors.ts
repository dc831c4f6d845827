import { asSkillshelfError, SkillshelfError } from '../../core/errors.js'

const HINT = 'create or download the archive again'

/** An error of bytes that are not a valid archive. */
export function formatError(message: string, hint = HINT): SkillshelfError {
  return new SkillshelfError('format', message, { hint })
}

/** Wraps an error that a library threw for an invalid archive. */
export function asFormatError(error: unknown): SkillshelfError {
  return asSkillshelfError(error, 'format', 'The archive is broken', { hint: HINT })
}
