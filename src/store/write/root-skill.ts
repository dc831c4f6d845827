import { readCatalog, writeCatalog } from '../../catalog/packed-catalog.js'
import { joinPath, relativePath, trySafePath } from '../../core/paths.js'
import { parseSkill } from '../../skill/parse.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { SkillSource } from '../../source/types.js'

/**
 * A source without a skill at its root: in a library of many each stands in a folder.
 * @param as The folder. Default: the skill's name.
 */
export async function awayFromRoot(
  source: SkillSource,
  as: string | undefined,
  signal?: AbortSignal,
): Promise<SkillSource> {
  const at = signal ? { signal } : {}
  const packed = await source.read(CATALOG_FILE, at)
  if (packed !== undefined && packed !== 'unchanged') {
    const catalog = readCatalog(packed.bytes, `${CATALOG_FILE} of ${source.name}`)
    const skills = catalog.skills.map(entry =>
      entry.path === '' ? { ...entry, path: as ?? folderFor(entry.name, source.name) } : entry,
    )
    const bytes = writeCatalog({ ...catalog, skills })
    return { name: source.name, read: async (path, to) => (path === CATALOG_FILE ? { bytes } : source.read(path, to)) }
  }
  const file = (await source.list?.(at))?.map(({ path }) => path).find(path => path.toLowerCase() === 'skill.md')
  const found = file === undefined ? undefined : await source.read(file, at)
  if (found === undefined || found === 'unchanged') return source
  const { metadata } = await parseSkill(found.bytes, { folder: '' })
  return inFolder(source, as ?? folderFor(metadata.name, source.name))
}

function folderFor(name: string, otherwise: string): string {
  const folders = [name, otherwise].map(one => one.trim().replaceAll(/[/\\]+/g, '-'))
  return folders.find(one => trySafePath(one) === one) ?? 'skill'
}

/** A source, seen as if it stood in a folder. */
function inFolder(source: SkillSource, folder: string): SkillSource {
  return {
    name: source.name,
    read: async (path, at) => (path.startsWith(`${folder}/`) ? source.read(relativePath(folder, path), at) : undefined),
    ...(source.list
      ? {
          list: async at =>
            ((await source.list?.(at?.signal ? { signal: at.signal } : {})) ?? []).map(entry => ({
              ...entry,
              path: joinPath(folder, entry.path),
            })),
        }
      : {}),
  }
}
