import { SkillshelfError } from '../core/errors.js'

/** The file that makes a folder a packed library. It names every other file by digest, so it is written last. */
export const CATALOG_FILE = 'skillshelf.json'

/** The error of a conditional write whose catalog has changed since it was read. */
export function conflictError(source: string, path: string = CATALOG_FILE): SkillshelfError {
  return new SkillshelfError('conflict', `${path} of ${source} was changed by another writer`, {
    subject: path,
    status: 412,
    hint: 'read it again and retry',
  })
}

/** The error of a change that other writers overtook too often. */
export function lostRaceError(source: string, verb: string, attempts: number): SkillshelfError {
  return new SkillshelfError(
    'conflict',
    `${source} was not ${verb}: other writers were faster ${attempts} times`,
    {
      subject: source,
      hint: 'try again',
    },
  )
}
