import { isRecord } from '../../../core/plain-data.js'
import type { SkillSource } from '../../../source/source.js'

/** What an offline copy remembers about its source. Stored beside the copied files. */
export interface CopyRecord {
  /** The version of the catalog. Packed libraries only. */
  version?: string
  /** The versions of the files of each skill, by folder. Trees only. */
  folders?: ReadonlyMap<string, string>
  /** Resources, least recently read first. */
  used: readonly string[]
}

export const COPY_RECORD_FILE = 'copy.json'

export function writeCopyRecord({ folders, ...record }: CopyRecord): string {
  return JSON.stringify(folders ? { ...record, folders: Object.fromEntries(folders) } : record)
}

/** A record that cannot be parsed counts as missing: then everything is compared again. */
export async function readCopyRecord(store: SkillSource): Promise<CopyRecord> {
  const found = await store.read(COPY_RECORD_FILE)
  let data: unknown
  try {
    data = found && found !== 'unchanged' ? JSON.parse(new TextDecoder().decode(found.bytes)) : undefined
  } catch {
    data = undefined
  }
  if (!isRecord(data)) return { used: [] }
  const { version, folders, used } = data
  return {
    ...(typeof version === 'string' ? { version } : {}),
    ...(isRecord(folders) ? { folders: new Map(Object.entries(folders as Record<string, string>)) } : {}),
    used: Array.isArray(used) ? used.filter(path => typeof path === 'string') : [],
  }
}
