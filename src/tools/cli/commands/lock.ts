import { invalidInput } from '../../../core/errors.js'
import { type CommandDefinition, DIR_HELP } from '../command.js'
import { EXIT, type Io, plural, printErrors, printLines } from '../io.js'
import { LOCK_FILE, type LockedSkill, writeLock } from '../lock-file.js'
import { checkLock, type LockScope, lockedSkill, shortList } from '../locked-skills.js'
import { findOwnFolder, rejectPacked } from '../open-library.js'
import { packagesOption } from '../packages.js'

interface LockFlags {
  frozen?: boolean
  packages?: readonly string[]
}

export const lockCommand: CommandDefinition = (command, run) =>
  command('lock', `Write the digests of skills to ${LOCK_FILE}, or check them`, [
    'lock .claude/skills',
    'lock .claude/skills --frozen',
    'lock --packages @tanstack/db',
  ])
    .argument('[dir]', DIR_HELP)
    .addOption(packagesOption())
    .option('--frozen', `change nothing; exit with 1 if a skill differs from ${LOCK_FILE}`)
    .action(run(lock))

async function lock(
  io: Io,
  dir: string | undefined,
  { frozen = false, packages }: LockFlags,
): Promise<number> {
  const folder = await findOwnFolder(io, dir, packages)
  await rejectPacked(io, folder, 'lock the folder of skills it was packed from')
  const { file, lock: locked, now, changes } = await checkLock(io, { folder, packages, frozen })
  const before = locked?.skills
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
    const entries = new Map<string, LockedSkill>()
    for (const [name, skill] of now) entries.set(name, await lockedSkill(before?.get(name), skill))
    await writeLock(file, { others: locked?.others ?? {}, skills: entries })
  }
  printLines(io, `${skills} in ${LOCK_FILE}`, shortList(changes))
  return EXIT.ok
}

/** @throws if there is no lock, or the skills differ from it */
export async function requireLocked(io: Io, scope: Omit<LockScope, 'frozen'>): Promise<void> {
  const { changes } = await checkLock(io, { ...scope, frozen: true })
  if (changes.length === 0) return
  throw invalidInput(
    `Not as in ${LOCK_FILE}: ${shortList(changes)
      .map(line => line.trim())
      .join(', ')}`,
    'see what changed with: skillshelf diff; accept it with: skillshelf lock',
  )
}
