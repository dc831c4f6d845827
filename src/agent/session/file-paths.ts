import { basename } from '../../core/paths.js'
import type { Skill } from '../../skill/skill.js'

/**
 * The path of a file in its skill, where a model gives more of it: `/references/a.md`, `slides/references/a.md`, the full path, or the URI of
 * the file.
 * @param folder The folder in the skill that the path is relative to.
 */
export function pathInSkill(
  { id, name, path: skillPath, root }: Skill,
  path: string,
  folder = '',
): string {
  const plain = (text: string): string =>
    text
      .replaceAll('\\', '/')
      .replace(/^skill:\/\//i, '')
      .replace(/^(?:\.?\/)+/, '')
  const inside = withoutStart(
    plain(path),
    [root, id, skillPath, basename(skillPath), name].map(plain),
  )
  return withoutStart(inside, [folder])
}

/** A path without the first of some folders that it begins with. */
function withoutStart(path: string, folders: readonly string[]): string {
  const found = folders.find(folder => folder !== '' && path.startsWith(`${folder}/`))
  return found === undefined ? path : path.slice(found.length + 1)
}
