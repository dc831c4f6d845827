import { SkillshelfError } from '../core/errors.js'
import type { SkillLibrary } from '../library/types.js'
import type { Dialect } from './types.js'

/** @throws SkillshelfError `invalid-input` */
export function checkLibrary(library: SkillLibrary): void {
  if (typeof library?.snapshot !== 'object')
    throw new SkillshelfError('invalid-input', 'A session needs a library', { hint: 'await openLibrary(…) first' })
}

/** @throws SkillshelfError `invalid-input` */
export function checkDialect(dialect: Dialect): void {
  if (typeof dialect?.tools !== 'function')
    throw new SkillshelfError('invalid-input', `${JSON.stringify(dialect)} is no dialect`, {
      hint: "import one from 'skillshelf/dialects': { dialect: openseed }",
    })
}

/** @throws SkillshelfError `invalid-input` */
export function checkFigures(figures: Record<string, number>): void {
  for (const [name, value] of Object.entries(figures))
    if (typeof value !== 'number' || !(value >= 0) || (name === 'contextTokens' && value === 0))
      throw new SkillshelfError(
        'invalid-input',
        `${name} is ${String(value)}; it is a number from ${name === 'contextTokens' ? 1 : 0} on`,
      )
}
