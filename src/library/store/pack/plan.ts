import type { AbortOptions } from '../../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { isSkillFile } from '../../../core/content.js'
import { digestOf, shortDigest } from '../../../core/digest.js'
import { SkillshelfError } from '../../../core/errors.js'
import { onDemand } from '../../../core/load-module.js'
import { joinPath, relativePath } from '../../../core/paths.js'
import type { Secret } from '../../../core/secrets/find-secret.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import { pointerDiagnostic } from '../../../skill/lfs-pointer.js'
import { MESSAGES_FILE } from '../../../skill/messages.js'
import type { FileInfo, SkillDetails } from '../../../skill/skill.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { SkillSource } from '../../../source/source.js'
import { CATALOG_FORMAT } from '../../catalog/catalog-bytes.js'
import type { CatalogEntry, TreeSkill } from '../../catalog/catalog-entry.js'
import { mergeCopies } from '../../catalog/merge-copies.js'
import type { PackedCatalog } from '../../catalog/packed-catalog.js'
import type { PackedDetails } from '../../catalog/packed-details.js'
import { type PackedFileInfo, packedFile } from '../../catalog/packed-files.js'
import { readTree } from '../../catalog/read-tree.js'
import { confusableNames, copyDiagnostics } from '../../catalog/snapshot.js'
import type { PackedSkill } from '../publish/well-known-plan.js'
import { createFileReader, type FileReader } from './file-reader.js'
import type { PlanOptions } from './pack-options.js'
import { type IndexedSkill, planSegments } from './plan-segments.js'
import type { PlannedFile } from './planned-file.js'
import type { SecretGuard } from './secret-guard.js'

/** Loaded on demand, because a page that opens libraries does not pack. */
export const loadSecretGuard = onDemand(() => import('./secret-guard.js'))

/**
 * A packed library of which nothing is written yet.
 *
 * `planPack` makes it of a folder of skills, `planLibrary` of a packed library too. `pack`, the command line, stores and engines write it:
 * first the files, last the catalog. A plan does not hold a large library: what `hold` has no room for is read again when it is written.
 */
export interface PackPlan {
  /** Number of SKILL.md files found. */
  readonly found: number
  /** The content of `skillshelf.json`. Its `skills` are the entries. */
  readonly catalog: PackedCatalog
  /** The entries of the catalog, in its order, with the details of each skill. */
  readonly skills: readonly PackedSkill[]
  /** The other files, by their path in the packed library. Files of skills come first, segments and vectors last. */
  readonly files: ReadonlyMap<string, PlannedFile>
  /** Problems of the source and of each skill, and secrets that were left out. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Loaded on demand, because few skills require others. */
const loadRequired = onDemand(() => import('../../catalog/required.js'))

/**
 * Plans the packed library of a source of skill folders. The same skills give the same plan.
 * @throws SkillshelfError `unsupported` if the source cannot be listed or is packed already, `source-failed` if a file cannot be read,
 * `invalid-input` if a file is a secret
 */
export async function planPack(source: SkillSource, options: PlanOptions = {}): Promise<PackPlan> {
  if (
    source.list !== undefined &&
    (await source.read(CATALOG_FILE, { signal: options.signal })) !== undefined
  ) {
    throw new SkillshelfError(
      'unsupported',
      `${source.name} is packed already: it has a ${CATALOG_FILE}`,
      { subject: source.name, hint: 'pack the folder of skills it was made from' },
    )
  }
  return planTree(source, options)
}

/** As `planPack`, of a source that is known not to be packed. */
export async function planTree(source: SkillSource, options: PlanOptions): Promise<PackPlan> {
  const { signal, strict, countTokens, hold, onProgress } = options
  const list = source.list?.bind(source)
  if (!list) {
    throw new SkillshelfError(
      'unsupported',
      `${source.name} cannot be listed, so it cannot be packed`,
      { subject: source.name },
    )
  }
  const { createSecretGuard } = await loadSecretGuard()
  const guard = await createSecretGuard(options)
  const pointers: Diagnostic[] = []
  const reader = createFileReader(source, {
    hold,
    examine(path, bytes) {
      const pointer = pointerDiagnostic(path, bytes)
      // Of a SKILL.md, its parser says so.
      if (pointer && !isSkillFile(path)) pointers.push(pointer)
      return guard.examine(path, bytes)
    },
  })
  const {
    changed: read,
    contents,
    found,
    diagnostics,
  } = await readTree(
    { name: source.name, list, read: reader.read },
    {
      strict,
      countTokens,
      signal,
      onProgress: (done, total) => onProgress?.({ phase: 'read', done, total }),
    },
  )
  const internal = read.filter(skill => isKeptBack(skill, options))
  const kept = read.filter(skill => !isKeptBack(skill, options))
  const changed = mergeCopies(kept, contents)
  await mapParallel(changed.flatMap(pathsOf), PARALLEL_READS, path => reader.find(path, { signal }))
  const planned: PlannedSkill[] = []
  for (const skill of changed) {
    const one = await planSkill(skill, { reader, guard, signal })
    if (one) planned.push(one)
  }
  guard.throwIfRefused()
  const skills = planned.map(({ skill }) => skill)
  const { segments, files } = await planSegments(planned, options)
  const placed = changed.map(({ entry: { path, name, copies } }) => ({ id: path, name, copies }))
  return {
    found,
    catalog: {
      format: CATALOG_FORMAT,
      name: source.name,
      skills: skills.map(({ entry }) => entry),
      segments,
      diagnostics,
    },
    skills,
    files: new Map([...planned.flatMap(skill => skill.files), ...files]),
    diagnostics: [
      ...diagnostics,
      ...changed.flatMap(({ details }) => details.diagnostics),
      ...(await requiredDiagnostics(changed)),
      ...guard.diagnostics,
      ...pointers,
      ...internal.map(internalDiagnostic),
      ...confusableNames(placed),
      ...placed.flatMap(copyDiagnostics),
    ],
  }
}

/** Whether a skill is for work on its repository, and nobody asked for it. */
function isKeptBack(
  { entry, details }: TreeSkill,
  { internal = false, named = '' }: PlanOptions,
): boolean {
  return details.metadata.internal === true && !internal && entry.path !== named
}

/** Reports what is missing of what the skills require. */
async function requiredDiagnostics(skills: readonly TreeSkill[]): Promise<Diagnostic[]> {
  if (!skills.some(({ details }) => details.metadata.requires)) return []
  const { checkRequired, requiringSkills } = await loadRequired()
  return checkRequired(requiringSkills(skills))
}

/** Of the diagnostics of a plan, those of skills that were left out because they are internal. */
export function internalSkills(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.filter(({ code }) => code === 'skill-internal')
}

function internalDiagnostic({ entry, details }: TreeSkill): Diagnostic {
  return {
    code: 'skill-internal',
    severity: 'warning',
    message: `${entry.path} is internal, so it was left out`,
    path: joinPath(entry.path, details.file),
    hint: 'pass --internal or `internal: true` to publish it',
  }
}

interface PlannedSkill extends IndexedSkill {
  /** Its files by packed path. */
  files: [path: string, file: PlannedFile][]
}

interface SkillPlanOptions extends AbortOptions {
  reader: FileReader<Secret>
  guard: SecretGuard
}

/** Plans a skill whose files were read. `undefined` if its SKILL.md is a secret, which is left out or stops the plan. */
async function planSkill(
  tree: TreeSkill,
  { reader, guard, signal }: SkillPlanOptions,
): Promise<PlannedSkill | undefined> {
  const { entry, body } = tree
  const files: [string, PlannedFile][] = []
  const kept: PackedFileInfo[] = []
  for (const origin of pathsOf(tree)) {
    const { size, digest, finding } = await reader.find(origin, { signal })
    if (finding) {
      guard.report(finding)
      continue
    }
    const path = relativePath(entry.path, origin)
    kept.push({ path, size, digest })
    const read: PlannedFile['read'] = options => reader.bytesOf(origin, options)
    files.push([packedFile(digest, path), { part: 'file', size, read }])
  }
  const [main, ...listed] = kept
  // Not before every file was examined, so that all secrets are reported at once.
  if (main?.path !== tree.details.file) return undefined
  const details = { ...withoutLeftOut(tree.details, listed), files: listed }
  const json = writeDetails(details)
  const digest = digestOf(json)
  // Written again instead of held: there is one for each skill.
  const detailsFile: PlannedFile = {
    part: 'file',
    size: json.length,
    read: async () => writeDetails(details),
  }
  files.push([packedFile(digest, '.json'), detailsFile])
  const { messages, notMessages, metadata } = details
  const skill: PackedSkill = {
    entry: { ...entry, details: digest, ...contentOf(details) },
    details,
    size: main.size,
  }
  const document = { ...entry, whenToUse: metadata.whenToUse, messages, notMessages, body }
  return { skill, files, document }
}

/** The paths of a skill in its source: its SKILL.md, then the other files. */
function pathsOf({ entry, details }: TreeSkill): string[] {
  return [details.file, ...details.files.map(({ path }) => path)].map(path =>
    joinPath(entry.path, path),
  )
}

/** The details of a skill without the messages of a file that was left out. */
function withoutLeftOut(details: SkillDetails, kept: readonly FileInfo[]): SkillDetails {
  const isMessages = ({ path }: FileInfo): boolean => path === MESSAGES_FILE
  if (!details.files.some(isMessages) || kept.some(isMessages)) return details
  const { messages: _, notMessages: __, ...rest } = details
  const { messages } = details.metadata
  return messages ? { ...rest, messages } : rest
}

function writeDetails(details: PackedDetails): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(details))
}

/** See `CatalogEntry.content`. */
function contentOf(details: PackedDetails): Pick<CatalogEntry, 'content'> {
  if (details.diagnostics.length === 0) return {}
  return { content: shortDigest(digestOf(writeDetails({ ...details, diagnostics: [] }))) }
}
