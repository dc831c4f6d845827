import { SkillshelfError } from '../../core/errors.js'
import type { SkillSource } from '../../source/source.js'

/** The error of a piece whose bytes are as they were published, and damaged or of another version. */
export function unreadablePiece(file: string, { name }: SkillSource): SkillshelfError {
  return new SkillshelfError('format', `${file} of ${name} cannot be read by this version`, {
    subject: file,
    hint: 'pack the skills again',
  })
}
