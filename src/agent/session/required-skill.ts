import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError } from '../../core/errors.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { findRequired } from '../../library/catalog/required.js'
import type { SkillSummary } from '../../skill/skill.js'

/** Skills of one name that are compared, in a library that lists them when they are opened. */
const NAMED_SKILLS = 10

/** Finds a skill that another one requires. `undefined`: the library has none. */
export async function requiredSkill(
  library: SkillLibrary,
  skill: SkillSummary,
  required: string,
  options: AbortOptions,
): Promise<SkillSummary | undefined> {
  if (library.snapshot.skills.length < library.snapshot.total) {
    await listNamed(library, required.split(/[/#]/).at(-1) ?? required, options)
  }
  return findRequired(library.snapshot.skills, skill, required)
}

/** Brings the skills of a name into the snapshot. */
async function listNamed(
  library: SkillLibrary,
  name: string,
  options: AbortOptions,
): Promise<void> {
  try {
    await library.get(name, options)
  } catch (error) {
    if (isSkillshelfError(error, 'skill-not-found')) return
    if (!isSkillshelfError(error, 'ambiguous-name')) throw error
    const ids = error.details.candidates?.slice(0, NAMED_SKILLS) ?? []
    await Promise.all(ids.map(id => library.get(id, options)))
  }
}
