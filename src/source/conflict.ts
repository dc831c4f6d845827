import { SkillshelfError } from '../core/errors.js'

/** Says that a file has not the version any more that a change was made from. */
export function conflictError(source: string, path: string): SkillshelfError {
  return new SkillshelfError('conflict', `${path} of ${source} was written by somebody else meanwhile`, {
    subject: path,
    status: 412,
    hint: 'read it again and retry',
  })
}
