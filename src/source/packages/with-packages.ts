import { isSkillshelfError } from '../../core/errors.js'
import { joinPath } from '../../core/paths.js'
import type { ListableSource } from '../source.js'

/** The folder of packages among those of a project's own skills. */
export const PACKAGES_FOLDER = 'npm'

/** A folder of skills, which may be missing, and below `npm` the skills of packages. */
export function withPackages(folder: ListableSource, packages: ListableSource): ListableSource {
  const start = `${PACKAGES_FOLDER}/`
  const isOfPackage = (path: string): boolean => path.startsWith(start)
  return {
    ...folder,
    root: path =>
      (isOfPackage(path) ? packages.root?.(path.slice(start.length)) : folder.root?.(path)) ?? path,
    async list(options) {
      const own = await folder.list(options).catch(error => {
        if (isSkillshelfError(error, 'source-not-found')) return []
        throw error
      })
      const installed = await packages.list(options)
      return [
        ...own.filter(({ path }) => !isOfPackage(path)),
        ...installed.map(entry => ({ ...entry, path: joinPath(PACKAGES_FOLDER, entry.path) })),
      ]
    },
    read: (path, options) =>
      isOfPackage(path)
        ? packages.read(path.slice(start.length), options)
        : folder.read(path, options),
  }
}
