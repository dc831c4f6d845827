import { cached, type LibraryInput, memory, openLibrary, type SkillSource } from 'skillshelf'
import { indexedDb } from 'skillshelf/sources'
import { pack } from 'skillshelf/store'
import { INSTALLED, type Library } from '../context.js'
import { remember, remembered } from '../preferences.js'
import { onDiagnostic } from './on-diagnostic.js'
import { contentResponse, samplesArchive } from './samples-archive.js'
import { samplesSource } from './samples-source.js'

/** IndexedDB: the installed skills, and a copy of the samples for offline use. */

export type SkillStore = ReturnType<typeof indexedDb>
type Embedder = NonNullable<Parameters<typeof indexedDb>[1]>['embedder']

const CATALOG = 'skillshelf.json'

/** @param embedder Computes the vectors of installed skills. */
export function openInstalledStore(embedder?: Embedder): SkillStore {
  return indexedDb('skillshelf-page', { name: INSTALLED, embedder })
}

/** The sources of the page's own library: installed skills, then the samples. Both follow changes. */
export async function ownSources(samples: URL): Promise<LibraryInput[]> {
  const copy = await offlineCopy(samples)
  const source = samplesSource(samples)
  return [
    ...installedSource(),
    refreshOnDemand(copy ? cached(source, copy, { whole: true }) : source),
  ]
}

/**
 * Opens the page's own library without a network request if there is an offline copy. It ranks by keywords and does not follow changes.
 * @returns `undefined` if nothing is stored
 */
export async function openStored(samples: URL, signal: AbortSignal): Promise<Library | undefined> {
  const copy = await offlineCopy(samples)
  const source = samplesSource(samples)
  const sources = [...installedSource(), copy ? { name: source.name, read: copy.read } : source]
  const library = await openLibrary(sources.map(withoutWatch), {
    signal,
    embedder: false,
    onDiagnostic,
  })
  if (library.snapshot.skills.length > 0) return library
  await library.close()
  return undefined
}

/** Stores a copy of the samples with every file. @throws Error if it cannot be stored */
export async function copySamples(samples: URL): Promise<void> {
  // A failure is no reason to have no copy: the files are read one by one.
  const archive = await samplesArchive().catch(() => undefined)
  const source = samplesSource(samples, path => {
    const content = archive?.get(path)
    return content === undefined ? undefined : contentResponse(content)
  })
  const store = openSamplesCopy(samples)
  const copy = cached(source, store, { whole: true })
  try {
    // The first read may return an incomplete copy; the second waits for the host.
    await copy.read(CATALOG)
    await copy.read(CATALOG)
    // Without storage the copy is in memory, and gone with the page.
    if (!(await store.read(CATALOG))) throw new Error('The copy is not stored')
    remember('offlineCopy', 'yes')
  } finally {
    await copy.close?.()
  }
}

/** Opens the installed skills alone. */
export function openInstalledLibrary(signal: AbortSignal): Promise<Library> {
  return openLibrary(emptyUntilInstalled(openInstalledStore()), {
    strict: true,
    signal,
    embedder: false,
    onDiagnostic,
  })
}

/** Several pages may share an origin: each has its own copy. */
function openSamplesCopy({ pathname }: URL): SkillStore {
  return indexedDb(`skillshelf-page-samples ${pathname}`)
}

/** The copy of the samples, or `undefined` if it is missing or unreadable. */
async function offlineCopy(samples: URL): Promise<SkillStore | undefined> {
  if (remembered('offlineCopy') === undefined) return undefined
  const copy = openSamplesCopy(samples)
  const catalog = await copy.read(CATALOG).catch(() => undefined)
  return catalog && copy
}

function installedSource(): SkillSource[] {
  return remembered('installed') === undefined ? [] : [emptyUntilInstalled(openInstalledStore())]
}

/** Serves an empty library until the first skill is installed, so that a library can watch the store from the start. */
function emptyUntilInstalled(store: SkillStore): SkillSource {
  return {
    name: store.name,
    read: async (path, options) =>
      (await store.read(path, options)) ??
      (path === CATALOG ? { bytes: await emptyCatalog() } : undefined),
    watch: onChange => store.watch(onChange),
    close: () => store.close(),
  }
}

async function emptyCatalog(): Promise<Uint8Array<ArrayBuffer>> {
  for await (const { bytes } of pack(memory({}, { name: INSTALLED }))) return bytes
  return new Uint8Array()
}

/**
 * Reads the catalog again only after the source itself reported a change: installing a skill must not wait for the samples' host. A host
 * that cannot be reached then counts as unchanged, because being offline is not an error.
 */
function refreshOnDemand(source: SkillSource): SkillSource {
  const { name, watch } = source
  let changed = false
  return {
    name,
    async read(path, options = {}) {
      const isRefresh = path === CATALOG && options.ifVersion !== undefined
      if (isRefresh && !changed) return 'unchanged'
      changed = false
      try {
        return await source.read(path, options)
      } catch (error) {
        options.signal?.throwIfAborted()
        if (!isRefresh) throw error
        return 'unchanged'
      }
    },
    ...(watch && {
      watch: onChange =>
        watch(() => {
          changed = true
          onChange()
        }),
    }),
    close: async () => source.close?.(),
  }
}

function withoutWatch({ name, read }: SkillSource): SkillSource {
  return { name, read }
}
