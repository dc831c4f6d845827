import { realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { invalidInput } from '../../../core/errors.js'
import { joinPath } from '../../../core/paths.js'
import { plainLine } from '../../../core/sanitize.js'
import { owningFolder } from '../../../library/catalog/discover.js'
import { ignoreRule } from '../../../source/directory/ignore-files.js'
import { type CommandDefinition, DIR_HELP } from '../command.js'
import {
  digestOfFolder,
  executableFiles,
  type FolderContent,
  HAS_MODES,
  readFolder,
} from '../folder-digest.js'
import { wholeFolder } from '../folder-source.js'
import { EXIT, type Io, plural, printErrors, printLines } from '../io.js'
import {
  LOCK_FILE,
  type LockedSkill,
  type LockedSkills,
  readLock,
  writeLock,
} from '../lock-file.js'
import { isNpxHash, npxHash } from '../npx-hash.js'
import { findFolder, openSkills, rejectPacked } from '../open-library.js'
import { displayPath, resolveLinks } from '../paths.js'

/** Changes that are printed. */
const MAX_LINES = 100

export const lockCommand: CommandDefinition = (command, run) =>
  command('lock', `Write the digests of skills to ${LOCK_FILE}, or check them`, [
    'lock .claude/skills',
    'lock .claude/skills --frozen',
  ])
    .argument('[dir]', DIR_HELP)
    .option('--frozen', `change nothing; exit with 1 if a skill differs from ${LOCK_FILE}`)
    .action(run(lock))

async function lock(
  io: Io,
  dir: string | undefined,
  { frozen = false }: { frozen?: boolean },
): Promise<number> {
  const folder = await findFolder(io, dir)
  await rejectPacked(io, folder, 'lock the folder of skills it was packed from')
  const file = resolve(io.cwd, LOCK_FILE)
  const { others = {}, skills: before } = (await readLock(file)) ?? {}
  if (frozen && !before) {
    throw invalidInput(`There is no ${LOCK_FILE} in ${io.cwd}`, 'write it with: skillshelf lock')
  }
  const now = await readSkills(io, folder, file)
  const changes = await compareSkills(before ?? new Map(), now)
  const skills = plural(now.size, 'skill')
  const old = [...now.keys()].filter(
    name => before?.has(name) && before.get(name)?.digest === undefined,
  )
  if (frozen) {
    if (changes.length === 0) printLines(io, `${skills}: as in ${LOCK_FILE}`)
    else printLines(io, `Not as in ${LOCK_FILE}`, shortList(changes))
    if (old.length > 0) {
      printErrors(
        io,
        `skillshelf: ${plural(old.length, 'skill')} in ${LOCK_FILE} without a digest of all files; add it with: skillshelf lock`,
      )
    }
    return changes.length === 0 ? EXIT.ok : EXIT.failed
  }
  if (changes.length > 0 || old.length > 0 || !before) {
    const locked = new Map<string, LockedSkill>()
    for (const [name, skill] of now) locked.set(name, await lockedSkill(before?.get(name), skill))
    await writeLock(file, { others, skills: locked })
  }
  printLines(io, `${skills} in ${LOCK_FILE}`, shortList(changes))
  return EXIT.ok
}

/** A skill as it is in the folder. */
interface FoundSkill {
  /** Real path of its folder. */
  folder: string
  content: FolderContent
  source: string
}

async function readSkills(
  io: Io,
  folder: string,
  lockFile: string,
): Promise<ReadonlyMap<string, FoundSkill>> {
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
    found.set(name, { folder: own, content, source })
    for (const link of content.outside) {
      io.stderr(
        `${plainLine(`skillshelf: ${name}: ${link} leads out of ${displayPath(io, folder)}; what is there is not locked`)}\n`,
      )
    }
  }
  return found
}

/** The entry of a skill. It stays as it is while the digest is the same. */
async function lockedSkill(
  before: LockedSkill | undefined,
  skill: FoundSkill,
): Promise<LockedSkill> {
  const digest = digestOf(skill, before)
  if (before?.digest === digest) return before
  const { folder, content, source } = skill
  const { digest: _, executable: known, ...rest } = before ?? { source, sourceType: 'local' }
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

function shortList(lines: readonly string[]): string[] {
  const more = lines.length > MAX_LINES ? [`  … and ${lines.length - MAX_LINES} more`] : []
  return [...lines.slice(0, MAX_LINES), ...more]
}
