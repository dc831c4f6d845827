import { groupBy } from '../../core/group-by.js'
import { basename } from '../../core/paths.js'
import type { CatalogEntry } from './catalog-entry.js'

/** Skills of one source, some of which are copies of others. */
export interface CopyGroups {
  /** The folders of the copies of a listed skill, by its folder. */
  readonly copies: ReadonlyMap<string, readonly string[]>
  /** The folders that are not listed, because they hold a copy. */
  readonly hidden: ReadonlySet<string>
}

const NONE: CopyGroups = { copies: new Map(), hidden: new Set() }

/**
 * Finds the copies among skills of one source. Of each group one is listed: the skill in a folder of its name, then the outermost, then the
 * one with the shortest path, then the first by code units.
 * @param contentOf Equal for copies. `undefined`: no copy.
 */
export function groupCopies(
  entries: readonly CatalogEntry[],
  contentOf: (entry: CatalogEntry) => string | undefined,
): CopyGroups {
  const groups = groupBy(entries, contentOf)
  if (groups.size === 0) return NONE
  const copies = new Map<string, readonly string[]>()
  const hidden = new Set<string>()
  for (const group of groups.values()) {
    if (group.length === 1) continue
    const [listed, ...others] = group.sort(comparePlaces)
    // A catalog may know copies of each.
    const folders = others.flatMap(({ path, copies = [] }) => [path, ...copies])
    copies.set(listed?.path ?? '', folders)
    for (const { path } of others) hidden.add(path)
  }
  return { copies, hidden }
}

type Place = Pick<CatalogEntry, 'path' | 'name'>

/** The place of a copy that is listed comes first. */
export function comparePlaces(a: Place, b: Place): number {
  const folderDiffers = ({ path, name }: Place): number => Number(basename(path) !== name)
  const depth = ({ path }: Place): number => path.split('/').length
  return (
    folderDiffers(a) - folderDiffers(b) ||
    depth(a) - depth(b) ||
    a.path.length - b.path.length ||
    (a.path < b.path ? -1 : 1)
  )
}
