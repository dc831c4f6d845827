import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname as folderOf, join, relative, sep } from 'node:path'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { type Glob, matchGlob, parseGlob, type Steps, toPathParts } from '../../core/glob.js'
import { basename, dirname, relativePath } from '../../core/paths.js'

const IGNORE_FILE = '.gitignore'
/** Bytes of an ignore file that are read. A larger one is no list that a person wrote. */
const MAX_BYTES = 1_048_576
/** S6: steps that comparing one folder may take. */
const MAX_STEPS = 500_000_000

/** A line of an ignore file. */
interface IgnorePattern {
  glob: Glob
  /** Begins with `!`: what fits is not ignored. */
  keeps: boolean
  /** Ends with `/`: only folders fit. */
  isFolder: boolean
}

/** An ignore file, with the folder that its patterns are relative to. */
interface IgnoreFile {
  /** Relative to the folder that is listed. `''` also for files above it. */
  folder: string
  /** The folder that is listed, relative to that of a file above. */
  prefix: string
  patterns: readonly IgnorePattern[]
}

/**
 * Reads the `.gitignore` files in a folder, and those above it up to its repository. The latter do not count if they leave out the folder
 * itself: whoever names it means it.
 * @returns whether a file of the listing is ignored
 * @throws SkillshelfError `too-large` if comparing takes too long
 */
export async function ignoreRule(
  root: string,
  listing: readonly { path: string; unreadable?: string }[],
  signal?: AbortSignal,
): Promise<(path: string) => boolean> {
  const steps = { left: MAX_STEPS }
  const above: IgnoreFile[] = []
  for (const folder of foldersAbove(root)) {
    const patterns = await readPatterns(join(folder, IGNORE_FILE))
    const prefix = relative(folder, root).split(sep).join('/')
    const file = { folder: '', prefix, patterns }
    if (patterns.length > 0 && !ignoresRoot(file, steps)) above.push(file)
  }
  const own: IgnoreFile[] = []
  const paths = listing
    .filter(({ path, unreadable }) => basename(path) === IGNORE_FILE && unreadable === undefined)
    .map(({ path }) => path)
  // The innermost decides, so it comes last.
  for (const path of paths.sort((a, b) => a.length - b.length)) {
    throwIfAborted(signal)
    const patterns = await readPatterns(join(root, path))
    if (patterns.length > 0) own.push({ folder: dirname(path), prefix: '', patterns })
  }
  const all = [...above, ...own]
  if (all.length === 0) return () => false
  /** Folders that were compared. */
  const known = new Map<string, boolean>([['', false]])
  const isIgnoredFolder = (folder: string): boolean => {
    const before = known.get(folder)
    if (before !== undefined) return before
    // Nothing in an ignored folder is kept.
    const ignored = isIgnoredFolder(dirname(folder)) || isIgnoredBy(all, `${folder}/`, steps)
    known.set(folder, ignored)
    return ignored
  }
  return path => isIgnoredFolder(dirname(path)) || isIgnoredBy(all, path, steps)
}

/** The folders above one, up to its repository, the outermost first. None outside of a repository. */
function foldersAbove(root: string): string[] {
  const folders: string[] = []
  for (let folder = root; ; folder = folderOf(folder)) {
    if (folder !== root) folders.unshift(folder)
    if (existsSync(join(folder, '.git'))) return folders
    if (folderOf(folder) === folder) return []
  }
}

async function readPatterns(file: string): Promise<readonly IgnorePattern[]> {
  // S3: a regular file, and its size, first.
  const info = await stat(file).catch(() => undefined)
  if (!info?.isFile() || info.size > MAX_BYTES) return []
  const text = await readFile(file, 'utf8').catch(() => '')
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap(line => parsePattern(line) ?? [])
}

function parsePattern(line: string): IgnorePattern | undefined {
  // A blank at the end counts after a backslash only.
  const text = /\\\s+$/.test(line) ? line.replace(/(\\\s)\s*$/, '$1') : line.trimEnd()
  if (text === '' || text.startsWith('#')) return undefined
  const keeps = text.startsWith('!')
  const pattern = keeps ? text.slice(1) : text
  const isFolder = pattern.endsWith('/')
  const path = (isFolder ? pattern.slice(0, -1) : pattern)
    .replace(/\\(.)/gu, (_, one: string) => (/[*?[]/.test(one) ? `[${one}]` : one))
    // What is in the folder, not the folder.
    .replace(/\/\*\*$/, '/**/*')
  if (path === '') return undefined
  return { glob: parseGlob(path, { below: false }), keeps, isFolder }
}

/** Whether a file above the listed folder leaves it out, or a folder that it is in. */
function ignoresRoot(file: IgnoreFile, steps: Steps): boolean {
  const names = file.prefix.split('/')
  return names.some((_, index) =>
    isIgnoredBy([{ ...file, prefix: '' }], `${names.slice(0, index + 1).join('/')}/`, steps),
  )
}

/** What the innermost file that has a fitting pattern says, by its last one. @param path Ends with `/` if it is a folder. */
function isIgnoredBy(files: readonly IgnoreFile[], path: string, steps: Steps): boolean {
  const isFolder = path.endsWith('/')
  const plain = isFolder ? path.slice(0, -1) : path
  for (const { folder, prefix, patterns } of files.toReversed()) {
    if (folder !== '' && !plain.startsWith(`${folder}/`)) continue
    const inner = [prefix, relativePath(folder, plain)].filter(Boolean).join('/')
    const parts = toPathParts(inner)
    const last = patterns.findLast(
      one => (isFolder || !one.isFolder) && matchGlob(one.glob, parts, steps),
    )
    if (steps.left < 0) {
      throw new SkillshelfError('too-large', `${IGNORE_FILE} takes too long to compare`, {
        hint: 'it has too many patterns for the files of this folder',
      })
    }
    if (last) return !last.keeps
  }
  return false
}
