import { sameBytes } from '../../core/bytes.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { ReadResult, SkillSource } from '../../source/source.js'
import { type ReadCatalog, readCatalog } from './packed-catalog.js'
import { readCurrent } from './packed-files.js'
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
  const read = async (): Promise<ReadResult | undefined> => {
    const found = await source.read(CATALOG_FILE, { signal })
    return typeof found === 'object' ? found : undefined
  }
  let found = await read()
  // A writer may have removed the catalog of the whole library, which this one names.
  const renew = async (): Promise<boolean> => {
    const before = found
    found = await read()
    return !found || !before || !sameBytes(found.bytes, before.bytes)
  }
  return readCurrent(async () => found && openStored(source, found, signal), renew)
}

async function openStored(
  source: SkillSource,
  found: ReadResult,
  signal: AbortSignal | undefined,
): Promise<StoredCatalog> {
  const { bytes, version = null } = found
  const subject = `${CATALOG_FILE} of ${source.name}`
  const { whole, pieced } = await wholeCatalog(source, found, subject, signal)
  return { catalog: await readCatalog(whole.bytes, subject), pieced, bytes, version }
}
