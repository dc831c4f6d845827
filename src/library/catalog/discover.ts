import { createOutputRule, isResourceFolder, isSkillFile, withoutJunk } from '../../core/content.js'
import { basename, dirname, joinPath, relativePath, trySafePath } from '../../core/paths.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { FileInfo } from '../../skill/skill.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { FileEntry } from '../../source/source.js'

export interface SkillFolder {
  /** Path in the source, `''` for the root. */
  path: string
  /** The SKILL.md; any case is accepted. */
  file: FileEntry
  /** The other files, relative to the folder and sorted, without those of nested skills. */
  files: (FileInfo & { version?: string })[]
}

/**
 * Finds the skills in a listing, at any depth. Skips `.well-known`: there, a packed library has copies. Skills in what a build wrote are
 * copies too, and are found only if there is no other. A SKILL.md among the resources of a skill is a file of that skill.
 */
export function discoverSkills(listing: readonly FileEntry[]): {
  folders: SkillFolder[]
  diagnostics: Diagnostic[]
} {
  const diagnostics: Diagnostic[] = []
  const entries: FileEntry[] = []
  const seen = new Set<string>()
  const copies = new Set(
    listing.flatMap(({ path }) =>
      basename(path) === CATALOG_FILE ? [joinPath(dirname(path), '.well-known')] : [],
    ),
  )
  for (const entry of withoutJunk(listing)) {
    if (seen.has(entry.path) || (copies.size > 0 && isInWellKnown(entry.path, copies))) continue
    seen.add(entry.path)
    if (trySafePath(entry.path) !== entry.path) diagnostics.push(pathRefused(entry.path))
    else if (entry.unreadable !== undefined) {
      const message = `${entry.path} cannot be read: ${entry.unreadable}`
      diagnostics.push({ code: 'skill-unreadable', severity: 'error', message, path: entry.path })
    } else entries.push(entry)
  }
  entries.sort((a, b) => (a.path < b.path ? -1 : 1))

  const folders = new Map<string, SkillFolder>()
  for (const entry of ownSkillFiles(entries)) {
    const path = dirname(entry.path)
    const folder = folders.get(path)
    if (!folder) {
      folders.set(path, { path, file: entry, files: [] })
      continue
    }
    const used = basename(entry.path) === 'SKILL.md' ? entry : folder.file
    const [first, second, name] = [folder.file, entry, used].map(file => basename(file.path))
    const message = `${path || 'The root'} has both ${first} and ${second}; ${name} is used`
    const hint = 'remove one of them'
    diagnostics.push({
      code: 'two-skill-files',
      severity: 'warning',
      message,
      path: used.path,
      hint,
    })
    folder.file = used
  }

  for (const entry of entries) {
    const owner = owningFolder(entry.path, folders)
    if (owner === undefined) continue
    const folder = folders.get(owner) as SkillFolder
    if (folder.file === entry) continue
    if (!isSafeInFolder(entry.path, owner)) {
      diagnostics.push(pathRefused(entry.path))
      continue
    }
    const { size, version } = entry
    folder.files.push({
      path: relativePath(owner, entry.path),
      ...(size === undefined ? {} : { size }),
      ...(version === undefined ? {} : { version }),
    })
  }
  return { folders: [...folders.values()], diagnostics }
}

/** The readable files of a listing in a folder, without its SKILL.md, relative and sorted. Files of nested skills are included. */
export function filesInFolder(
  listing: readonly FileEntry[],
  folder: string,
  skillFile: string,
): FileInfo[] {
  return listing
    .filter(({ path, unreadable }) => path !== skillFile && unreadable === undefined)
    .filter(
      ({ path }) =>
        (folder === '' || path.startsWith(`${folder}/`)) && isSafeInFolder(path, folder),
    )
    .map(({ path, size }) => ({
      path: relativePath(folder, path),
      ...(size === undefined ? {} : { size }),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** True if a path is safe in the source and relative to its folder. `notes/c:x` is safe in the source, but `c:x` in `notes` is a drive. */
export function isSafeInFolder(path: string, folder: string): boolean {
  return [path, relativePath(folder, path)].every(one => trySafePath(one) === one)
}

/** The innermost of `folders` that contains a path. */
export function owningFolder(
  path: string,
  folders: { has(folder: string): boolean },
): string | undefined {
  let folder = path
  do {
    folder = dirname(folder)
    if (folders.has(folder)) return folder
  } while (folder !== '')
  return undefined
}

/** A predicate: true for folders whose SKILL.md may exist although the listing lacks it, because an entry is unreadable. */
export function unreadableFolders(listing: readonly FileEntry[]): (folder: string) => boolean {
  const unreadable = listing.filter(entry => entry.unreadable !== undefined).map(({ path }) => path)
  return folder =>
    unreadable.some(
      path =>
        path === folder ||
        folder.startsWith(`${path}/`) ||
        (dirname(path) === folder && isSkillFile(path)),
    )
}

/** The SKILL.md files that are skills. @param entries Sorted by path. */
function ownSkillFiles(entries: readonly FileEntry[]): readonly FileEntry[] {
  const own = new Set<string>()
  const found = entries
    .filter(({ path }) => isSkillFile(path))
    // A folder comes before those that are in it.
    .sort((a, b) => dirname(a.path).length - dirname(b.path).length)
    .filter(({ path }) => {
      const folder = dirname(path)
      const outer = folder === '' ? undefined : owningFolder(folder, own)
      if (outer !== undefined && isResourceFolder(relativePath(outer, folder))) return false
      own.add(folder)
      return true
    })
  const isOutput = createOutputRule(entries)
  const sources = found.filter(({ path }) => !isOutput(dirname(path)))
  return (sources.length > 0 ? sources : found).sort((a, b) => (a.path < b.path ? -1 : 1))
}

function isInWellKnown(path: string, copies: ReadonlySet<string>): boolean {
  const start = `/${path}`.indexOf('/.well-known/')
  return start >= 0 && copies.has(`${path.slice(0, start)}.well-known`)
}

function pathRefused(path: string): Diagnostic {
  const message = `The path ${JSON.stringify(path.slice(0, 200))} is not safe and was ignored`
  return {
    code: 'path-refused',
    severity: 'error',
    message,
    path,
    hint: 'rename the file or its folder',
  }
}
