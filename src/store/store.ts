import { createLookup } from '../catalog/lookup.js'
import { type PackedCatalog, readCatalog, writeCatalog } from '../catalog/packed-catalog.js'
import { packedFile, readPackedDetails, readPackedFile } from '../catalog/packed-files.js'
import { createSnapshot, skillId } from '../catalog/snapshot.js'
import type { CatalogEntry } from '../catalog/types.js'
import { createQueue, mapParallel } from '../core/concurrency.js'
import { isSkillshelfError, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { joinPath, safePath } from '../core/paths.js'
import type { TokenCounter } from '../core/tokens.js'
import type { SkillModel } from '../embed/types.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import { CATALOG_FILE } from '../source/catalog-file.js'
import type { WritableSource } from '../source/types.js'
import { type PackedParts, readParts } from './pack/packed-library.js'
import { changePacked } from './write/catalog-change.js'
import { type InstallInput, toSource } from './write/install-input.js'
import { awayFromRoot } from './write/root-skill.js'

export interface StoreOptions {
  /** Gives what is installed the vectors of a model, so that it is found by meaning too: `bundled()`. Default: words alone. */
  embedder?: SkillModel | Promise<SkillModel> | undefined
  /** Leave skills out whose name or description is missing, instead of inferring it. Default false. */
  strict?: boolean | undefined
  countTokens?: TokenCounter | undefined
  /** Leave files that no skill needs any more, for readers that still hold the old catalog. Default false. */
  keepOld?: boolean | undefined
}

export interface InstallOptions {
  /** Folder for a skill that stands at the root of what is installed. Default: its name. */
  as?: string | undefined
  signal?: AbortSignal | undefined
  /** `read`: skills parsed; `write`: skills whose files were taken over. */
  onProgress?: ((progress: { phase: 'read' | 'write'; done: number; total: number }) => void) | undefined
}

/** What a change brought: ids, sorted, and what is wrong with what was installed. */
export interface StoreChange {
  added: readonly string[]
  changed: readonly string[]
  removed: readonly string[]
  diagnostics: readonly Diagnostic[]
}

/** What `skillStore` adds to a source. Every change happens whole or not at all; of two at once neither is lost. */
export interface SkillStore {
  /**
   * Puts in every skill of an archive, of files by path, of chosen files, or of another source. A skill whose folder is there already is
   * replaced, with all its files.
   * @throws SkillshelfError `skill-not-found` where there is none in it; `storage-full`; as the source or archive does
   */
  install(from: InstallInput, options?: InstallOptions): Promise<StoreChange>
  /**
   * Changes files of one skill, by paths in its folder.
   * @throws SkillshelfError `skill-not-found`, `ambiguous-name`, `invalid-path`
   */
  edit(
    skill: string,
    files: { put?: Readonly<Record<string, string | Uint8Array>> | undefined; remove?: readonly string[] | undefined },
    options?: InstallOptions,
  ): Promise<StoreChange>
  /** @throws SkillshelfError `skill-not-found`, `ambiguous-name` */
  remove(skills: string | readonly string[], options?: { signal?: AbortSignal | undefined }): Promise<StoreChange>
  /** Skills with all their files as an archive, each in its folder. Default: all, as zip. */
  export(
    skills?: string | readonly string[],
    options?: { format?: 'zip' | 'tar.gz' | undefined; signal?: AbortSignal | undefined },
  ): Promise<Uint8Array<ArrayBuffer>>
}

/** Tries where somebody else writes at the same time. */
const TRIES = 8
const PARALLEL_READS = 6

/**
 * Makes a place that can be written to a library that can be changed: IndexedDB, an R2 bucket, memory. What it holds is a packed library,
 * so it opens in a few reads; each change adds a small segment.
 */
export function skillStore<S extends WritableSource>(source: S, options: StoreOptions = {}): S & SkillStore {
  const turn = createQueue()

  const look = async (
    signal: AbortSignal | undefined,
  ): Promise<{ catalog?: PackedCatalog; version: string | null }> => {
    const found = await source.read(CATALOG_FILE, signal ? { signal } : {})
    if (found === undefined || found === 'unchanged') return { version: null }
    return { catalog: readCatalog(found.bytes, `${CATALOG_FILE} of ${source.name}`), version: found.version ?? null }
  }

  /** Reads, changes and writes, again where somebody else was faster. */
  const change = (
    plan: (catalog: PackedCatalog | undefined) => Promise<{ put?: PackedParts; remove?: readonly string[] }>,
    signal: AbortSignal | undefined,
  ): Promise<StoreChange> => {
    const attempt = async (): Promise<StoreChange> => {
      for (let left = TRIES; ; left--) {
        throwIfAborted(signal)
        const { catalog, version } = await look(signal)
        const planned = await plan(catalog)
        const next = await changePacked(source, catalog, {
          ...planned,
          keepOld: options.keepOld ?? false,
          complete: true,
          signal,
        })
        const ids = (paths: readonly string[]): string[] => paths.map(path => skillId(source.name, path))
        const told: StoreChange = {
          added: ids(next.added),
          changed: ids(next.changed),
          removed: ids(next.removed),
          diagnostics: planned.put?.catalog.diagnostics ?? [],
        }
        if (next.added.length + next.changed.length + next.removed.length === 0) return told
        try {
          await source.write(
            {
              put: { ...Object.fromEntries(next.put), [CATALOG_FILE]: writeCatalog(next.catalog) },
              remove: next.unnamed,
            },
            { ifVersion: version, ...(signal ? { signal } : {}) },
          )
          return told
        } catch (error) {
          if (left === 1 || !isSkillshelfError(error, 'conflict')) throw error
        }
      }
    }
    return turn(() => source.exclusively?.(attempt, signal ? { signal } : {}) ?? attempt())
  }

  const find = (catalog: PackedCatalog | undefined, skill: string): CatalogEntry => {
    const entries = catalog?.skills ?? []
    const shown = entries.map(({ enabled: _, ...entry }) => entry)
    const { snapshot, shadowed } = createSnapshot([{ origin: source.name, entries: shown, diagnostics: [] }])
    const { path } = createLookup(snapshot.skills, shadowed).find(skill)
    return entries.find(entry => entry.path === path) as CatalogEntry
  }

  const filesOf = async (
    entry: CatalogEntry,
    signal: AbortSignal | undefined,
  ): Promise<Map<string, Uint8Array<ArrayBuffer>>> => {
    const { file, files } = await readPackedDetails(source, entry, signal)
    const all = [{ path: file, digest: entry.digest }, ...files.map(({ path, digest = '' }) => ({ path, digest }))]
    const read = await mapParallel(
      all,
      PARALLEL_READS,
      async ({ path, digest }, at) =>
        [path, await readPackedFile(source, packedFile(digest, at === 0 ? '.md' : path), digest, signal)] as const,
    )
    return new Map(read)
  }

  const partsOptions = async ({ signal, onProgress }: InstallOptions) => ({
    ...(options.strict ? { strict: true } : {}),
    ...(options.countTokens ? { countTokens: options.countTokens } : {}),
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress } : {}),
    embedder: await options.embedder,
  })

  const store: SkillStore = {
    async install(from, at = {}) {
      const given = toSource(from, at.signal)
      const folder = at.as === undefined ? undefined : safePath(at.as)
      const put = await readParts(await awayFromRoot(given, folder, at.signal), await partsOptions(at))
      refuseEmpty(put, given.name)
      return change(async () => ({ put }), at.signal)
    },
    async edit(skill, { put = {}, remove = [] }, at = {}) {
      const reading = await partsOptions(at)
      return change(async catalog => {
        const entry = find(catalog, skill)
        // Not by keys of an object: a file may be named __proto__.
        const files = new Map<string, string | Uint8Array>(await filesOf(entry, at.signal))
        for (const path of remove) files.delete(safePath(path))
        for (const [path, content] of Object.entries(put)) files.set(safePath(path), content)
        const inFolder = [...files].map(([path, content]) => [joinPath(entry.path, path), content])
        const edited = await readParts(toSource(Object.fromEntries(inFolder)), reading)
        refuseEmpty(edited, entry.path)
        return { put: edited }
      }, at.signal)
    },
    remove: (skills, { signal } = {}) =>
      change(async catalog => ({ remove: [skills].flat().map(skill => find(catalog, skill).path) }), signal),
    async export(skills, { format = 'zip', signal } = {}) {
      const { catalog } = await look(signal)
      const entries =
        skills === undefined ? (catalog?.skills ?? []) : [skills].flat().map(skill => find(catalog, skill))
      const files = new Map<string, Uint8Array>()
      for (const entry of entries)
        for (const [path, bytes] of await filesOf(entry, signal)) files.set(joinPath(entry.path, path), bytes)
      const { writeArchive } = await import('../source/archive/write.js')
      return writeArchive(Object.fromEntries(files), { format })
    },
  }
  return joined(source, store)
}

/** A source and what a store adds to it. What is the source's runs on the source itself: a class may have private fields. */
function joined<S extends object>(source: S, store: SkillStore): S & SkillStore {
  return new Proxy(store as S & SkillStore, {
    has: (own, key) => key in own || key in source,
    get(own, key) {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key)
      const value: unknown = Reflect.get(source, key)
      return typeof value === 'function' ? value.bind(source) : value
    },
  })
}

function refuseEmpty({ catalog }: PackedParts, where: string): void {
  if (catalog.skills.length > 0) return
  const why = catalog.diagnostics.find(({ code }) => code === 'skill-left-out' || code === 'skill-unreadable')
  throw new SkillshelfError(
    'skill-not-found',
    why ? `${where} holds no skill that can be used: ${why.message}` : `${where} holds no skill`,
    { subject: where, hint: why?.hint ?? 'a skill is a folder with a SKILL.md' },
  )
}
