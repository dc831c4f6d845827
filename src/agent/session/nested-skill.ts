import { joinPath, relativePath } from '../../core/paths.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { owningFolder } from '../../library/catalog/discover.js'
import type { SkillSummary } from '../../skill/skill.js'

/** Finds the nested skill that contains a file of the outer skill. Its permissions apply too. */
export function nestedSkillOf(
  { snapshot }: SkillLibrary,
  outer: SkillSummary,
  path: string,
): { skill: SkillSummary; path: string } | undefined {
  const byPath = new Map(
    snapshot.skills.filter(({ origin }) => origin === outer.origin).map(one => [one.path, one]),
  )
  const fullPath = joinPath(outer.path, path)
  const skill = byPath.get(owningFolder(fullPath, byPath) ?? outer.path)
  return skill && skill.id !== outer.id
    ? { skill, path: relativePath(skill.path, fullPath) }
    : undefined
}
