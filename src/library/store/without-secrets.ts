import { SkillshelfError } from '../../core/errors.js'
import { extendObject } from '../../core/extend-object.js'
import { deepFreeze } from '../../core/plain-data.js'
import { allowedPaths, findSecret } from '../../core/secrets/find-secret.js'
import { isSecretName } from '../../core/secrets/secret-files.js'
import type { Skill, SkillFileInfo } from '../../skill/skill.js'
import type { SkillLibrary } from '../api/skill-library.js'

/**
 * S10: a library without the files of skills that look like secrets, for servers. Files of a packed library were examined when it was
 * packed: they have digests. Those of plain folders are left out of lists by their name, and are examined when they are read.
 * @param allow Files or folders that are served, with the id of their skill before their path.
 */
export function withoutSecrets<Library extends SkillLibrary>(
  library: Library,
  allow?: readonly string[],
): Library {
  const isAllowed = allowedPaths(allow)
  const visible = new WeakMap<Skill, Skill>()
  const withoutNamed = (skill: Skill): Skill => {
    const isSecret = ({ path, digest }: SkillFileInfo): boolean =>
      digest === undefined && isSecretName(path) && !isAllowed(`${skill.id}/${path}`)
    if (!skill.files.some(isSecret)) return skill
    const known = visible.get(skill)
    if (known) return known
    const shown = deepFreeze({ ...skill, files: skill.files.filter(file => !isSecret(file)) })
    visible.set(skill, shown)
    return shown
  }
  const members: Pick<SkillLibrary, 'get' | 'read'> = {
    get: async (name, options) => withoutNamed(await library.get(name, options)),
    async read(name, path, options = {}) {
      const { range, ...rest } = options
      const file = await library.read(name, path, rest)
      // A part of a key does not look like one, so the whole file is examined.
      const isSecret =
        file.digest === undefined &&
        !isAllowed(`${file.skill}/${file.path}`) &&
        findSecret(file.path, file.bytes)
      if (isSecret) {
        throw new SkillshelfError(
          'resource-not-found',
          `${file.path} of ${file.skill} is not served: it looks like a secret`,
          {
            subject: file.path,
            hint: 'keep secrets out of the folders of skills, or name the file in `allow` of the server',
          },
        )
      }
      return range === undefined ? file : library.read(name, path, options)
    },
  }
  return extendObject(library, members)
}
