import { joinPath, relativePath, trySafePath } from '../../../core/paths.js'
import { parseSkill } from '../../../skill/parse.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { SkillSource } from '../../../source/source.js'
import { readCatalog, writeCatalog } from '../../catalog/packed-catalog.js'

/**
 * Moves a skill at the root of a source into a folder, because a library of many skills has one folder per skill.
 * @param folder Default: the name of the skill.
 */
export async function moveRootSkill(
  source: SkillSource,
  folder: string | undefined,
  signal?: AbortSignal,
): Promise<SkillSource> {
  const packed = await source.read(CATALOG_FILE, { signal })
  if (packed !== undefined && packed !== 'unchanged') {
    const catalog = await readCatalog(packed.bytes, `${CATALOG_FILE} of ${source.name}`)
    const skills = catalog.skills.map(entry =>
      entry.path === '' ? { ...entry, path: folder ?? folderName(entry.name, source.name) } : entry,
    )
    const bytes = await writeCatalog({ ...catalog, skills })
    return {
      name: source.name,
      read: async (path, options) => (path === CATALOG_FILE ? { bytes } : source.read(path, options)),
    }
  }
  const files = (await source.list?.({ signal })) ?? []
  const file = files.find(({ path }) => path.toLowerCase() === 'skill.md')
  const found = file && (await source.read(file.path, { signal }))
  if (found === undefined || found === 'unchanged') return source
  const { metadata } = await parseSkill(found.bytes, { folder: '' })
  return inFolder(source, folder ?? folderName(metadata.name, source.name))
}

function folderName(skillName: string, sourceName: string): string {
  const names = [skillName, sourceName].map(name => name.trim().replaceAll(/[/\\]+/g, '-'))
  return names.find(name => trySafePath(name) === name) ?? 'skill'
}

/** Prefixes every path of a source with a folder. */
function inFolder(source: SkillSource, folder: string): SkillSource {
  const moved: SkillSource = {
    name: source.name,
    read: async (path, options) =>
      path.startsWith(`${folder}/`) ? source.read(relativePath(folder, path), options) : undefined,
  }
  const { list } = source
  if (list)
    moved.list = async ({ signal } = {}) => {
      const entries = await list.call(source, { signal })
      return entries.map(entry => ({ ...entry, path: joinPath(folder, entry.path) }))
    }
  return moved
}
