import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillSummary } from '../../skill/skill.js'
import type { TreeSkill } from './catalog-entry.js'

/** What names a skill in a library. */
export type NamedSkill = Pick<SkillSummary, 'name' | 'path'> & Partial<Pick<SkillSummary, 'origin'>>

/**
 * Finds a skill that another one requires, by name, by the end of its folder (`core/routing`), or as `package#skill`. Of several, one of the
 * same source comes first, then the one that shares most folders with it.
 * @param skill The skill that requires it.
 * @returns `undefined` if there is none, or the skill itself is named
 */
export function findRequired<Skill extends NamedSkill>(
  skills: readonly Skill[],
  skill: NamedSkill,
  required: string,
): Skill | undefined {
  const end = required.replace('#', '/')
  const isNamed = (one: Skill): boolean =>
    one.name === required || one.path === end || one.path.endsWith(`/${end}`)
  const isItself = (one: Skill): boolean => one.path === skill.path && one.origin === skill.origin
  const nearness = (one: Skill): number =>
    one.origin === skill.origin ? 1 + sharedFolders(one.path, skill.path) : 0
  const found = skills.filter(one => isNamed(one) && !isItself(one))
  return found.reduce<Skill | undefined>(
    (best, one) => (best !== undefined && nearness(best) >= nearness(one) ? best : one),
    undefined,
  )
}

/** The number of folders that two paths begin with. */
function sharedFolders(path: string, other: string): number {
  const [parts, others] = [path.split('/'), other.split('/')]
  const differs = parts.findIndex((part, index) => part !== others[index])
  return differs < 0 ? parts.length : differs
}

/** A skill with what it requires. */
export interface RequiringSkill extends NamedSkill {
  requires: readonly string[]
  /** Path of its SKILL.md. */
  file: string
}

/** The skills of a tree with what they require. */
export function requiringSkills(skills: readonly TreeSkill[]): RequiringSkill[] {
  return skills.map(({ entry: { name, path }, file, details: { metadata } }) => {
    return { name, path, file, requires: metadata.requires ?? [] }
  })
}

/** Reports what skills require that is not among them, and circles, each once. */
export function checkRequired(skills: readonly RequiringSkill[]): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const done = new Set<RequiringSkill>()
  const visit = (skill: RequiringSkill, above: readonly RequiringSkill[]): void => {
    const circle = above.indexOf(skill)
    if (circle >= 0) {
      const names = [...above.slice(circle), skill].map(({ name }) => name).join(', ')
      diagnostics.push({
        code: 'required-circle',
        severity: 'warning',
        message: `Skills require each other in a circle: ${names}`,
        path: skill.file,
        hint: 'move what both need into a skill of its own',
      })
      return
    }
    if (done.has(skill)) return
    done.add(skill)
    for (const name of skill.requires) {
      const required = findRequired(skills, skill, name)
      if (required) visit(required, [...above, skill])
      else {
        diagnostics.push({
          code: 'required-missing',
          severity: 'warning',
          message: `The skill requires ${JSON.stringify(name)}, which is not here`,
          path: skill.file,
          hint: 'add that skill; name programs and packages in `compatibility`',
        })
      }
    }
  }
  for (const skill of skills) visit(skill, [])
  return diagnostics
}
