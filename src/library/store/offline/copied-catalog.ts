import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { ReadResult, SkillSource } from '../../../source/source.js'
import { splitCatalog } from '../../catalog/catalog-bytes.js'
import { type ReadCatalog, readCatalog } from '../../catalog/packed-catalog.js'
import { wholeCatalog } from '../../catalog/pieced-catalog.js'

/** What finds the skills of a copy. */
export interface CopiedIndex {
  catalog: ReadCatalog
  /** The files that find its skills: segments, and the whole catalog of a library in pieces. */
  indexFiles: readonly string[]
}

/** Reads the catalog of a copy. @throws SkillshelfError as `readCatalog`; `source-failed` if the whole catalog is not copied yet */
export async function readCopied(
  files: SkillSource,
  found: ReadResult,
  signal?: AbortSignal,
): Promise<CopiedIndex> {
  const { whole, pieced } = await wholeCatalog(files, found, CATALOG_FILE, signal)
  const catalog = await readCatalog(whole.bytes, CATALOG_FILE)
  const segments = catalog.segments.map(({ file }) => file)
  return { catalog, indexFiles: pieced ? [pieced.whole, ...segments] : segments }
}

/** The digest that a catalog gives for itself; `undefined` if it has none. */
export function digestOfCatalog(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  return splitCatalog(bytes)?.digest
}
