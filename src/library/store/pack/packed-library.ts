import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import type { OnProgress } from '../../../core/progress.js'
import type { TokenCounter } from '../../../core/tokens.js'
import type { SkillModel } from '../../../search/model/types.js'
import type { FileInfo } from '../../../skill/types.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { SkillSource } from '../../../source/types.js'
import { type PackedCatalog, readCatalog } from '../../catalog/packed-catalog.js'
import { packedFile, readPackedDetails, readPackedFile } from '../../catalog/packed-files.js'
import type { CatalogEntry } from '../../catalog/types.js'
import { pack } from './pack.js'

/** A packed library in memory. */
export interface PackedLibrary {
  catalog: PackedCatalog
  /** Every file except the catalog, by path. */
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
}

export interface PackedLibraryOptions {
  embedder?: SkillModel | undefined
  strict?: boolean | undefined
  countTokens?: TokenCounter | undefined
  signal?: AbortSignal | undefined
  onProgress?: OnProgress | undefined
}

/** Packs a source, or copies it if it is packed already. */
export async function readPackedLibrary(source: SkillSource, options: PackedLibraryOptions): Promise<PackedLibrary> {
  const packed = await source.read(CATALOG_FILE, { signal: options.signal })
  if (packed !== undefined && packed !== 'unchanged') return copyPacked(source, packed.bytes, options)
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  for await (const { path, bytes } of pack(source, options)) files.set(path, bytes)
  const catalog = await readCatalog(files.get(CATALOG_FILE) as Uint8Array<ArrayBuffer>, CATALOG_FILE)
  files.delete(CATALOG_FILE)
  return { catalog, files }
}

/** The paths of a packed skill: its SKILL.md, its details, its other files. */
export function packedFiles(entry: CatalogEntry, files: readonly FileInfo[]): string[] {
  return [
    packedFile(entry.digest, '.md'),
    packedFile(entry.details, '.json'),
    ...files.map(({ path, digest }) => packedFile(digest as string, path)),
  ]
}

async function copyPacked(
  source: SkillSource,
  catalogBytes: Uint8Array<ArrayBuffer>,
  { signal, onProgress }: PackedLibraryOptions,
): Promise<PackedLibrary> {
  const catalog = await readCatalog(catalogBytes, `${CATALOG_FILE} of ${source.name}`)
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const copy = async (path: string, digest: string): Promise<void> => {
    if (!files.has(path)) files.set(path, await readPackedFile(source, path, digest, signal))
  }
  await mapParallel(catalog.segments, PARALLEL_READS, ({ file }) => copy(file, file.replace('.seg', '')))
  let done = 0
  await mapParallel(catalog.skills, PARALLEL_READS, async entry => {
    await copy(packedFile(entry.details, '.json'), entry.details)
    const details = await readPackedDetails(memoryFiles(files, source.name), entry, signal)
    await copy(packedFile(entry.digest, '.md'), entry.digest)
    for (const { path, digest } of details.files) await copy(packedFile(digest as string, path), digest as string)
    onProgress?.({ phase: 'write', done: ++done, total: catalog.skills.length })
  })
  return { catalog, files }
}

/** A source that reads files from a map. */
export function memoryFiles(files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>, name: string): SkillSource {
  return {
    name,
    read: async path => {
      const bytes = files.get(path)
      return bytes && { bytes }
    },
  }
}
