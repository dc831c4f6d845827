import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { invalidInput } from '../../core/errors.js'
import { isRecord, parseJson } from '../../core/plain-data.js'
import { type CommandDefinition, DIR_HELP } from './command.js'
import { EXIT, type Io, plural, printLines } from './io.js'
import { findFolder, openSkills, rejectPacked } from './open-library.js'
import { displayPath, pathKind, writeAtomic } from './paths.js'

/** A skill of `skills-lock.json`. Other fields, such as `ref`, stay. */
interface LockedSkill extends Record<string, unknown> {
  computedHash: string
}
type LockedSkills = ReadonlyMap<string, LockedSkill>

const LOCK_FILE = 'skills-lock.json'
const VERSION = 1
/** Folders that `npx skills` leaves out of the hash. */
const NOT_HASHED: ReadonlySet<string> = new Set(['.git', 'node_modules'])

export const lockCommand: CommandDefinition = (command, run) =>
  command('lock', `Write the digests of skills to ${LOCK_FILE}, or check them`, [
    'lock .claude/skills',
    'lock .claude/skills --frozen',
  ])
    .argument('[dir]', DIR_HELP)
    .option('--frozen', `change nothing; exit with 1 if a skill differs from ${LOCK_FILE}`)
    .action(run(lock))

async function lock(io: Io, dir: string | undefined, { frozen = false }: { frozen?: boolean }): Promise<number> {
  const folder = await findFolder(io, dir)
  await rejectPacked(io, folder, 'lock the folder of skills it was packed from')
  const file = resolve(io.cwd, LOCK_FILE)
  const before = await readLock(file)
  if (frozen && !before) throw invalidInput(`There is no ${LOCK_FILE} in ${io.cwd}`, 'write it with: skillshelf lock')
  const now = await hashSkills(io, folder, before ?? new Map())
  const changes = compare(before ?? new Map(), now)
  const skills = plural(now.size, 'skill')
  if (frozen) {
    if (changes.length === 0) printLines(io, `${skills}: as in ${LOCK_FILE}`)
    else printLines(io, `Not as in ${LOCK_FILE}`, changes)
    return changes.length === 0 ? EXIT.ok : EXIT.failed
  }
  if (changes.length > 0 || !before)
    await writeAtomic(file, `${JSON.stringify({ version: VERSION, skills: Object.fromEntries(now) }, null, 2)}\n`)
  printLines(io, `${skills} in ${LOCK_FILE}`, changes)
  return EXIT.ok
}

async function hashSkills(io: Io, folder: string, before: LockedSkills): Promise<LockedSkills> {
  const { library } = await openSkills(io, folder, { meaning: false })
  await using _ = library
  const locked = new Map<string, LockedSkill>()
  for (const { name, path } of library.snapshot.skills.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (locked.has(name))
      throw invalidInput(`Two skills of ${displayPath(io, folder)} are called ${name}`, 'rename or remove one of them')
    io.signal?.throwIfAborted()
    const computedHash = await hashFolder(join(folder, ...path.split('/')))
    const source = relative(io.cwd, folder).split(sep).join('/') || '.'
    locked.set(name, { ...(before.get(name) ?? { source, sourceType: 'local' }), computedHash })
  }
  return locked
}

/** The hash of `npx skills`: SHA-256 over the path and the content of each file, in the order of their paths. */
async function hashFolder(folder: string): Promise<string> {
  const files = (await listFiles(folder)).map(file => ({ file, path: relative(folder, file).split(sep).join('/') }))
  const hash = createHash('sha256')
  for (const { file, path } of files.sort((a, b) => a.path.localeCompare(b.path))) {
    hash.update(path)
    hash.update(await readFile(file))
  }
  return hash.digest('hex')
}

async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile()) files.push(path)
    else if (entry.isDirectory() && !NOT_HASHED.has(entry.name)) files.push(...(await listFiles(path)))
  }
  return files
}

function compare(before: LockedSkills, now: LockedSkills): string[] {
  return [...new Set([...before.keys(), ...now.keys()])].sort().flatMap(name => {
    const [old, current] = [before.get(name), now.get(name)]
    if (old?.computedHash === current?.computedHash) return []
    return `  ${!old ? 'added' : !current ? 'removed' : 'changed'}  ${name}`
  })
}

/** @returns `undefined` if there is no lock file */
async function readLock(file: string): Promise<LockedSkills | undefined> {
  if ((await pathKind(file)) !== 'file') return undefined
  const unreadable = (problem: string): Error =>
    invalidInput(`${LOCK_FILE} ${problem}`, 'resolve its merge conflicts, or remove it and write it again')
  const lock = parseJson(await readFile(file, 'utf8'))
  if (lock === undefined) throw unreadable('is not JSON')
  if (!isRecord(lock) || !isRecord(lock['skills'])) throw unreadable('has no skills')
  if (lock['version'] !== VERSION) throw unreadable(`has version ${String(lock['version'])}, not ${VERSION}`)
  return new Map(
    Object.entries(lock['skills']).map(([name, skill]) => {
      if (!isRecord(skill) || typeof skill['computedHash'] !== 'string') throw unreadable(`has no hash of ${name}`)
      return [name, { ...skill, computedHash: skill['computedHash'] }]
    }),
  )
}
