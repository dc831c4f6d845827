import type { TreeSkill } from './catalog-entry.js'
import { groupCopies } from './copies.js'
import type { Contents } from './read-contents.js'

/** The folder of the skills of an environment. */
export const ENVIRONMENT = /^environments\/[^/]+\//

/** The skills to pack, of copies one. A library that is packed can be limited to an environment, so each environment keeps its own. */
export function mergeCopies(skills: readonly TreeSkill[], contents: Contents): TreeSkill[] {
  const entries = skills.map(({ entry }) => entry).filter(({ enabled }) => enabled !== false)
  const { copies, hidden } = groupCopies(entries, ({ path }) => {
    const content = contents.get(path)
    return content && `${ENVIRONMENT.exec(path)?.[0] ?? ''}\n${content}`
  })
  return skills
    .filter(({ entry }) => !hidden.has(entry.path))
    .map(skill => {
      const found = copies.get(skill.entry.path)
      return found ? { ...skill, entry: { ...skill.entry, copies: found } } : skill
    })
}
