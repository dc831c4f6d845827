import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { digestOf, shortDigest } from '../../../core/digest.js'
import { SkillshelfError } from '../../../core/errors.js'
import { joinPath } from '../../../core/paths.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { SkillSource } from '../../../source/source.js'
import type { CatalogEntry } from '../../catalog/catalog-entry.js'
import { type PackedCatalog, readCatalog } from '../../catalog/packed-catalog.js'
import { type PackedDetails, readPackedDetails } from '../../catalog/packed-details.js'
import { packedFile, readPackedFile, readStoredCatalog } from '../../catalog/packed-files.js'
import { loadSecretGuard, type PackSummary, packTree, type TreePackOptions } from './pack.js'

export type PackedContents = ReadonlyMap<string, Uint8Array<ArrayBuffer>>

export interface PackedLibrary {
  catalog: PackedCatalog
  files: PackedContents
}

export interface PackedFiles {
  /** The catalog is the last one. */
  files: PackedContents
  /** Digest of the catalog. It changes with every packed skill. */
  revision: string
}

type PackedLibraryOptions = Omit<TreePackOptions, 'wellKnown'>

/** Packs a source, or copies it if it is packed already. */
export async function readPackedLibrary(
  source: SkillSource,
  options: PackedLibraryOptions,
): Promise<PackedLibrary> {
  const stored = await readStoredCatalog(source, options.signal)
  if (stored) return copyPacked(source, stored.catalog, options)
  const { files } = await packToMemory(source, options)
  return {
    catalog: await readCatalog(files.get(CATALOG_FILE) as Uint8Array<ArrayBuffer>, CATALOG_FILE),
    files,
  }
}

async function copyPacked(
  source: SkillSource,
  catalog: PackedCatalog,
  options: PackedLibraryOptions,
) {
  const { signal, onProgress } = options
  const { createSecretGuard } = await loadSecretGuard()
  const guard = await createSecretGuard(options)
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const copy = async (path: string, digest: string): Promise<void> => {
    if (!files.has(path)) files.set(path, await readPackedFile(source, path, digest, signal))
  }
  await mapParallel(catalog.segments, PARALLEL_READS, ({ file }) =>
    copy(file, file.replace('.seg', '')),
  )
  let done = 0
  await mapParallel(catalog.skills, PARALLEL_READS, async entry => {
    await copy(packedFile(entry.details, '.json'), entry.details)
    const details = await readPackedDetails(memoryFiles(files, source.name), entry, signal)
    await copy(packedFile(entry.digest, '.md'), entry.digest)
    for (const { path, digest } of details.files) await copy(packedFile(digest, path), digest)
    guard.check(entry.path, contentsOf(files, entry, details))
    onProgress?.({ phase: 'write', done: ++done, total: catalog.skills.length })
  })
  guard.throwIfRefused()
  return { catalog, files }
}

/** The files of a packed skill by their own names. */
function contentsOf(files: PackedContents, { digest }: CatalogEntry, details: PackedDetails) {
  const all = [{ path: details.file, file: packedFile(digest, '.md') }].concat(
    details.files.map(one => ({ path: one.path, file: packedFile(one.digest, one.path) })),
  )
  return all.map(({ path, file }) => ({ path, bytes: files.get(file) as Uint8Array<ArrayBuffer> }))
}

export async function packToMemory(
  source: SkillSource,
  options: TreePackOptions,
): Promise<PackedFiles & { summary: PackSummary }> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const outputs = packTree(source, options)
  let next = await outputs.next()
  for (; !next.done; next = await outputs.next()) files.set(next.value.path, next.value.bytes)
  const revision = shortDigest(digestOf(files.get(CATALOG_FILE) as Uint8Array))
  return { files, summary: next.value, revision }
}

/** Keeps a packed library in memory. `packSource` is retried once, because editors write temporary files that vanish. */
export function livePack<Packed extends PackedFiles>(
  packSource: (current: Packed | undefined) => Promise<Packed>,
) {
  let current: Packed | undefined
  let previous: Packed | undefined
  return {
    /** Packs the source again and replaces the library as a whole. Calls must not overlap. */
    async update(): Promise<{ packed: Packed; changed: boolean }> {
      const packed = await packSource(current).catch(() => packSource(current))
      const changed = packed.revision !== current?.revision
      if (changed) previous = current
      current = packed
      return { packed, changed }
    },
    /** Reads a file of the library, or of the previous pack, because clients may hold its catalog. */
    read(path: string): { bytes: Uint8Array<ArrayBuffer>; version: string } | undefined {
      const bytes = current?.files.get(path) ?? previous?.files.get(path)
      return bytes && { bytes, version: shortDigest(digestOf(bytes)) }
    },
  }
}

export function memoryFiles(files: PackedContents, name: string): SkillSource {
  return {
    name,
    read: async path => {
      const bytes = files.get(path)
      return bytes && { bytes }
    },
  }
}

/** The diagnostics of a library and of each of its skills. */
export async function diagnosticsOf({ catalog, files }: PackedLibrary): Promise<Diagnostic[]> {
  const packed = memoryFiles(files, catalog.name)
  const ofSkills = await mapParallel(catalog.skills, PARALLEL_READS, async entry => {
    const { file, diagnostics } = await readPackedDetails(packed, entry)
    return diagnostics.map(one => ({ ...one, path: joinPath(entry.path, file) }))
  })
  return [...catalog.diagnostics, ...ofSkills.flat()]
}

/** @throws SkillshelfError `skill-not-found` if a library has no skill */
export function checkNotEmpty({ catalog }: PackedLibrary, where: string): void {
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
