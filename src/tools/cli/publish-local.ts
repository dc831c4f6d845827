import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { joinPath } from '../../core/paths.js'
import { owningFolder, unreadableFolders } from '../../library/catalog/discover.js'
import { packedFile } from '../../library/catalog/packed-files.js'
import { internalSkills, type PackPlan } from '../../library/store/pack/plan.js'
import type { PlannedFile } from '../../library/store/pack/planned-file.js'
import {
  findFrontmatterProblem,
  type PackedSkill,
} from '../../library/store/publish/well-known-plan.js'
import { planInput } from '../../library/store/write/install-input.js'
import type { StoredSkill } from '../../library/store/write/stored-skill.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { folderSource } from './folder-source.js'
import type { Io, ProgressBar } from './io.js'
import { allInternalError, noSkillsError, noUsableSkillError } from './open-library.js'
import { displayPath } from './paths.js'

/** A skill as it would be stored. */
export interface LocalSkill extends Omit<StoredSkill, 'name'> {
  /** All its files, by path in the folder. The first is its SKILL.md. */
  files: ReadonlyMap<string, PlannedFile>
  /** Bytes of all its files. */
  size: number
  packed: PackedSkill
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

interface ReadOptions {
  progress: ProgressBar
  allow: readonly string[] | undefined
  internal: boolean | undefined
}

/** Plans a folder as a store would, so that unchanged skills have the same digests. A skill at the root gets a folder with its name. */
export async function readLocal(
  io: Io,
  path: string,
  { progress, internal, ...options }: ReadOptions,
): Promise<LocalSkills> {
  const { plan, folder, allow } = await planInput(folderSource(io, path), {
    signal: io.signal,
    allow: options.allow,
    internal,
    onProgress: ({ phase, done, total }) =>
      progress.update(phase === 'read' ? 'reading' : 'packing', done, total),
  })
  const { catalog } = plan
  const skills = plan.skills.map(skill => toLocalSkill(skill, plan))
  const folders = new Set(skills.map(({ folder }) => folder))
  const unread = catalog.diagnostics.filter(({ code }) => code === 'skill-unreadable')
  const partial = new Set(unread.map(({ path = '' }) => owningFolder(path, folders)))
  const kept = internalSkills(plan.diagnostics)
  if (skills.length === 0) {
    const where = displayPath(io, path)
    if (kept.length > 0) throw allInternalError(where)
    throw catalog.diagnostics.length === 0 ? noSkillsError(where) : noUsableSkillError(where)
  }
  return {
    skills,
    allow,
    alone: skills.length === 1 && folder !== undefined,
    isPartial: folder => partial.has(folder),
    isHidden: unreadableFolders(
      catalog.diagnostics.map(({ path = '', message }) => ({ path, unreadable: message })),
    ),
    diagnostics: [...catalog.diagnostics, ...kept, ...(await skippedByClients(skills, io.signal))],
  }
}

function toLocalSkill(packed: PackedSkill, plan: PackPlan): LocalSkill {
  const { entry, details } = packed
  const files = [
    { path: details.file, packed: packedFile(entry.digest, '.md') },
    ...details.files.map(({ path, digest }) => ({ path, packed: packedFile(digest, path) })),
  ].map(({ path, packed }) => [path, plan.files.get(packed) as PlannedFile] as const)
  const size = files.reduce((sum, [, file]) => sum + file.size, 0)
  const { path: folder, digest, details: detailsDigest } = entry
  return { folder, digest, details: detailsDigest, files: new Map(files), size, packed }
}

/** Reports skills that a server publishes but `npx skills add` skips, because it reads plain YAML only. */
async function skippedByClients(
  skills: readonly LocalSkill[],
  signal: AbortSignal | undefined,
): Promise<Diagnostic[]> {
  const diagnostics: Diagnostic[] = []
  for (const { folder, files } of skills) {
    const [[name, file] = []] = files
    if (name === undefined || !file) continue
    const problem = await findFrontmatterProblem(await file.read({ signal }))
    if (!problem) continue
    const { reason, ...details } = problem
    const message = `\`npx skills add\` skips this skill: ${reason}`
    const path = joinPath(folder, name)
    diagnostics.push({ code: 'published-partly', severity: 'warning', message, path, ...details })
  }
  return diagnostics
}

/** Reads the files of skills, by path in their folders, or with `inFolder` below these. */
export async function readFiles(
  skills: readonly LocalSkill[],
  { inFolder, signal }: { inFolder: boolean; signal: AbortSignal | undefined },
): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const files = skills.flatMap(({ folder, files }) =>
    [...files].map(([path, file]) => ({ path: inFolder ? joinPath(folder, path) : path, file })),
  )
  const contents = await mapParallel(
    files,
    PARALLEL_READS,
    async ({ path, file }) => [path, await file.read({ signal })] as const,
  )
  return Object.fromEntries(contents)
}
