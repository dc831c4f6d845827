/** The folders of skills that a coding agent reads for a prompt, and what it switches off there. */
import { existsSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { readRegularFile } from '../../source/directory/regular-file.js'
import { isInside } from '../../source/directory/watch.js'
import { attempt } from './attempt.js'
import type { Host, HostPlace, HostUser, SkillRoot, SkillRule } from './hosts/host.js'
import { isSamePath, realPathOf } from './hosts/host-settings.js'
import { allRoots } from './hosts/hosts.js'
import { fitsPattern } from './hosts/name-pattern.js'

/** Where skills may lie for a prompt. It becomes JSON for another process. */
export interface SkillPlaces {
  /** The folders that the host reads, without those that do not exist. Of skills with the same name, that of the first is offered. */
  roots: readonly SkillRoot[]
  /** What the host switches off. */
  rules: readonly SkillRule[]
  /** The folders of skills that any host reads. Links may lead to skills in them. Plugins of other hosts are not needed: links to them are rare. */
  linkRoots: readonly SkillRoot[]
  /** The repository of the project, if it is in one. */
  repository?: string
  /** Sentences on settings that cannot be read. */
  problems: readonly string[]
}

/** @throws if settings of the user cannot be read: nothing is offered until it is known what they switch off */
export function skillPlaces(host: Host, cwd: string, user: HostUser): SkillPlaces {
  const { folders, repository } = projectFolders(cwd, user.home)
  const mainCheckout = repository === undefined ? undefined : mainCheckoutOf(repository)
  const all: HostPlace = { ...user, cwd, folders, ...(mainCheckout && { mainCheckout }) }
  const place = host.readsOneFolder ? { ...all, folders: folders.slice(0, 1) } : all
  const { roots: named, rules, problems } = host.decisions(place)
  const seen = new Set<string>()
  const roots = [...host.roots(place), ...named].filter(
    ({ path }) => !seen.has(path) && seen.add(path) && existsSync(path),
  )
  const linkRoots = [...roots, ...allRoots(all)]
  return {
    roots,
    rules,
    linkRoots,
    problems,
    ...(repository === undefined ? {} : { repository }),
  }
}

/** A skill as the rules of a host see it. */
export interface RuledSkill {
  name: string
  /** Its SKILL.md. */
  path: string
  root: SkillRoot
}

/** Whether a host offers a skill. */
export function isOffered(rules: readonly SkillRule[], skill: RuledSkill): boolean {
  const names = namesOf(skill).map(name => name.toLowerCase())
  const fitsName = (name: string): boolean => {
    const pattern = name.toLowerCase()
    return names.some(one => fitsPattern(pattern, one))
  }
  const fits = ({ owner, name, path, folder }: SkillRule): boolean =>
    (owner === undefined || owner === skill.root.owner) &&
    (name === undefined || fitsName(name)) &&
    (path === undefined || isSamePath(path, skill.path) || isSamePath(path, dirname(skill.path))) &&
    (folder === undefined || isIn(skill.path, folder))
  return rules.findLast(fits)?.isOffered ?? true
}

/** Whether a path is in a folder, also by way of a link. */
function isIn(path: string, folder: string): boolean {
  return isInside(path, folder) || isInside(realPathOf(path), realPathOf(folder))
}

/** Characters that Gemini CLI replaces in names. */
const REPLACED = /[:\\/<>*?"|]/g

/** The names that settings may use for a skill. */
function namesOf({ name, path, root }: RuledSkill): string[] {
  const names = [name, basename(dirname(path)), name.replace(REPLACED, '-')]
  // A folder in a folder of skills may be a plugin.
  const [first, second] = relative(root.path, dirname(path)).split(sep)
  const prefix = root.prefix ?? (second === undefined ? undefined : first)
  return prefix === undefined ? names : names.flatMap(one => [one, `${prefix}:${one}`])
}

/**
 * The folders from the current one up to the repository. Outside of a repository, and where the folders above belong to somebody else, it is
 * the current folder alone: whoever can write into a folder above could plant skills there. The home folder is not part of a project.
 */
export function projectFolders(
  cwd: string,
  home: string,
): { folders: string[]; repository?: string } {
  // The current folder may be known by a path that does not go through the home folder.
  const realHome = isInside(cwd, home) ? undefined : realPathOf(home)
  const isHome = (folder: string): boolean =>
    folder === home || (realHome !== undefined && realPathOf(folder) === realHome)
  if (isHome(cwd)) return { folders: [] }
  const folders = [cwd]
  const owner = attempt(() => statSync(cwd).uid, undefined)
  for (let folder = cwd; !existsSync(join(folder, '.git')); folder = folders.at(-1) as string) {
    const parent = dirname(folder)
    const isOutside = parent === folder || isHome(parent) || !isTrusted(parent, owner)
    if (isOutside) return { folders: [cwd] }
    folders.push(parent)
  }
  const repository = folders.at(-1)
  return { folders, ...(repository === undefined ? {} : { repository }) }
}

/** The start of a `.git` file of a worktree: the folder of Git that it shares with its main checkout. */
const WORKTREE = /^gitdir:\s*(.+)[\\/]\.git[\\/]worktrees[\\/][^\\/]+\s*$/
const MAX_GIT_FILE = 4_096

/** The folder of the main checkout of a worktree, where `.git` is a file. */
function mainCheckoutOf(repository: string): string | undefined {
  const file = join(repository, '.git')
  if (!attempt(() => statSync(file).isFile(), false)) return undefined
  const text = attempt(
    () => Buffer.from(readRegularFile(file, { limit: MAX_GIT_FILE })).toString(),
    '',
  )
  const [, folder] = WORKTREE.exec(text) ?? []
  return folder === undefined ? undefined : resolve(repository, folder)
}

/** Whether only the owner of a project, or the current user, can write into a folder above it. Windows tells neither. */
function isTrusted(folder: string, owner: number | undefined): boolean {
  if (process.platform === 'win32') return true
  const info: Stats | undefined = attempt(() => statSync(folder), undefined)
  if (!info || (info.mode & 0o002) !== 0) return false
  return info.uid === owner || info.uid === process.getuid?.()
}
