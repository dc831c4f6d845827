import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { digestOf } from '../../core/digest.js'
import { throwIfAborted } from '../../core/errors.js'
import { estimateTokens } from '../../core/tokens.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { ListableSource } from '../../source/source.js'
import type { CatalogEntry, TreeSkill } from './catalog-entry.js'
import { discoverSkills, type SkillFolder, unreadableFolders } from './discover.js'
import { type Contents, type PlacedSkill, readContents } from './read-contents.js'
import { createSkillReader, type TreeOptions, unreadSkill } from './read-tree-skill.js'

export interface ReadTreeOptions extends TreeOptions {
  /** Use the summaries in the listing instead of fetching skills that can only be fetched whole. @default false */
  summaries?: boolean | undefined
}

/** A skill of an earlier read, to compare with. */
export interface KnownSkill {
  file: string
  /** Updated in place if the version changed but the bytes did not. */
  version?: string
  entry: CatalogEntry
  /** See `TreeSkill`. */
  lines?: string
  /** Digest of the whole skill, if it may have had a copy. */
  content?: string | undefined
}

export interface Tree {
  /** Skills that are new, or that changed since the earlier read. Sorted by path. */
  changed: readonly TreeSkill[]
  unchanged: readonly string[]
  contents: Contents
  /** Problems of the source, and every skill that was left out. */
  diagnostics: readonly Diagnostic[]
  /** Number of SKILL.md files in the listing. */
  found: number
  /** True if the root holds a packed library. */
  packed: boolean
}

/** A tree as one listing and the reads after it show it. */
interface ListedTree extends Tree {
  /** A SKILL.md changed between the listing and its read, so the other files that the listing has may be older. */
  isOutdated: boolean
}

/** A tree that somebody edits is listed again, but not for as long as they do. */
const MAX_LISTINGS = 3

/**
 * Reads every skill of a source. Skills that cannot be used are left out with a diagnostic; the others are not affected.
 * @param known Skills of the last read by path. Unchanged ones are not parsed again.
 * @throws SkillshelfError as `source.list` throws, `source-failed` if several reads in a row time out.
 */
export async function readTree(
  source: ListableSource,
  options: ReadTreeOptions = {},
  known: ReadonlyMap<string, KnownSkill> = new Map(),
): Promise<Tree> {
  let tree = await readListed(source, options, known)
  for (let listings = 1; tree.isOutdated && listings < MAX_LISTINGS; listings++) {
    const read = new Map(tree.changed.map(skill => [skill.entry.path, skill]))
    const next = await readListed(source, options, new Map([...known, ...read]))
    tree = {
      ...next,
      changed: sortByPath([
        ...next.changed,
        ...next.unchanged.flatMap(path => read.get(path) ?? []),
      ]),
      unchanged: next.unchanged.filter(path => !read.has(path)),
    }
  }
  return tree
}

async function readListed(
  source: ListableSource,
  options: ReadTreeOptions,
  known: ReadonlyMap<string, KnownSkill>,
): Promise<ListedTree> {
  const { signal, onProgress, summaries, countTokens = estimateTokens } = options
  const listing = await source.list({ summaries, signal })
  const { folders, diagnostics } = discoverSkills(listing)
  const changed: TreeSkill[] = []
  const unchanged: string[] = []
  let done = 0
  let isOutdated = false
  const readSkill = createSkillReader(source, options, diagnostics)
  await mapParallel(folders, PARALLEL_READS, async folder => {
    throwIfAborted(signal)
    const { path, file } = folder
    const before = known.get(path)
    const files = filesDigest(folder)
    const sameFiles =
      before !== undefined && before.entry.details === files && before.file === file.path
    const unread = summaries ? unreadSkill(folder, countTokens) : undefined
    if (unread) {
      const { digest, details } = unread.entry
      if (before?.entry.digest === digest && before.entry.details === details) unchanged.push(path)
      else changed.push(unread)
    } else if (sameFiles && file.version !== undefined && before.version === file.version) {
      unchanged.push(path)
    } else {
      // Some sources report versions only when a file is read.
      const ifVersion = sameFiles && file.version === undefined ? before.version : undefined
      const skill = await readSkill(folder, files, ifVersion)
      if (skill === 'unchanged' || (skill === 'unreadable' && before)) unchanged.push(path)
      else if (
        typeof skill === 'object' &&
        sameFiles &&
        before.entry.digest === skill.entry.digest
      ) {
        unchanged.push(path)
        if (skill.version !== undefined) before.version = skill.version
      } else if (typeof skill === 'object') {
        changed.push(skill)
        isOutdated ||= file.version !== undefined && skill.version !== file.version
      }
    }
    done++
    onProgress?.(done, folders.length)
  })
  const found = new Set(folders.map(({ path }) => path))
  const isUnreadable = unreadableFolders(listing)
  for (const path of known.keys()) {
    if (!found.has(path) && isUnreadable(path)) unchanged.push(path)
  }
  const placed = placeSkills(folders, { changed, unchanged, known })
  const contents = await readContents(source, placed, { signal })
  // Reads finish in any order; the result must not depend on it.
  sortByPath(changed)
  diagnostics.sort(compareBy(({ path = '', code, message }) => [path, code, message].join('\n')))
  const packed = listing.some(({ path }) => path === CATALOG_FILE)
  return { changed, unchanged, contents, diagnostics, found: folders.length, packed, isOutdated }
}

function sortByPath(skills: TreeSkill[]): TreeSkill[] {
  return skills.sort(compareBy(({ entry }) => entry.path))
}

/** The skills of a tree, to find copies among them. */
function placeSkills(
  folders: readonly SkillFolder[],
  {
    changed,
    unchanged,
    known,
  }: Pick<Tree, 'changed' | 'unchanged'> & { known: ReadonlyMap<string, KnownSkill> },
): PlacedSkill[] {
  const filesOf = new Map(folders.map(({ path, files }) => [path, files]))
  const place = ({ entry, lines = entry.digest }: Pick<KnownSkill, 'entry' | 'lines'>) => {
    const { path, name } = entry
    return { path, name, lines, files: filesOf.get(path) }
  }
  return [
    ...changed.map(place),
    ...unchanged.flatMap(path => {
      const skill = known.get(path)
      return skill ? [{ ...place(skill), content: skill.content }] : []
    }),
  ]
}

/** Changes with the name, size or version of any file beside the SKILL.md. */
function filesDigest(folder: SkillFolder): string {
  return folder.files.length === 0
    ? ''
    : digestOf(
        folder.files
          .map(({ path, size, version }) => `${path}\t${size ?? ''}\t${version ?? ''}`)
          .join('\n'),
      )
}

function compareBy<T>(key: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => {
    const keyOfA = key(a)
    const keyOfB = key(b)
    if (keyOfA === keyOfB) return 0
    return keyOfA < keyOfB ? -1 : 1
  }
}
