import { type PackedCatalog, readCatalog } from '../../catalog/packed-catalog.js'
import { packedFile, readPackedDetails, readPackedFile } from '../../catalog/packed-files.js'
import type { CatalogEntry } from '../../catalog/types.js'
import { mapParallel } from '../../core/concurrency.js'
import type { TokenCounter } from '../../core/tokens.js'
import type { SkillModel } from '../../embed/types.js'
import type { FileInfo } from '../../skill/types.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { SkillSource } from '../../source/types.js'
import { pack } from './pack.js'

/** A packed library that is held whole. */
export interface PackedParts {
  catalog: PackedCatalog
  /** All but the catalog, by path. */
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
}

export interface PartsOptions {
  embedder?: SkillModel | undefined
  strict?: boolean | undefined
  countTokens?: TokenCounter | undefined
  signal?: AbortSignal | undefined
  /** `read`: skills parsed; `write`: skills whose files were taken over. */
  onProgress?: ((progress: { phase: 'read' | 'write'; done: number; total: number }) => void) | undefined
}

const PARALLEL_READS = 6

/** Reads every skill of a source with all its files, packed. */
export async function readParts(source: SkillSource, options: PartsOptions): Promise<PackedParts> {
  const { signal, strict, countTokens, embedder, onProgress } = options
  const packed = await source.read(CATALOG_FILE, signal ? { signal } : {})
  if (packed !== undefined && packed !== 'unchanged') return copyPacked(source, packed.bytes, options)
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const outputs = pack(source, {
    ...(strict ? { strict } : {}),
    ...(countTokens ? { countTokens } : {}),
    ...(embedder ? { embedder } : {}),
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress } : {}),
  })
  for await (const { path, bytes } of outputs) files.set(path, bytes)
  const catalog = readCatalog(files.get(CATALOG_FILE) as Uint8Array<ArrayBuffer>, CATALOG_FILE)
  files.delete(CATALOG_FILE)
  return { catalog, files }
}

/** Where the packed files of a skill are: its SKILL.md, its details, its other files. */
export function packedFiles(entry: CatalogEntry, files: readonly FileInfo[]): string[] {
  return [
    packedFile(entry.digest, '.md'),
    packedFile(entry.details, '.json'),
    ...files.map(({ path, digest }) => packedFile(digest as string, path)),
  ]
}

async function copyPacked(source: SkillSource, bytes: Uint8Array, options: PartsOptions): Promise<PackedParts> {
  const { signal, onProgress } = options
  const catalog = readCatalog(bytes, `${CATALOG_FILE} of ${source.name}`)
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const take = async (path: string, digest: string): Promise<void> => {
    if (!files.has(path)) files.set(path, await readPackedFile(source, path, digest, signal))
  }
  await mapParallel(catalog.segments, PARALLEL_READS, ({ file }) => take(file, file.replace('.seg', '')))
  let done = 0
  await mapParallel(catalog.skills, PARALLEL_READS, async entry => {
    await take(packedFile(entry.details, '.json'), entry.details)
    const details = await readPackedDetails(heldIn(files, source.name), entry, signal)
    await take(packedFile(entry.digest, '.md'), entry.digest)
    for (const { path, digest } of details.files) await take(packedFile(digest as string, path), digest as string)
    onProgress?.({ phase: 'write', done: ++done, total: catalog.skills.length })
  })
  return { catalog, files }
}

/** Files in memory as a source. */
export function heldIn(files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>, name: string): SkillSource {
  return {
    name,
    read: async path => {
      const bytes = files.get(path)
      return bytes && { bytes }
    },
  }
}
