import urls from 'virtual:compressed-model'
import { type LibraryOptions, openLibrary } from 'skillshelf'
import type { SkillModel } from 'skillshelf/model'
import { bundled } from 'skillshelf/model'
import { INSTALLED, type Library, type LibraryLocation } from '../context.js'
import { nextTask } from '../next-task.js'
import { hasStoredSkills } from '../preferences.js'
import { fetchInflated } from './compressed-files.js'
import { onDiagnostic } from './on-diagnostic.js'
import { samplesSource } from './samples-source.js'

/** `no-vectors`: the library was packed without vectors, so the model cannot rank it. */
export type ModelState = 'loading' | 'in-use' | 'no-vectors' | 'failed'

type Model = SkillModel

let model: Promise<Model> | undefined
let modelInUse: Model | undefined

export interface OpenWithModelOptions {
  /** The URL of the samples. */
  samples: URL
  signal: AbortSignal
}

export interface OpenWithModelResult {
  state: ModelState
  /** Absent if the library that is open can stay. */
  library?: Library
}

/**
 * Reopens a library with the bundled model. If skills are installed, the page's own library is reopened even without the model, because the
 * new one follows changes in other tabs.
 * @throws SkillshelfError if the library cannot be opened
 */
export async function openWithModel(
  location: LibraryLocation,
  { samples, signal }: OpenWithModelOptions,
): Promise<OpenWithModelResult> {
  const open = (embedder: Model | Promise<Model> | false): Promise<Library> =>
    openAt(location, samples, { signal, embedder })
  const openWithoutModel = async (state: ModelState): Promise<OpenWithModelResult> =>
    location.kind === 'samples' && hasStoredSkills()
      ? { state, library: await open(false) }
      : { state }

  // Reading the model, opening with it and asking are tasks of their own.
  const loading = loadModel().then(async model => {
    await nextTask()
    return model
  })
  // Reads the library while the model loads.
  const opening = open(loading)
  opening.catch(() => {})
  const model = await loading.catch(() => undefined)
  signal.throwIfAborted()
  if (!model) {
    void opening.then(library => library.close()).catch(() => {})
    return openWithoutModel('failed')
  }
  const library = await opening
  const { diagnostics } = library.snapshot
  if (
    diagnostics.some(
      ({ code, message }) => code === 'vectors-missing' && !isAboutInstalled(message),
    )
  ) {
    await library.close()
    return openWithoutModel('no-vectors')
  }
  modelInUse = model
  await nextTask()
  return { state: 'in-use', library }
}

/** Loads the model, once for all callers. The development server has no compressed copy. */
export const loadModel = (): Promise<Model> => {
  model ??= bundled('latin.bin' in urls ? { files: { read: readInflated } } : {})
  // The next call tries again.
  model.catch(() => {
    model = undefined
  })
  return model
}

async function readInflated(path: string): Promise<{ bytes: Uint8Array<ArrayBuffer> } | undefined> {
  const response = await fetchInflated(urls[path])
  return response && { bytes: new Uint8Array(await response.arrayBuffer()) }
}

/** Opens one more library at a location. It is never closed, because it may share its source with the one that is open. */
export function openAt(
  location: LibraryLocation,
  samples: URL,
  options: { signal: AbortSignal; embedder: Model | Promise<Model> | false },
): Promise<Library> {
  const all = { ...options, onDiagnostic }
  if (location.kind === 'samples') return openOwn(samples, all)
  if ('source' in location) return openLibrary(location.source, all)
  return openLibrary(new URL(location.address), { ...all, strict: true })
}

/** Loads the parts of the model that these messages need. Failures are ignored: keywords still rank. */
export async function prepareModel(messages: readonly string[]): Promise<void> {
  for (const message of messages) await modelInUse?.prepare?.(message).catch(() => {})
}

/** Opens the page's own library. Fails if the samples cannot be read, so that the ones that are open stay. */
async function openOwn(samples: URL, options: LibraryOptions): Promise<Library> {
  const sources = hasStoredSkills()
    ? await (await import('./storage.js')).ownSources(samples)
    : [samplesSource(samples)]
  const library = await openLibrary(sources, options)
  const failed = library.snapshot.diagnostics.find(
    ({ code, path }) => code.startsWith('source-') && path !== INSTALLED,
  )
  if (!failed) return library
  await library.close()
  throw new Error(failed.message)
}

/** Skills that were installed while the model failed to load have no vectors. Keywords still rank them. */
function isAboutInstalled(message: string): boolean {
  return message.includes(` of ${INSTALLED} `)
}
