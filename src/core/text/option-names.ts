import type { AbortOptions } from '../abort.js'
import { SkillshelfError } from '../errors.js'
import { similarNames } from './nearest-name.js'

/** The names of all options: the compiler reports one that is missing or too many. */
export type OptionNames<Options> = { readonly [Name in keyof Required<Options>]: 1 }

/** The options of a function that has no other one. */
export const ONLY_SIGNAL = { signal: 1 } satisfies OptionNames<AbortOptions>

/**
 * Refuses options that nobody reads. One that is `undefined` is absent.
 * @throws SkillshelfError `invalid-input` with the nearest name
 */
export function checkOptionNames(options: object | undefined, names: object): void {
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value === undefined || Object.hasOwn(names, name)) continue
    const known = Object.keys(names)
    const candidates = similarNames(name, known)
    const hint = `did you mean \`${candidates[0]}\`?`
    throw new SkillshelfError(
      'invalid-input',
      `unknown option \`${name}\`${candidates.length > 0 ? `; ${hint}` : ''}`,
      {
        subject: name,
        candidates,
        ...(candidates.length > 0 ? {} : { hint: `the options are ${known.join(', ')}` }),
      },
    )
  }
}
