import { isRecord } from '../../core/record.js'
import type { SkillSource } from '../../source/types.js'

/** What an offline copy remembers of the place that it is a copy of. */
export interface CopyNotes {
  /** Of a packed library: the version of its catalog, where it has versions. */
  version?: string
  /** Of a tree: what its listing said of each skill, by folder. */
  folders?: ReadonlyMap<string, string>
  /** Resources, those first that were not read for longest. */
  used: readonly string[]
}

/** The file that keeps the notes, beside what was copied. */
export const COPY_FILE = 'copy.json'

export function writeNotes({ folders, ...notes }: CopyNotes): string {
  return JSON.stringify(folders ? { ...notes, folders: Object.fromEntries(folders) } : notes)
}

/** What cannot be read is as good as none: then everything is compared anew. */
export async function readNotes(store: SkillSource): Promise<CopyNotes> {
  const found = await store.read(COPY_FILE)
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
