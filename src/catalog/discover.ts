import { basename, dirname, joinPath, relativePath, trySafePath } from '../core/paths.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import type { FileInfo } from '../skill/types.js'
import { CATALOG_FILE } from '../source/catalog-file.js'
import type { FileEntry } from '../source/types.js'

/** A folder that holds a SKILL.md, however that is spelled. */
export interface SkillFolder {
  /** Path in the source, `''` for the root. */
  path: string
  /** The SKILL.md in the source's listing. */
  file: FileEntry
  /** The other files, relative to the folder, sorted; nested skills' files are theirs. */
  files: readonly (FileInfo & { version?: string })[]
}

/**
 * Finds the skills in a listing, at any depth. Files outside every skill's folder are passed over, and so are the copies that a packed
 * library holds for other clients.
 */
export function discoverSkills(listing: readonly FileEntry[]): { folders: SkillFolder[]; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  const entries: FileEntry[] = []
  const seen = new Set<string>()
  const packed = new Set(
    listing.flatMap(({ path }) => (basename(path) === CATALOG_FILE ? [joinPath(dirname(path), '.well-known')] : [])),
  )
  for (const entry of listing) {
    if (seen.has(entry.path) || (packed.size > 0 && isBelow(entry.path, packed))) continue
    seen.add(entry.path)
    if (trySafePath(entry.path) !== entry.path) diagnostics.push(refusal(entry.path))
    else if (entry.unreadable !== undefined)
      diagnostics.push({
        code: 'skill-unreadable',
        severity: 'error',
        message: `${entry.path} cannot be read: ${entry.unreadable}`,
        path: entry.path,
      })
    else entries.push(entry)
  }
  entries.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))

  const folders = new Map<string, { file: FileEntry; files: (FileInfo & { version?: string })[] }>()
  for (const entry of entries) {
    if (basename(entry.path).toLowerCase() !== 'skill.md') continue
    const folder = dirname(entry.path)
    const other = folders.get(folder)
    if (!other) {
      folders.set(folder, { file: entry, files: [] })
      continue
    }
    const exact = basename(entry.path) === 'SKILL.md' ? entry : other.file
    diagnostics.push({
      code: 'two-skill-files',
      severity: 'warning',
      message: `${folder || 'The root'} has ${basename(other.file.path)} and ${basename(entry.path)}; ${basename(exact.path)} is read`,
      path: exact.path,
      hint: 'keep one of them',
    })
    other.file = exact
  }

  for (const entry of entries) {
    const owner = owningFolder(entry.path, folders)
    if (owner === undefined) continue
    const folder = folders.get(owner) as { file: FileEntry; files: (FileInfo & { version?: string })[] }
    if (folder.file === entry) continue
    if (!isSafeInFolder(entry.path, owner)) {
      diagnostics.push(refusal(entry.path))
      continue
    }
    const { size, version } = entry
    folder.files.push({
      path: relativePath(owner, entry.path),
      ...(size === undefined ? {} : { size }),
      ...(version === undefined ? {} : { version }),
    })
  }
  return { folders: [...folders].map(([path, { file, files }]) => ({ path, file, files })), diagnostics }
}

/** What a listing has in a folder beside its SKILL.md, relative to it and sorted; what stands in folders of nested skills too. */
export function filesInFolder(listing: readonly FileEntry[], folder: string, skillFile: string): FileInfo[] {
  return listing
    .filter(({ path, unreadable }) => path !== skillFile && unreadable === undefined)
    .filter(({ path }) => (folder === '' || path.startsWith(`${folder}/`)) && isSafeInFolder(path, folder))
    .map(({ path, size }) => ({ path: relativePath(folder, path), ...(size === undefined ? {} : { size }) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Whether a path is one from the source's root and from its skill's folder too: `note:x` is a file in a folder, and a scheme by itself. */
export function isSafeInFolder(path: string, folder: string): boolean {
  return [path, relativePath(folder, path)].every(one => trySafePath(one) === one)
}

function refusal(path: string): Diagnostic {
  return {
    code: 'path-refused',
    severity: 'error',
    message: `A path of the source was refused: ${JSON.stringify(path.slice(0, 200))}`,
    path,
    hint: 'rename it',
  }
}

function isBelow(path: string, folders: ReadonlySet<string>): boolean {
  const at = `/${path}`.indexOf('/.well-known/')
  return at >= 0 && folders.has(`${path.slice(0, at)}.well-known`)
}

/** Whether the skill of a folder may be there though a listing does not have it: what it stands in, or its SKILL.md, cannot be looked at. */
export function unreadableFolders(listing: readonly FileEntry[]): (folder: string) => boolean {
  const hidden = listing.filter(({ unreadable }) => unreadable !== undefined).map(({ path }) => path)
  return folder =>
    hidden.some(
      path =>
        path === folder ||
        folder.startsWith(`${path}/`) ||
        (dirname(path) === folder && basename(path).toLowerCase() === 'skill.md'),
    )
}

/** The innermost of `folders` that a path stands in. */
export function owningFolder(path: string, folders: { has(folder: string): boolean }): string | undefined {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (folders.has(folder)) return folder
    if (folder === '') return undefined
  }
}
