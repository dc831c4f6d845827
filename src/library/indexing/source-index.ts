import type { VectorsFile } from '../../search/index/packed-vectors.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { FileInfo, SkillDetails, SkillSummary } from '../../skill/skill.js'
import type { SkillSource } from '../../source/source.js'
import type { CatalogEntry } from '../catalog/catalog-entry.js'
import type { TreeOptions } from '../catalog/read-tree-skill.js'

/** How a library wants its sources indexed. The same for every source and refresh, until a model joins. */
export interface IndexPolicy {
  /** Leaves out skills without a name or description, and reports violations of the specification as errors. */
  strict: boolean
  /** Uses the summaries of a listing instead of fetching skills that can only be fetched whole. They are read when they are opened. */
  summaries: boolean
  /** Keeps the texts of skills for a model that joins later. */
  modelJoins: boolean
  /** Reports packed segments without vectors of the embedder. */
  reportMissingVectors: boolean
}

/** Options for indexing one source. */
export interface IndexOptions extends Omit<TreeOptions, 'strict'> {
  policy: IndexPolicy
  /** Adds vectors to segments that are built. */
  embedder: Promise<SkillModel | undefined>
}

/** Indexes a source, which holds a packed library or a tree of skill folders. */
export type IndexSource = (source: SkillSource, options: IndexOptions) => Promise<SourceIndex>

/** A segment of one source. `paths` lists its skills by number; a replaced or removed skill is dead. */
export interface SourceSegment {
  key: string
  bytes: Uint8Array<ArrayBuffer>
  paths: readonly string[]
  dead: ReadonlySet<number>
  /** Vectors of a transformer, in `source`. Packed libraries only. */
  vectors?: VectorsFile
}

/** The skills of one source and the segments that find them. Immutable: `refresh` returns another one. */
export interface SourceIndex {
  /** Where files are read. `findCatalog` may have replaced the source that the caller passed. */
  source: SkillSource
  readonly entries: readonly CatalogEntry[]
  /** Changes with any entry. Packed libraries only. */
  catalogDigest?: string
  /** `true` if no entry is disabled or a copy of another. Packed libraries only. */
  showsAll?: boolean
  /** Reads one entry, not all of `entries`. Packed libraries only. */
  entryOf?(path: string): CatalogEntry | undefined
  readonly byPath: ReadonlyMap<string, CatalogEntry>
  /** Equal for skills that are copies of each other. `undefined`: no copy. */
  contentOf(entry: CatalogEntry): string | undefined
  segments: readonly SourceSegment[]
  diagnostics: readonly Diagnostic[]
  /** Skills that `entries` turned out to lack when it was parsed on first access. Packed libraries only. */
  readonly leftOut?: readonly Diagnostic[]
  /** Reads a SKILL.md and lists the files of the skill. */
  open(entry: CatalogEntry, signal?: AbortSignal): Promise<OpenedSkill>
  /** Whether a SKILL.md still has the version with which it was opened. Absent in packed libraries, whose files never change. */
  isUnchanged?(
    entry: CatalogEntry,
    version: string,
    signal: AbortSignal | undefined,
  ): Promise<boolean>
  /** Lists the files of a skill without reading its SKILL.md, if they are known. */
  files(
    entry: CatalogEntry,
    signal?: AbortSignal,
  ): Promise<{ file: string; files: readonly FileInfo[] }>
  /** The path of a skill's file in the source, with the digest to check its bytes against. */
  locate(entry: CatalogEntry, file: FileInfo): { path: string; digest?: string }
  /** The location that the source shows for a path. Absent in packed libraries, which store files by digest. */
  root?(path: string): string
  /** Loads what a model needs for the skills. Present, as are the next two, if the tree waits for a model: see `IndexPolicy.modelJoins`. */
  prepare?(model: SkillModel): Promise<void>
  /** Adds vectors to the segments. */
  withModel?(model: SkillModel, signal: AbortSignal): Promise<SourceIndex>
  /** Frees the texts for the model, which does not come. */
  withoutModel?(): SourceIndex
  /** Reads the source again. Returns the same object if nothing changed. */
  refresh(options: IndexOptions): Promise<SourceIndex>
}

/** A SKILL.md as it was read. */
export interface OpenedSkill {
  digest: string
  /** `false` if the file changed after the catalog was read. */
  current: boolean
  /** Version of the SKILL.md, if the source has versions and the file can change. */
  version?: string | undefined
  /** Counts that replace those of an unread catalog entry. */
  tokens?: SkillSummary['tokens']
  text: string
  body: string
  details: SkillDetails
}
