import { isSkillshelfError, type SkillSource, type SkillSummary } from 'skillshelf'
import type { Library } from '../context.js'
import { messageOf } from '../dom.js'
import { loadModel } from '../library/bundled-model.js'
import type { Folder } from '../library/folder.js'
import { folderSource } from '../library/folder-source.js'
import { archiveError, type PageError } from '../library/open-library.js'
import { openInstalledStore, type SkillStore } from '../library/storage.js'
import { nameOf } from '../names.js'
import { remember } from '../preferences.js'

/** Installs, removes and exports the skills that IndexedDB stores. */

export interface InstallResult {
  added: number
  replaced: number
}

export interface InstallOptions {
  signal: AbortSignal
  onRead(done: number, total: number): void
}

/** A skill that was removed, for undo. */
export interface RemovedSkill {
  id: string
  name: string
  /** Contents by path in the library. */
  files: Readonly<Record<string, Uint8Array>>
}

/**
 * Installs every skill of a folder or archive, or none.
 * @param source The source as which the folder is already open.
 * @throws SkillshelfError `aborted`, or the signal's reason
 */
export function installFolder(
  folder: Folder,
  options: InstallOptions,
  source: SkillSource = folderSource(folder),
): Promise<InstallResult | { error: PageError }> {
  const { signal } = options
  // A disk that does not respond must not block cancellation.
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
  return Promise.race([install(folder.name, source, options), aborted])
}

async function install(
  where: string,
  source: SkillSource,
  { signal, onRead }: InstallOptions,
): Promise<InstallResult | { error: PageError }> {
  let files: number
  try {
    files = (await source.list?.({ signal }))?.length ?? 0
  } catch (error) {
    signal.throwIfAborted()
    return { error: archiveError(error, where) }
  }
  const store = await openStoreWithModel()
  try {
    const { added, changed } = await store.install(source, {
      signal,
      onProgress: ({ phase, done, total = done }) => phase === 'write' && onRead(done, total),
    })
    remember('installed', 'yes')
    // The browser may refuse: skills are installed either way.
    void store.persist()
    return { added: added.length, replaced: changed.length }
  } catch (error) {
    signal.throwIfAborted()
    if (isSkillshelfError(error, 'skill-not-found')) {
      return { error: { kind: 'no-skills', where, files, diagnostics: [] } }
    }
    return { error: storageError(error, where, 'install-failed') }
  } finally {
    await store.close()
  }
}

/**
 * Removes a skill.
 * @returns The skill for `restoreSkill`; `undefined` if its files could not be read before
 * @throws SkillshelfError if it cannot be removed
 */
export async function removeSkill(
  library: Library,
  skill: SkillSummary,
): Promise<RemovedSkill | undefined> {
  const { id } = skill
  const files = await readFiles(library, skill).catch(() => undefined)
  await withStore(openInstalledStore(), store => store.remove(id))
  return files && { id, name: nameOf(skill), files }
}

/**
 * Installs a removed skill again.
 * @throws SkillshelfError such as `storage-full`
 */
export async function restoreSkill({ files }: RemovedSkill): Promise<void> {
  await withStore(await openStoreWithModel(), store => store.install(files))
}

/** All installed skills as a zip. */
export function exportSkills(): Promise<Uint8Array<ArrayBuffer>> {
  return withStore(openInstalledStore(), store => store.export())
}

/** The storage in use. `persisted`: the browser does not clear it by itself. */
export async function storageUsage(): Promise<{ bytes: number; persisted: boolean }> {
  const { bytes, persisted = false } = await withStore(openInstalledStore(), store => store.usage())
  return { bytes, persisted }
}

/** Why a storage operation failed. */
export function storageError(
  error: unknown,
  where: string,
  otherwise: 'install-failed' | 'storage-failed',
): PageError {
  const kind = isSkillshelfError(error, 'storage-full')
    ? 'storage-full'
    : isSkillshelfError(error, 'unsupported')
      ? 'storage-unavailable'
      : otherwise
  return { kind, where, detail: messageOf(error) }
}

/** Opens the store for writing. Installed skills get vectors if the bundled model can be loaded. */
async function openStoreWithModel(): Promise<SkillStore> {
  const model = await loadModel().catch(() => undefined)
  return openInstalledStore(
    model && { ...model, prepare: async text => model.prepare?.(text).catch(() => {}) },
  )
}

async function withStore<T>(
  store: SkillStore,
  work: (store: SkillStore) => Promise<T>,
): Promise<T> {
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function readFiles(
  library: Library,
  { id, path }: SkillSummary,
): Promise<RemovedSkill['files']> {
  const { file, files } = await library.get(id)
  const contents: Record<string, Uint8Array> = {}
  for (const name of [file, ...files.map(({ path: name }) => name)]) {
    contents[`${path}/${name}`] = (await library.read(id, name)).bytes
  }
  return contents
}
