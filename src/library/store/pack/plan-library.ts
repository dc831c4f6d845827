import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { SkillshelfError } from '../../../core/errors.js'
import { joinPath } from '../../../core/paths.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import type { SkillSource } from '../../../source/source.js'
import type { CatalogEntry } from '../../catalog/catalog-entry.js'
import { vectorFiles } from '../../catalog/index-files.js'
import type { PackedCatalog } from '../../catalog/packed-catalog.js'
import { parsePackedDetails } from '../../catalog/packed-details.js'
import { digestIn, packedFile, readPackedFile } from '../../catalog/packed-files.js'
import { readStoredCatalog } from '../../catalog/stored-catalog.js'
import type { PackedSkill } from '../publish/well-known-plan.js'
import { createFileReader } from './file-reader.js'
import type { PlanOptions } from './pack-options.js'
import { loadSecretGuard, type PackPlan, planTree } from './plan.js'
import type { PlannedFile } from './planned-file.js'

/** Plans the library of a source: packs its folders of skills, or copies it if it is packed already. @throws SkillshelfError as `planPack`, `format` */
export async function planLibrary(source: SkillSource, options: PlanOptions): Promise<PackPlan> {
  const stored = await readStoredCatalog(source, options.signal)
  return stored ? planCopy(source, stored.catalog, options) : planTree(source, options)
}

/** Plans a copy of a packed library. Every file is read and compared with its digest. @param catalog The catalog of the copy. */
export async function planCopy(
  source: SkillSource,
  catalog: PackedCatalog,
  options: PlanOptions,
): Promise<PackPlan> {
  const { signal, onProgress, hold } = options
  const { createSecretGuard } = await loadSecretGuard()
  const guard = await createSecretGuard(options)
  const held: SkillSource = { name: source.name, read: createFileReader(source, { hold }).read }
  const files = new Map<string, PlannedFile>()
  const copy = async (path: string, digest: string, part: PlannedFile['part'] = 'file') => {
    const bytes = await readPackedFile(held, path, digest, signal)
    files.set(path, {
      part,
      size: bytes.length,
      read: ({ signal } = {}) => readPackedFile(held, path, digest, signal),
    })
    return bytes
  }
  const copySkill = async (entry: CatalogEntry): Promise<PackedSkill> => {
    const json = await copy(packedFile(entry.details, '.json'), entry.details)
    const details = parsePackedDetails(json, entry, source)
    const main = { path: details.file, digest: entry.digest }
    for (const { path, digest } of [main, ...details.files]) {
      const bytes = await copy(packedFile(digest, path), digest)
      guard.check(entry.path, [{ path, bytes }])
    }
    return { entry, details, size: files.get(packedFile(entry.digest, '.md'))?.size }
  }

  let done = 0
  const total = catalog.skills.length
  const skills = await mapParallel(catalog.skills, PARALLEL_READS, async entry => {
    const skill = await copySkill(entry)
    done++
    onProgress?.({ phase: 'write', done, total })
    return skill
  })
  guard.throwIfRefused()
  await mapParallel(catalog.segments, PARALLEL_READS, ({ file }) =>
    copy(file, digestIn(file), 'segment'),
  )
  await mapParallel(vectorFiles(catalog.segments), PARALLEL_READS, file =>
    copy(file, file.replace('.vec', ''), 'vectors'),
  )
  const { diagnostics } = catalog
  return { found: skills.length, catalog, skills, files, diagnostics }
}

/** The problems of a library and of each of its skills, each of these at its SKILL.md. */
export function diagnosticsOf({ catalog, skills }: PackPlan): Diagnostic[] {
  const ofSkills = skills.flatMap(({ entry, details: { file, diagnostics } }) =>
    diagnostics.map(one => ({ ...one, path: joinPath(entry.path, file) })),
  )
  return [...catalog.diagnostics, ...ofSkills]
}

/** @throws SkillshelfError `skill-not-found` if a library has no skill */
export function checkNotEmpty({ catalog }: PackPlan, where: string): void {
  if (catalog.skills.length > 0) return
  const problem = catalog.diagnostics.find(
    ({ code }) => code === 'skill-left-out' || code === 'skill-unreadable',
  )
  throw new SkillshelfError(
    'skill-not-found',
    problem ? `${where} has no usable skill: ${problem.message}` : `${where} has no skill`,
    { subject: where, hint: problem?.hint ?? 'a skill is a folder with a SKILL.md' },
  )
}
