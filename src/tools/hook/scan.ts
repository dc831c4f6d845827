/** Finds the skills in folders. Everything that a prompt waits for in large folders is here, so it is synchronous. */
import { existsSync, lstatSync, type Stats } from 'node:fs'
import { isJunkName, isResourceFolder, mayBeSkill } from '../../core/content.js'
import { basename, trySafePath } from '../../core/paths.js'
import { ANALYZER } from '../../core/text/analyze.js'
import { VERSION } from '../../core/version.js'
import { DIGESTS } from '../../search/model/bundled/digests.js'
import { MAX_MESSAGES_BYTES, MESSAGES_FILE } from '../../skill/messages.js'
import type { SkillRoot, SkillRule } from './hosts/host.js'
import { createLinkRule } from './link-rule.js'
import { listFolder } from './list-folder.js'
import type { SkillPlaces } from './places.js'
import { Refusal, reasonOf } from './refusal.js'

/** Skills beyond these, and folders below this depth, are not read. */
const MAX_SKILLS = 5_000
const MAX_DEPTH = 4
/** Entries of folders that are looked at in one folder of skills. */
const MAX_ENTRIES = 20_000
/** Bytes of a SKILL.md, and of all, that are read. */
const MAX_SKILL_BYTES = 1_048_576
const MAX_ALL_BYTES = 64 * 1_048_576
/** Bytes of a file that may hide a skill. */
const MAX_POLICY_BYTES = 65_536
/** Sentences on what is not offered. */
const MAX_PROBLEMS = 100
/** An invalid byte in a name. */
const REPLACEMENT = '\ufffd'
const MAY_BE_MISSING = { throwIfNoEntry: false } as const

/** A file that was looked at, and may be read. */
export interface ScannedFile extends Pick<Stats, 'dev' | 'ino' | 'size'> {
  /** Its path, whose last part is not a link. */
  path: string
  /** Changes with the content. */
  stamp: string
}

export interface ScannedSkill {
  /** Its SKILL.md, as the host knows it. */
  path: string
  /** The folder of skills that it was found in. */
  root: SkillRoot
  file: ScannedFile
  messages: ScannedFile | undefined
  /** A file of its host that may hide it from the model. */
  policy: ScannedFile | undefined
}

export interface Scan {
  /** By its path in the cache: number of the folder, then its path there. */
  skills: ReadonlyMap<string, ScannedSkill>
  /** What the host switches off among them. */
  rules: readonly SkillRule[]
  /** Changes with any SKILL.md, its messages, the rules, and the version of skillshelf. Not hashed, which would take longer than comparing it. */
  fingerprint: string
  /** Bytes of all files. */
  bytes: number
  /** Sentences on what is not offered. */
  problems: readonly string[]
}

/** Names of the file with the instructions. The first that is there is read. */
const SKILL_FILES = ['SKILL.md', 'skill.md']

/** A folder or link that may be a skill, or may hold some. */
interface Entry {
  root: SkillRoot
  /** Its path, as the host knows it. */
  folder: string
  /** Its path in the cache. */
  path: string
  isLink: boolean
  /** 1 in the folder of skills itself. */
  depth: number
}

/**
 * Finds the skills in folders of skills.
 *
 * S16: One bad entry silences no other. Whatever cannot be read becomes a problem, and the limits are counted for the user first, so that
 * no project leaves out the skills of the person who works in it.
 */
export function scanFolders(places: SkillPlaces): Scan {
  const rule = createLinkRule(places)
  const skills = new Map<string, ScannedSkill>()
  const lines: string[] = []
  const problems: string[] = [...places.problems]
  let bytes = 0
  /** Entries of the current root that may still be looked at. */
  let entriesLeft = 0

  const report = (path: string, error: unknown): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(`${path} ${reasonOf(error)}`)
  }
  const scanRoot = (root: SkillRoot, number: number): void => {
    entriesLeft = MAX_ENTRIES
    rule.followRoot(root)
    const entry = { root, folder: root.path, path: String(number), isLink: false, depth: 0 }
    if (root.isSkill) findSkill(entry)
    if (root.levels !== 0) visitEntries(entry)
  }
  const visitEntries = ({ root, folder, path, depth }: Entry): void => {
    const listed = listFolder(folder, entriesLeft)
    entriesLeft -= listed.length
    for (const entry of listed) {
      const { name } = entry
      const isLink = entry.isSymbolicLink()
      if (name.startsWith('.') || (!isLink && !entry.isDirectory())) continue
      const isOther = isJunkName(name) && !mayBeSkill(name)
      // The files of a skill are no skills.
      if (isOther || (root.isSkill && depth === 0 && isResourceFolder(name))) continue
      const child = `${folder}/${name}`
      try {
        visitEntry({ root, folder: child, path: `${path}/${name}`, isLink, depth: depth + 1 })
      } catch (error) {
        report(child, error)
      }
    }
    if (entriesLeft === 0) throw new Refusal(`has too many entries: ${MAX_ENTRIES} are read`)
  }
  const visitEntry = (entry: Entry): void => {
    const { root, folder, path, isLink, depth } = entry
    // Other programs could read such a path differently.
    if (path.includes(REPLACEMENT) || trySafePath(path) !== path) {
      throw new Refusal('has a name that is not safe as a path')
    }
    if (isLink) rule.followFolder(root, folder, depth === 1)
    if (findSkill(entry) || isLink || depth >= (root.levels ?? MAX_DEPTH)) return
    if (!isJunkName(basename(folder))) visitEntries(entry)
  }
  /** Whether a folder is a skill. */
  const findSkill = (entry: Entry): boolean => {
    for (const name of SKILL_FILES) {
      const file = `${entry.folder}/${name}`
      const info = lstatSync(file, MAY_BE_MISSING)
      if (info && !info.isDirectory()) {
        addSkill(entry, file, info)
        return true
      }
      if (info) report(file, new Refusal('is not a regular file'))
    }
    return false
  }
  const addSkill = ({ root, folder, path }: Entry, skillFile: string, info: Stats): void => {
    const file = findFile(root, skillFile, info, MAX_SKILL_BYTES)
    if (!file) return
    if (skills.size >= MAX_SKILLS || bytes + file.size > MAX_ALL_BYTES) {
      throw new Refusal('is not read: there are too many skills')
    }
    const messagesFile = `${folder}/${MESSAGES_FILE}`
    // Most skills have none, and this is faster than an lstat that fails.
    const messages = existsSync(messagesFile)
      ? findFile(root, messagesFile, undefined, MAX_MESSAGES_BYTES)
      : undefined
    const policyFile = `${folder}/${root.policyFile}`
    const hasPolicy = root.policyFile !== undefined && existsSync(policyFile)
    const policy = hasPolicy ? findFile(root, policyFile, undefined, MAX_POLICY_BYTES) : undefined
    // In doubt it is not offered.
    if (hasPolicy && !policy) return
    bytes += file.size + (messages?.size ?? 0)
    skills.set(path, { path: skillFile, root, file, messages, policy })
    lines.push([path, file.stamp, messages?.stamp ?? '', policy?.stamp ?? ''].join('\t'))
  }
  /** Finds a file of a skill. One that cannot be read is reported, and missing: a skill is offered without its messages. */
  const findFile = (
    root: SkillRoot,
    path: string,
    known: Stats | undefined,
    limit: number,
  ): ScannedFile | undefined => {
    try {
      const own = known ?? lstatSync(path)
      const target = own.isSymbolicLink() ? rule.followFile(root, path) : { real: path, info: own }
      const { dev, ino, size, ctimeMs } = target.info
      // S3: only regular files are opened, their size is known first and limited.
      if (!target.info.isFile()) throw new Refusal('is not a regular file')
      if (size > limit) throw new Refusal(`has ${size} bytes, and at most ${limit} are read`)
      // The ctime, because a copy may keep the mtime of the original.
      return { path: target.real, dev, ino, size, stamp: `${ctimeMs} ${size}` }
    } catch (error) {
      report(path, error)
      return undefined
    }
  }

  const order = { user: 0, plugin: 1, project: 2 }
  const numbered = places.roots.map((root, number) => ({ root, number }))
  for (const { root, number } of numbered.sort(
    (a, b) => order[a.root.owner] - order[b.root.owner],
  )) {
    try {
      scanRoot(root, number)
    } catch (error) {
      report(root.path, error)
    }
  }
  // Problems are part of it, so that the next pack reports them once.
  const fingerprint = [
    `${VERSION} ${ANALYZER} ${DIGESTS.latin}`,
    ...lines,
    ...(places.rules.length > 0 ? [JSON.stringify(places.rules)] : []),
    ...problems,
  ].join('\n')
  return { skills, rules: places.rules, fingerprint, bytes, problems }
}
