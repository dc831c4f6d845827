import { joinPath } from '../../core/paths.js'
import { owningFolder, unreadableFolders } from '../../library/catalog/discover.js'
import { memoryFiles, readPackedLibrary } from '../../library/store/pack/packed-library.js'
import { findFrontmatterProblem } from '../../library/store/publish/well-known-plan.js'
import { allowedInFolder, moveRootSkill } from '../../library/store/write/install-input.js'
import { readStoredSkill, type StoredSkill } from '../../library/store/write/stored-skill.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { isMacosMetadata } from '../../source/archive/entries.js'
import type { ListableSource } from '../../source/source.js'
import { folderSource } from './folder-source.js'
import type { Io, ProgressBar } from './io.js'
import { noSkillsError, noUsableSkillError } from './open-library.js'
import { displayPath } from './paths.js'

/** A skill as it would be stored. */
export interface LocalSkill extends Omit<StoredSkill, 'name'> {
  /** All its files, by path in the folder. The first is its SKILL.md. */
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  /** Bytes of all its files. */
  size: number
}

/** A folder of skills, read as a store would. */
export interface LocalSkills {
  skills: readonly LocalSkill[]
  /** Paths that look like secrets and are meant. */
  allow: readonly string[] | undefined
  /** Whether the folder itself is the only skill. */
  alone: boolean
  /** Whether a file of this skill cannot be read. */
  isPartial(folder: string): boolean
  /** Whether this folder may hold a skill that cannot be read. */
  isHidden(folder: string): boolean
  diagnostics: readonly Diagnostic[]
}

/** Reads a folder as a store would, so that unchanged skills have the same digests. A skill at the root gets a folder with its name. */
export async function readLocal(
  io: Io,
  path: string,
  progress: ProgressBar,
  allowed: readonly string[] | undefined,
): Promise<LocalSkills> {
  const tree = openTree(io, path)
  const source = await moveRootSkill(tree, undefined, io.signal)
  const allow = allowedInFolder(allowed, source.folder)
  const { catalog, files } = await readPackedLibrary(source, {
    signal: io.signal,
    allow,
    onProgress: ({ phase, done, total }) =>
      progress.update(phase === 'read' ? 'reading' : 'packing', done, total),
  })
  const held = memoryFiles(files, source.name)
  const skills = await Promise.all(
    catalog.skills.map(async (entry): Promise<LocalSkill> => {
      const own = await readStoredSkill(held, entry, {})
      const size = [...own.values()].reduce((sum, bytes) => sum + bytes.length, 0)
      return { folder: entry.path, digest: entry.digest, details: entry.details, files: own, size }
    }),
  )
  const folders = new Set(skills.map(({ folder }) => folder))
  const unread = catalog.diagnostics.filter(({ code }) => code === 'skill-unreadable')
  const partial = new Set(unread.map(({ path = '' }) => owningFolder(path, folders)))
  if (skills.length === 0) {
    const where = displayPath(io, path)
    throw catalog.diagnostics.length === 0 ? noSkillsError(where) : noUsableSkillError(where)
  }
  return {
    skills,
    allow,
    alone: skills.length === 1 && source !== tree,
    isPartial: folder => partial.has(folder),
    isHidden: unreadableFolders(
      catalog.diagnostics.map(({ path = '', message }) => ({ path, unreadable: message })),
    ),
    diagnostics: [...catalog.diagnostics, ...(await skippedByClients(skills))],
  }
}

/** Opens a folder as a store would take it. `name`: first part of the ids, unless the folder is a packed library. */
export function openTree(io: Io, path: string, name?: string): ListableSource {
  const folder = folderSource(io, path, { name })
  return {
    ...folder,
    // A store skips these files, so they must not change digests.
    list: async at => (await folder.list(at)).filter(entry => !isMacosMetadata(entry.path)),
  }
}

/** Reports skills that a server publishes but `npx skills add` skips, because it reads plain YAML only. */
async function skippedByClients(skills: readonly LocalSkill[]): Promise<Diagnostic[]> {
  const diagnostics: Diagnostic[] = []
  for (const { folder, files } of skills) {
    const [[file, bytes] = ['', new Uint8Array()]] = files
    const problem = await findFrontmatterProblem(bytes)
    if (!problem) continue
    const { reason, ...details } = problem
    const message = `\`npx skills add\` skips this skill: ${reason}`
    const path = joinPath(folder, file)
    diagnostics.push({ code: 'published-partly', severity: 'warning', message, path, ...details })
  }
  return diagnostics
}

export function inFolders(skills: readonly LocalSkill[]): Record<string, Uint8Array<ArrayBuffer>> {
  return Object.fromEntries(
    skills.flatMap(({ folder, files }) =>
      [...files].map(([path, bytes]) => [joinPath(folder, path), bytes] as const),
    ),
  )
}
