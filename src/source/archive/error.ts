import { asSkillshelfError, SkillshelfError } from '../../core/errors.js'

/** What cannot be read as an archive. */
export function broken(what: string, hint = 'make the archive again, or fetch it again'): SkillshelfError {
  return new SkillshelfError('format', what, { hint })
}

/** Whatever a library threw at bytes that are no archive, as the one error a caller sees. */
export function asBroken(error: unknown, what = 'The archive is broken'): SkillshelfError {
  return asSkillshelfError(error, 'format', what, { hint: 'make the archive again, or fetch it again' })
}
