import type { TreeOptions } from '../catalog/read-tree.js'
import type { CatalogEntry } from '../catalog/types.js'
import type { SkillModel } from '../embed/types.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import type { FileInfo, SkillDetails, SkillSummary } from '../skill/types.js'
import type { SkillSource } from '../source/types.js'

export interface ShelfOptions extends TreeOptions {
  /** Gives what is built the vectors of a model, once that is there. */
  embedder?: Promise<SkillModel | undefined>
}

/** A segment of a shelf. `paths` names its skills by number; a skill that was replaced or removed is dead. */
export interface Piece {
  key: string
  bytes: Uint8Array<ArrayBuffer>
  paths: readonly string[]
  dead: ReadonlySet<number>
}

/** What stands at one source: its skills and the segments that find them. Immutable; a refresh makes another. */
export interface Shelf {
  /** Where its files are read: not always the source that was given, but what was found there. */
  source: SkillSource
  readonly entries: readonly CatalogEntry[]
  /** Changes with any entry, where the source has such a thing at hand. */
  catalogDigest?: string
  /** None of the entries is disabled, where that is known without looking at them. */
  allEnabled?: boolean
  readonly byPath: ReadonlyMap<string, CatalogEntry>
  pieces: readonly Piece[]
  diagnostics: readonly Diagnostic[]
  /** The SKILL.md as text, and what else the skill consists of. */
  open(entry: CatalogEntry, signal?: AbortSignal): Promise<Opened>
  /** Files of a skill, without reading its SKILL.md where they are known. */
  files(entry: CatalogEntry, signal?: AbortSignal): Promise<{ file: string; files: readonly FileInfo[] }>
  /** Where the source keeps a file of a skill; `digest` where its bytes can be checked. */
  locate(entry: CatalogEntry, file: FileInfo): { path: string; digest?: string }
  /** Where the source itself has a folder or file; left out where its paths are not those of the skills, as in a packed library. */
  root?(path: string): string
  /** Looks again. The same shelf when nothing changed. */
  refresh(options: ShelfOptions): Promise<Shelf>
}

/** A SKILL.md as it was read. */
export interface Opened {
  digest: string
  /** Whether this is what the catalog tells of: not where the file changed since. */
  current: boolean
  /** Of a skill that the catalog has unread. */
  tokens?: SkillSummary['tokens']
  text: string
  body: string
  details: SkillDetails
}
