import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { SkillSource } from '../../source/source.js'
import { type ReadCatalog, readCatalog } from './packed-catalog.js'
import { type PiecedCatalog, wholeCatalog } from './pieced-catalog.js'

export interface StoredCatalog {
  /** Of the whole library. */
  catalog: ReadCatalog
  /** Set if `skillshelf.json` is that of a library in pieces. */
  pieced: PiecedCatalog | undefined
  /** Of `skillshelf.json`. */
  bytes: Uint8Array<ArrayBuffer>
  /** `null` if the source has no versions. */
  version: string | null
}

/** Reads the catalog of a source; `undefined` if it is not a packed library. */
export async function readStoredCatalog(
  source: SkillSource,
  signal: AbortSignal | undefined,
): Promise<StoredCatalog | undefined> {
  const found = await source.read(CATALOG_FILE, { signal })
  if (typeof found !== 'object') return undefined
  const { bytes, version = null } = found
  const subject = `${CATALOG_FILE} of ${source.name}`
  const { whole, pieced } = await wholeCatalog(source, found, subject, signal)
  return { catalog: await readCatalog(whole.bytes, subject), pieced, bytes, version }
}
