import { existsSync } from 'node:fs'
import { lstat, readFile } from 'node:fs/promises'
import { dirname as folderOf, join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { basename, dirname, joinPath } from '../../core/paths.js'
import type { FileEntry, ListableSource } from '../source.js'

/*
 * `.gitignore` files, as Git reads them. The package `ignore` compiles each pattern to a regular expression, and patterns come from strangers.
 * So those whose time has no bound are left out, and the time of the others is counted.
 */

const IGNORE_FILE = '.gitignore'
/** Bytes of an ignore file that are read. A larger one is no list that a person wrote. */
const MAX_BYTES = 1_048_576
/** Characters of a pattern. A longer one makes a regular expression that engines refuse. */
const MAX_LENGTH = 1_000
/** `**` in a pattern. Each more multiplies the time by the depth of a path. */
const MAX_STARS = 2
/** Folders of a path that are compared. Deeper files go with the last of them. */
const MAX_DEPTH = 100
/** S6: comparisons of a pattern with 64 characters of a path that one folder may take. */
const MAX_STEPS = 20_000_000
/** Steps that a pattern costs when it is compiled. */
const STEPS_TO_COMPILE = 50
/** Steps that it costs in each folder below with a list of its own, which repeats it. */
const STEPS_TO_REPEAT = 8

/** What the ignore files of a folder say. */
export interface IgnoreRule {
  isIgnored(path: string): boolean
  /** Patterns and files that were not read, with their place and the reason. */
  problems: readonly string[]
}

/** A folder without the files that Git ignores. @param report Called with each listing: what to say of it, a line each. */
export function withoutIgnored(
  folder: ListableSource,
  path: string,
  report: (lines: readonly string[]) => void,
): ListableSource {
  return {
    ...folder,
    async list(options) {
      const entries = await folder.list(options)
      const { isIgnored, problems } = await ignoreRule(path, entries, options?.signal)
      const kept = entries.filter(entry => !isIgnored(entry.path))
      const count = entries.length - kept.length
      const files = `${count.toLocaleString('en')} file${count === 1 ? '' : 's'}`
      report([...(count > 0 ? [`${files} left out by ${IGNORE_FILE}`] : []), ...problems])
      return kept
    },
  }
}

/**
 * Reads the `.gitignore` files in a folder, and those above it up to its repository. Patterns above that leave out the folder itself do not
 * count: whoever names it means it.
 * @throws SkillshelfError `too-large` if comparing takes too long
 */
export async function ignoreRule(
  root: string,
  listing: readonly Pick<FileEntry, 'path' | 'unreadable'>[],
  signal?: AbortSignal,
): Promise<IgnoreRule> {
  const above = foldersAbove(root)
  const top = above[0] ?? root
  /** From the top to a folder. All patterns are relative to the top. */
  const toTop = (folder: string): string => relative(top, folder).split(sep).join('/')
  const problems: string[] = []
  const readPatterns = async (folder: string, shown: string): Promise<string[]> => {
    const lines = await readLines(join(folder, IGNORE_FILE), shown, problems)
    return lines.map(line => inFolder(line, bytesOf(toTop(folder))))
  }
  const outer: string[] = []
  for (const folder of above) {
    outer.push(...(await readPatterns(folder, join(relative(root, folder), IGNORE_FILE))))
  }
  const lists = new Map([['', addPatterns(undefined, withoutRoot(outer, bytesOf(toTop(root))))]])
  const own = listing
    .filter(({ path, unreadable }) => basename(path) === IGNORE_FILE && unreadable === undefined)
    .map(({ path }) => path)
  let steps = MAX_STEPS
  const spend = (spent: number): void => {
    steps -= spent
    if (steps >= 0) return
    throw new SkillshelfError('too-large', `${IGNORE_FILE} takes too long to compare`, {
      hint: 'it has too many patterns for the files of this folder',
    })
  }
  // An inner file adds to what the outer ones say.
  for (const path of own.sort((a, b) => a.length - b.length)) {
    throwIfAborted(signal)
    const folder = dirname(path)
    const patterns = await readPatterns(join(root, folder), path)
    if (patterns.length === 0) continue
    const list = addPatterns(nearest(lists, folder), patterns)
    spend(patterns.length * STEPS_TO_COMPILE + list.size * STEPS_TO_REPEAT)
    lists.set(folder, list)
  }
  const compared = new Set([''])
  const isIgnored = (path: string): boolean => {
    const { rule, size, deep } = nearest(lists, dirname(path))
    if (size === 0) return false
    const names = bytesOf(joinPath(toTop(root), path)).split('/')
    const inTop = names.slice(0, MAX_DEPTH).join('/')
    // The package compares each folder once.
    for (let at = inTop; !compared.has(at); at = dirname(at)) {
      compared.add(at)
      const depth = at.split('/').length
      spend(size * (1 + at.length / 64) + (deep * depth * depth) / 16)
    }
    return rule.ignores(names.length > MAX_DEPTH ? `${inTop}/` : inTop)
  }
  return { isIgnored, problems }
}

/** Patterns that count in a folder: its own, after those of the folders above. */
interface PatternList {
  rule: Ignore
  /** Number of patterns. */
  size: number
  /** Number of patterns with several `**`. Their time grows with the square of the depth. */
  deep: number
}

function addPatterns(outer: PatternList | undefined, patterns: readonly string[]): PatternList {
  // The same on every machine, whatever its file system does.
  const rule = ignore({ ignoreCase: false })
  if (outer) rule.add(outer.rule)
  return {
    rule: rule.add(patterns),
    size: (outer?.size ?? 0) + patterns.length,
    deep: (outer?.deep ?? 0) + patterns.filter(pattern => countStars(pattern) > 1).length,
  }
}

/** The list of the nearest folder that has one. */
function nearest(lists: ReadonlyMap<string, PatternList>, folder: string): PatternList {
  for (let at = folder; ; at = dirname(at)) {
    const list = lists.get(at)
    if (list) return list
  }
}

/** Counts `**` that stands for folders. One at the end costs nothing. */
function countStars(pattern: string): number {
  return pattern.match(/(?:^!?|\/)\*{2,}(?=\/)/g)?.length ?? 0
}

/** Without those that leave out the folder that was named, if it is left out. */
function withoutRoot(patterns: readonly string[], root: string): readonly string[] {
  const leavesOut = (some: readonly string[]): boolean =>
    addPatterns(undefined, some).rule.ignores(`${root}/`)
  return root !== '' && leavesOut(patterns) ? patterns.filter(one => !leavesOut([one])) : patterns
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

/** The patterns of a file. @param shown Its path in messages. */
async function readLines(file: string, shown: string, problems: string[]): Promise<string[]> {
  // S3: a regular file, and its size, first. Git follows no link here.
  const info = await lstat(file).catch(() => undefined)
  if (!info?.isFile()) return []
  if (info.size > MAX_BYTES) {
    problems.push(`${shown} was not read: it has more than ${MAX_BYTES.toLocaleString('en')} bytes`)
    return []
  }
  const text = await readFile(file, 'latin1').catch(() => undefined)
  if (text === undefined) problems.push(`${shown} could not be read`)
  const lines = (text ?? '').replace(/^\xef\xbb\xbf/, '').split(/\r?\n/)
  return lines.filter((line, index) => {
    // A comment, or nothing.
    if (!/^(?!#)!?.*[^ !/]/.test(line)) return false
    const problem =
      line.length > MAX_LENGTH
        ? `has more than ${MAX_LENGTH.toLocaleString('en')} characters`
        : countStars(line) > MAX_STARS
          ? 'has too many `**`'
          : undefined
    if (problem !== undefined) {
      problems.push(`${shown}:${index + 1} was left out, because the pattern ${problem}`)
    }
    return problem === undefined
  })
}

/** A character for each byte, because Git compares bytes: `?` is one of the two of `é`. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** A pattern of a folder, as the folder at the top would have it: `/x` of `a/b` is `/a/b/x`. */
function inFolder(pattern: string, folder: string): string {
  if (folder === '') return pattern
  const negation = pattern.startsWith('!') ? '!' : ''
  const path = pattern.slice(negation.length)
  // A slash at the end says that it is a folder, any other that it is a path.
  const anywhere = /\/(?! *$)/.test(path) ? '' : '**/'
  const escaped = folder.replace(/[\\*?[]/g, String.raw`\$&`)
  return `${negation}/${escaped}/${anywhere}${path.replace(/^\//, '')}`
}
