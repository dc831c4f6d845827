import { readFile, stat } from 'node:fs/promises'
import { isDigest } from '../../core/digest.js'
import { invalidInput } from '../../core/errors.js'
import { isRecord, isStrings, parseJson } from '../../core/plain-data.js'
import { fileInfo, writeAtomic } from './paths.js'

/** A skill of `skills-lock.json`. Other fields, such as `ref`, stay. */
export interface LockedSkill extends Record<string, unknown> {
  /** The hash of `npx skills`. It does not cover links, modes, `node_modules` and where a path ends. */
  computedHash: string
  /** Covers everything in the folder. Absent in entries that `npx skills` wrote. */
  digest?: string
  /** Paths of executable files, for systems without that bit. */
  executable?: readonly string[]
}

export type LockedSkills = ReadonlyMap<string, LockedSkill>

export interface LockFile {
  /** Fields beside `version` and `skills`. */
  others: Readonly<Record<string, unknown>>
  skills: LockedSkills
}

export const LOCK_FILE = 'skills-lock.json'
const VERSION = 1
/** Limits of a lock that is read. */
const MAX_BYTES = 33_554_432
const MAX_SKILLS = 50_000

/** @returns `undefined` if there is no lock file @throws SkillshelfError `invalid-input` */
export async function readLock(file: string): Promise<LockFile | undefined> {
  if (!(await fileInfo(file))) return undefined
  const unreadable = (problem: string): Error =>
    invalidInput(
      `${LOCK_FILE} ${problem}`,
      'resolve its merge conflicts, or remove it and write it again',
    )
  // S3: a regular file, and its size, first.
  const info = await stat(file).catch(() => undefined)
  if (!info?.isFile()) throw unreadable('is not a file')
  if (info.size > MAX_BYTES) throw unreadable(`has ${info.size.toLocaleString('en')} bytes`)
  const lock = parseJson((await readFile(file, 'utf8')).replace(/^\ufeff/, ''))
  if (lock === undefined) throw unreadable('is not JSON')
  if (!isRecord(lock) || !isRecord(lock['skills'])) throw unreadable('has no skills')
  const { version, skills, ...others } = lock
  if (version !== VERSION) {
    throw unreadable(`has version ${JSON.stringify(version)?.slice(0, 80)}, not ${VERSION}`)
  }
  const entries = Object.entries(skills as Record<string, unknown>)
  if (entries.length > MAX_SKILLS) {
    throw unreadable(`has ${entries.length.toLocaleString('en')} skills`)
  }
  return {
    others,
    skills: new Map(
      entries.map(([name, skill]) => {
        const problem = findProblem(skill)
        if (problem) throw unreadable(`${problem} of ${name.slice(0, 100)}`)
        return [name, skill as LockedSkill]
      }),
    ),
  }
}

function findProblem(skill: unknown): string | undefined {
  if (!isRecord(skill) || typeof skill['computedHash'] !== 'string') return 'has no hash'
  const { digest, executable } = skill
  if (digest !== undefined && !(typeof digest === 'string' && isDigest(digest))) {
    return 'has no valid digest'
  }
  if (executable !== undefined && !isStrings(executable)) {
    return 'has no valid list of executable files'
  }
  return undefined
}

export async function writeLock(file: string, { others, skills }: LockFile): Promise<void> {
  // From entries, because a skill may be called __proto__.
  const lock = { ...others, version: VERSION, skills: Object.fromEntries(skills) }
  await writeAtomic(file, `${JSON.stringify(lock, null, 2)}\n`)
}
