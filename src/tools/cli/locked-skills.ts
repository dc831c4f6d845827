import { realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { invalidInput } from '../../core/errors.js'
import { joinPath } from '../../core/paths.js'
import { plainLine } from '../../core/sanitize.js'
import { owningFolder } from '../../library/catalog/discover.js'
import { ignoreRule } from '../../source/directory/ignore-files.js'
import { packageOf } from '../../source/packages/packages.js'
import {
  digestOfFolder,
  executableFiles,
  type FolderContent,
  HAS_MODES,
  readFolder,
} from './folder-digest.js'
import { wholeFolder } from './folder-source.js'
import type { Io } from './io.js'
import {
  LOCK_FILE,
  type LockedSkill,
  type LockedSkills,
  type LockFile,
  readLock,
} from './lock-file.js'
import { isNpxHash, npxHash } from './npx-hash.js'
import { openSkills, openSource } from './open-library.js'
import { packageSource } from './packages.js'
import { displayPath, pathKind, resolveLinks } from './paths.js'

/** Changes that are printed. */
const MAX_LINES = 100

/** A skill as it is installed. */
interface FoundSkill {
  /** Path of its folder. */
  folder: string
  content: FolderContent
  source: string
  sourceType: 'local' | typeof IN_PACKAGE
}

export type FoundSkills = ReadonlyMap<string, FoundSkill>

/** Skills that a lock covers. */
export interface LockScope {
  /** Folder of skills. With `packages` it may be missing. */
  folder: string
  /** Installed packages, as `packages()` allows them. @default those of the lock */
  packages: readonly string[] | undefined
  /** Whether there must be a lock. */
  frozen: boolean
}

/** The type of an entry for the skill of a package. `npx skills` has the same. */
const IN_PACKAGE = 'node_modules'

/** Compares skills with the lock in the current folder. @throws if there must be a lock, and is none */
export async function checkLock(
  io: Io,
  { folder, packages, frozen }: LockScope,
): Promise<{ file: string; lock: LockFile | undefined; now: FoundSkills; changes: string[] }> {
  const file = resolve(io.cwd, LOCK_FILE)
  const lock = await readLock(file)
  if (frozen && !lock) {
    throw invalidInput(`There is no ${LOCK_FILE} in ${io.cwd}`, 'write it with: skillshelf lock')
  }
  const before: LockedSkills = lock?.skills ?? new Map()
  const allow = packages ?? packagesOf(before)
  const hasFolder = allow.length === 0 || (await pathKind(folder)) === 'folder'
  const inPackages: FoundSkills = allow.length > 0 ? await readPackages(io, allow, file) : new Map()
  const inFolder: FoundSkills = hasFolder ? await readSkills(io, folder, file) : new Map()
  const now = new Map([...(await withoutSame(inFolder, inPackages)), ...inPackages])
  return { file, lock, now, changes: await compareSkills(before, now) }
}

/** Skills without those that are locked as skills of a package: the folder may be in one. */
async function withoutSame(skills: FoundSkills, others: FoundSkills): Promise<FoundSkills> {
  const taken = new Set<string>()
  for (const { folder } of others.values()) taken.add(await realpath(folder))
  const kept = new Map<string, FoundSkill>()
  for (const [name, skill] of skills) {
    if (!taken.has(await realpath(skill.folder))) kept.set(name, skill)
  }
  return kept
}

/** Packages whose skills are locked, one by one: those that a wildcard would add are reported by it alone. */
function packagesOf(before: LockedSkills): string[] {
  const names = [...before].flatMap(([name, { source, sourceType }]) =>
    sourceType === IN_PACKAGE && typeof source === 'string' && isPathOf(source, name)
      ? [source]
      : [],
  )
  return [...new Set(names)]
}

/** Whether the skill of an entry is in a package. */
function isPathOf(source: string, name: string): boolean {
  return name === source || name.startsWith(`${source}/`)
}

/** The skills of installed packages, by package and folder. @throws if a package is not installed, or has no skills */
async function readPackages(
  io: Io,
  allow: readonly string[],
  lockFile: string,
): Promise<FoundSkills> {
  const source = packageSource(io, allow)
  const where = `npm:${allow.join(',')}`
  const { library } = await openSource(io, { source, where }, { meaning: false })
  await using _ = library
  const { skills, diagnostics } = library.snapshot
  const unreadable = diagnostics.find(({ code }) => code === 'skill-unreadable')
  if (unreadable) throw invalidInput(unreadable.message, 'install it, or leave it out')
  const except = await resolveLinks(lockFile)
  const found = new Map<string, FoundSkill>()
  for (const { path } of skills.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const owner = packageOf(path)
    const folder = source.root?.(path) ?? path
    const root = source.root?.(owner) ?? folder
    const content = await readFolder(folder, { root, except, signal: io.signal })
    found.set(path, { folder, content, source: owner, sourceType: IN_PACKAGE })
  }
  return found
}

async function readSkills(io: Io, folder: string, lockFile: string): Promise<FoundSkills> {
  const { library } = await openSkills(io, folder, { meaning: false })
  await using _ = library
  const found = new Map<string, FoundSkill>()
  const options = {
    root: await realpath(folder),
    except: await resolveLinks(lockFile),
    signal: io.signal,
  }
  // S12: the author of a skill cannot take files out of its digest, so an ignore file in a skill does not count.
  const folders = new Set(library.snapshot.skills.map(({ path }) => path))
  const listing = await wholeFolder(io, folder).list({ signal: io.signal })
  const outside = listing.filter(({ path }) => owningFolder(path, folders) === undefined)
  const { isIgnored } = await ignoreRule(folder, outside, io.signal)
  const source = relative(io.cwd, folder).split(sep).join('/') || '.'
  for (const { name, path } of library.snapshot.skills.toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    if (found.has(name)) {
      throw invalidInput(
        `Two skills of ${displayPath(io, folder)} are called ${name}`,
        'rename or remove one of them',
      )
    }
    const own = join(folder, ...path.split('/'))
    const content = await readFolder(own, {
      ...options,
      isIgnored: inner => isIgnored(joinPath(path, inner)),
    })
    found.set(name, { folder: own, content, source, sourceType: 'local' })
    for (const link of content.outside) {
      io.stderr(
        `${plainLine(`skillshelf: ${name}: ${link} leads out of ${displayPath(io, folder)}; what is there is not locked`)}\n`,
      )
    }
  }
  return found
}

/** The entry of a skill. It stays as it is while the digest is the same. */
export async function lockedSkill(
  before: LockedSkill | undefined,
  skill: FoundSkill,
): Promise<LockedSkill> {
  const digest = digestOf(skill, before)
  if (before?.digest === digest) return before
  const { folder, content, source, sourceType } = skill
  const { digest: _, executable: known, ...rest } = before ?? { source, sourceType }
  const executable = HAS_MODES
    ? executableFiles(content)
    : ((known as readonly string[] | undefined) ?? [])
  const computedHash = await npxHash(folder)
  return { ...rest, computedHash, digest, ...(executable.length > 0 ? { executable } : {}) }
}

/** Where the system has no executable bits, those of the lock count. */
function digestOf({ content }: FoundSkill, before: LockedSkill | undefined): string {
  return digestOfFolder(content, HAS_MODES ? undefined : (before?.executable ?? []))
}

/** S12: by the digest of everything, else by the hash of `npx skills`. */
async function compareSkills(
  before: LockedSkills,
  now: ReadonlyMap<string, FoundSkill>,
): Promise<string[]> {
  const lines: string[] = []
  for (const name of [...new Set([...before.keys(), ...now.keys()])].sort()) {
    const [old, current] = [before.get(name), now.get(name)]
    if (!old) lines.push(`  added  ${name}`)
    else if (!current) lines.push(`  removed  ${name}`)
    else if (old.digest !== undefined) {
      if (digestOf(current, old) === old.digest) continue
      const isMode = digestOfFolder(current.content, old.executable ?? []) === old.digest
      lines.push(`  changed  ${name}${isMode ? '  (which files are executable)' : ''}`)
    } else if (!(await isNpxHash(old.computedHash, current.folder))) {
      lines.push(`  changed  ${name}`)
    }
  }
  return lines
}

/** What differs from a lock, a line each, for a terminal. */
export function shortList(lines: readonly string[]): string[] {
  const more = lines.length > MAX_LINES ? [`  … and ${lines.length - MAX_LINES} more`] : []
  return [...lines.slice(0, MAX_LINES), ...more]
}
