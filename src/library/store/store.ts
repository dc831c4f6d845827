import { type AbortOptions, sleep } from '../../core/abort.js'
import { createQueue } from '../../core/concurrency.js'
import { isSkillshelfError, throwIfAborted } from '../../core/errors.js'
import { extendObject } from '../../core/extend-object.js'
import { onDemand } from '../../core/load-module.js'
import { joinPath, safePath } from '../../core/paths.js'
import type { OnProgress } from '../../core/progress.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { TokenCounter } from '../../core/tokens.js'
import type { Embedder, EmbedderLoader, SkillModel } from '../../search/model/skill-model.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { CATALOG_FILE, lostRaceError } from '../../source/catalog-file.js'
import { memory } from '../../source/memory.js'
import type { WritableSource } from '../../source/source.js'
import type { CatalogEntry } from '../catalog/catalog-entry.js'
import { writeCatalog } from '../catalog/packed-catalog.js'
import { readCurrent } from '../catalog/packed-files.js'
import { skillId } from '../catalog/snapshot.js'
import { readStoredCatalog } from '../catalog/stored-catalog.js'
import type { PackPlan } from './pack/plan.js'
import { checkNotEmpty, diagnosticsOf, planLibrary } from './pack/plan-library.js'
import { changeCatalog } from './write/catalog-change.js'
import { allowedInFolder, type InstallInput, planInput, toSource } from './write/install-input.js'
import {
  findStoredSkill,
  readStoredSkill,
  type StoredSkill,
  toStoredSkill,
} from './write/stored-skill.js'
import type { SweepOptions, SweepResult } from './write/sweep.js'

const loadSweep = onDemand(() => import('./write/sweep.js'))
const loadArchiveWriter = onDemand(() => import('../../source/archive/write.js'))

/** Options of `skillStore`. */
export interface StoreOptions {
  /** Adds vectors to installed skills, so that they are found by meaning too. @default undefined (keywords only) */
  embedder?: SkillModel | Promise<SkillModel> | undefined
  /**
   * Adds vectors of a transformer to installed skills: see `PackOptions`. A function loads it for each change, and closes it then.
   * @default undefined (each page embeds the skills)
   */
  encoder?: Embedder | EmbedderLoader | undefined
  /** Leaves out skills without a name or description, instead of inferring them. @default false */
  strict?: boolean | undefined
  /** Counts the tokens of a text. @default estimateTokens */
  countTokens?: TokenCounter | undefined
  /** Keeps files that no skill needs any more, for readers of the old catalog, until `sweep`. @default false if `transactional` */
  keepOld?: boolean | undefined
}

/** Options of `remove`, `install` and `edit`. */
export interface ChangeOptions extends AbortOptions {
  /** Called with the stored skills before each attempt to write. Throw to cancel the change; the error propagates unchanged. */
  precondition?: ((stored: readonly StoredSkill[]) => void) | undefined
}

/** Options of `install` and `edit`. */
export interface InstallOptions extends ChangeOptions {
  /** The folder for a skill at the root of the input. @default the name of the skill */
  as?: string | undefined
  /**
   * Paths of files, or of folders of files, that are stored although they look like a private key, a token or a file of passwords. Any
   * other such file stops the change with `invalid-input`. `edit` examines the files that it puts.
   * @default []
   */
  allow?: readonly string[] | undefined
  /** Called with phase `read`, then `write`. Counts skills. */
  onProgress?: OnProgress | undefined
}

/** The result of a change. */
export interface StoreChange {
  /** Ids of the skills, sorted. */
  added: readonly string[]
  changed: readonly string[]
  removed: readonly string[]
  /** The skills that were put, also if they had the same content before. */
  stored: readonly StoredSkill[]
  /** Problems of the installed skills. */
  diagnostics: readonly Diagnostic[]
}

/**
 * The methods that `skillStore` adds to a source. Each change happens whole or not at all. Concurrent changes are all applied: a change
 * that loses a race is planned again, up to ten times, and then fails with `conflict`.
 *
 * A skill is named by its id or a unique name. Of a skill with copies, the id is that of one folder: the others stay as they are.
 */
export interface SkillStore {
  /**
   * Installs every skill of an archive, of files by path, of chosen files, or of another source, or one SKILL.md. A skill in an existing folder replaces
   * that one, with all its files.
   * @throws SkillshelfError `skill-not-found` if the input has no skill, `invalid-input` if a file is a secret that `allow` does not name,
   * `storage-full`, and those of the source or archive
   * @example
   * ```ts
   * const response = await fetch('https://example.com/greet.zip')
   * const { added } = await store.install(response)
   * ```
   */
  install(from: InstallInput, options?: InstallOptions): Promise<StoreChange>
  /**
   * Writes and removes files of a skill.
   * @param files Paths in the folder of the skill: `put` with contents, `remove` without.
   * @throws SkillshelfError `skill-not-found`, `ambiguous-name`, `invalid-path`, `invalid-input` for a secret, `storage-full`
   * @example
   * ```ts
   * await store.edit('greet', { put: { 'references/names.md': '# Names' }, remove: ['old.md'] })
   * ```
   */
  edit(
    skill: string,
    files: {
      put?: Readonly<Record<string, string | Uint8Array>> | undefined
      remove?: readonly string[] | undefined
    },
    options?: InstallOptions,
  ): Promise<StoreChange>
  /**
   * Removes skills with all their files. By its name, a skill leaves every folder.
   * @throws SkillshelfError `skill-not-found`, `ambiguous-name`
   * @example
   * ```ts
   * await store.remove(['greet', 'ppt'])
   * ```
   */
  remove(skills: string | readonly string[], options?: ChangeOptions): Promise<StoreChange>
  /**
   * Exports skills with all their files as an archive, each in its folder.
   * @param skills Default: every skill.
   * @param options `format` is `zip` (default) or `tar.gz`. `allow`: paths of files that look like secrets and are meant, as for `install`.
   * @throws SkillshelfError `skill-not-found`, `ambiguous-name`, `invalid-input` for a secret, `source-failed`
   * @example
   * ```ts
   * const bytes = await store.export('greet', { format: 'tar.gz' })
   * ```
   */
  export(
    skills?: string | readonly string[],
    options?: AbortOptions & {
      format?: 'zip' | 'tar.gz' | undefined
      allow?: readonly string[] | undefined
    },
  ): Promise<Uint8Array<ArrayBuffer>>
  /**
   * Removes files that no skill needs any more: those of replaced and removed skills that `keepOld` left, and those of failed writes. A
   * file that another writer uses meanwhile stays. It lists the source and reads the details of every skill.
   * @param options `olderThan`: milliseconds since a file was written, default 7 days. `dryRun` only reports.
   * @throws SkillshelfError `unsupported` if the source cannot be listed, `source-failed`, `conflict`
   * @example
   * ```ts
   * const { removed, bytes } = await store.sweep({ olderThan: 24 * 3_600_000 })
   * ```
   */
  sweep(options?: SweepOptions): Promise<SweepResult>
}

/** Attempts while other writers change the same store. */
const MAX_ATTEMPTS = 10
/** Milliseconds. Upper limits of the random delay before the second and the last attempts. */
const MIN_DELAY = 50
const MAX_DELAY = 2_000

const OPTIONS = {
  embedder: 1,
  encoder: 1,
  strict: 1,
  countTokens: 1,
  keepOld: 1,
} satisfies OptionNames<StoreOptions>

const CHANGE = { signal: 1, precondition: 1 } satisfies OptionNames<ChangeOptions>
const INSTALL = { ...CHANGE, as: 1, allow: 1, onProgress: 1 } satisfies OptionNames<InstallOptions>

/**
 * Adds `install`, `edit`, `remove`, `export` and `sweep` to a writable source: IndexedDB, an R2 bucket, a folder, memory.
 *
 * The source holds a packed library, so it opens with a few reads. Each change adds a small segment.
 *
 * @example
 * ```ts
 * import { memory, openLibrary } from 'skillshelf'
 * import { skillStore } from 'skillshelf/store'
 *
 * const store = skillStore(memory({}, { name: 'mine' }))
 * await store.install({ 'greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nSay hello.' })
 * const library = await openLibrary(store)
 * ```
 */
export function skillStore<S extends WritableSource>(
  source: S,
  options: StoreOptions = {},
): S & SkillStore {
  checkOptionNames(options, OPTIONS)
  const queue = createQueue()
  const { transactional = false } = source
  const { keepOld = !transactional } = options
  /** Runs one task at a time, and alone among all tabs if the source has locks. */
  const exclusively = <T>(task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
    queue(() => source.exclusively?.(task, { signal }) ?? task())
  const sweepSource = async (sweepOptions: SweepOptions): Promise<SweepResult> =>
    (await loadSweep()).sweep(source, sweepOptions)
  const find = (
    entries: readonly CatalogEntry[],
    skills: string | readonly string[],
  ): CatalogEntry[] => [skills].flat().map(skill => findStoredSkill(entries, source.name, skill))

  /** Reads, changes and writes. Starts over if another writer was faster. */
  const change = async (
    plan: (
      skills: readonly CatalogEntry[],
    ) => Promise<{ put?: PackPlan; remove?: readonly string[] }>,
    { precondition, signal }: ChangeOptions,
  ): Promise<StoreChange> => {
    const ids = (paths: readonly string[]): string[] =>
      paths.map(path => skillId(source.name, path))
    for (let attempts = 1; ; attempts++) {
      throwIfAborted(signal)
      const readAndPlan = async () => {
        const stored = await readStoredCatalog(source, signal)
        const skills = stored?.catalog.skills ?? []
        precondition?.(skills.map(toStoredSkill))
        return {
          catalog: stored?.catalog,
          version: stored?.version ?? null,
          planned: await plan(skills),
        }
      }
      const { catalog, version, planned } = await readCurrent(readAndPlan, () => true)
      const changed = await changeCatalog(source, catalog, {
        ...planned,
        keepOld: keepOld || !transactional,
        hasAllFiles: true,
        signal,
      })
      const result: StoreChange = {
        added: ids(changed.added),
        changed: ids(changed.changed),
        removed: ids(changed.removed),
        stored: (planned.put?.catalog.skills ?? []).map(toStoredSkill),
        diagnostics: planned.put ? diagnosticsOf(planned.put) : [],
      }
      if (result.added.length + result.changed.length + result.removed.length === 0) return result
      const put = {
        ...Object.fromEntries(changed.put),
        [CATALOG_FILE]: await writeCatalog(changed.catalog),
      }
      try {
        await source.write({ put, remove: changed.unreferenced }, { ifVersion: version, signal })
        // The change is committed. Files that could not be removed are unused.
        if (!keepOld && !transactional) await sweepSource({ olderThan: 0 }).catch(() => undefined)
        return result
      } catch (error) {
        if (!isSkillshelfError(error, 'conflict')) throw error
        if (attempts === MAX_ATTEMPTS) throw lostRaceError(source.name, 'changed', attempts)
      }
      // Random, so that writers do not meet again.
      await sleep(Math.random() * Math.min(MAX_DELAY, MIN_DELAY * 2 ** attempts), signal)
    }
  }

  const planOptions = async ({ allow, signal, onProgress }: InstallOptions) => {
    const { strict, countTokens, encoder } = options
    const embedder = await options.embedder
    // All files are written at once, so all are held.
    const hold = Number.POSITIVE_INFINITY
    return {
      ...{ allow, signal, onProgress, strict, countTokens, embedder, hold, internal: true },
      ...(encoder ? { encoder, previous: source } : {}),
    }
  }

  /** The files of skills, all of one revision. */
  const readSkills = async (
    skills: string | readonly string[] | undefined,
    signal: AbortSignal | undefined,
  ) => {
    const read = async (): Promise<Map<string, Uint8Array>> => {
      const all = (await readStoredCatalog(source, signal))?.catalog.skills ?? []
      const files = new Map<string, Uint8Array>()
      for (const entry of skills === undefined ? all : find(all, skills)) {
        for (const [path, bytes] of await readStoredSkill(source, entry, { signal })) {
          files.set(joinPath(entry.path, path), bytes)
        }
      }
      return files
    }
    return readCurrent(read, () => true)
  }

  const store: SkillStore = {
    async install(from, installOptions = {}) {
      checkOptionNames(installOptions, INSTALL)
      const { signal, as } = installOptions
      const input = await toSource(from, signal)
      const { plan } = await planInput(input, {
        ...(await planOptions(installOptions)),
        as: as === undefined ? undefined : safePath(as),
      })
      checkNotEmpty(plan, input.name)
      return exclusively(() => change(async () => ({ put: plan }), installOptions), signal)
    },
    async edit(skill, changes, editOptions = {}) {
      checkOptionNames(editOptions, INSTALL)
      const { put: added = {}, remove = [] } = changes
      const plan = async (skills: readonly CatalogEntry[]) => {
        const entry = findStoredSkill(skills, source.name, skill)
        // A map, because a file may be named __proto__.
        const files = new Map<string, string | Uint8Array>(
          await readStoredSkill(source, entry, editOptions),
        )
        const before = [...files.keys()]
        for (const path of remove) files.delete(safePath(path))
        for (const [path, content] of Object.entries(added)) files.set(safePath(path), content)
        const inFolder = [...files].map(([path, content]) => [joinPath(entry.path, path), content])
        const addedPaths = new Set(Object.keys(added).map(path => safePath(path)))
        const allow = [
          ...(allowedInFolder(editOptions.allow, entry.path) ?? []),
          // They were examined when they were stored.
          ...before.filter(path => !addedPaths.has(path)).map(path => joinPath(entry.path, path)),
        ]
        const input = memory(Object.fromEntries(inFolder), { name: 'files' })
        const put = await planLibrary(input, await planOptions({ ...editOptions, allow }))
        checkNotEmpty(put, entry.path)
        return { put }
      }
      return exclusively(() => change(plan, editOptions), editOptions.signal)
    },
    async remove(skills, removeOptions = {}) {
      checkOptionNames(removeOptions, CHANGE)
      const plan = async (entries: readonly CatalogEntry[]) => ({
        remove: find(entries, skills).flatMap(({ path, copies = [] }) => [path, ...copies]),
      })
      return exclusively(() => change(plan, removeOptions), removeOptions.signal)
    },
    async export(skills, { format = 'zip', signal, allow } = {}) {
      const files = await readSkills(skills, signal)
      const { writeArchive } = await loadArchiveWriter()
      return writeArchive(Object.fromEntries(files), { format, allow })
    },
    sweep: async (sweepOptions = {}) =>
      exclusively(() => sweepSource(sweepOptions), sweepOptions.signal),
  }
  return extendObject(source, store)
}
