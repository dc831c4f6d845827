import { invalidInput } from '../../core/errors.js'
import { isRecord } from '../../core/plain-data.js'
import { foldText } from '../../core/text/fold.js'
import type { SkillSummary } from '../../skill/skill.js'

const MODES: readonly SkillOffer[] = ['pinned', 'name-only', 'manual']

/**
 * How a session offers a skill to the model:
 * - `pinned`: a list that has no room for every skill leaves it out last.
 * - `name-only`: the list in the system prompt has its name alone. It is found and opened like others.
 * - `manual`: it is in no list and no search. The model may open it once a message of the user names it; people and the host always may.
 */
export type SkillOffer = 'pinned' | 'name-only' | 'manual'

/** The modes of skills, by id or name. @throws SkillshelfError `invalid-input` */
export function offersOf(
  skills: Readonly<Record<string, SkillOffer>> = {},
): (skill: Pick<SkillSummary, 'id' | 'name'>) => SkillOffer | undefined {
  if (!isRecord(skills)) {
    throw invalidInput(`"skills" must be an object, such as { pdf: 'pinned' }`)
  }
  for (const [name, mode] of Object.entries(skills)) {
    if (!MODES.includes(mode)) {
      const wanted = MODES.map(mode => `'${mode}'`).join(', ')
      throw invalidInput(`"skills.${name}" must be one of ${wanted}, not ${JSON.stringify(mode)}`)
    }
  }
  const modes = new Map(Object.entries(skills).map(([name, mode]) => [foldText(name), mode]))
  return ({ id, name }) => modes.get(foldText(id)) ?? modes.get(foldText(name))
}
