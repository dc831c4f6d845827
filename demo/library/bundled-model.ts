import urls, { rows, shownRows } from 'virtual:compressed-model'
import { type LibraryOptions, openLibrary, type SkillSource } from 'skillshelf'
import type { SkillModel } from 'skillshelf/model'
import { bundled } from 'skillshelf/model'
import { partsOf } from '../../src/search/model/script-parts.js'
import { INSTALLED, type Library, type LibraryLocation, type LibraryPart } from '../context.js'
import { nextTask } from '../next-task.js'
import { keepOffline } from '../offline/keep.js'
import { hasStoredSkills } from '../preferences.js'
import { language } from '../texts.js'
import { fetchInflated } from './compressed-files.js'
import { onDiagnostic } from './on-diagnostic.js'
import { samplesSource } from './samples-source.js'

/** `no-vectors`: the library was packed without vectors, so the model cannot rank it. */
export type ModelState = 'loading' | 'in-use' | 'no-vectors' | 'failed'

type Model = SkillModel

/** The folder of the rows among the files of the model. */
const ROWS = 'rows/'
/** For more messages, whole parts of the model are one request each instead of many for rows. */
const FEW_MESSAGES = 8

let model: Promise<Model> | undefined
let modelInUse: Model | undefined
let first: Promise<Map<string, Uint8Array<ArrayBuffer>>> | undefined
let more: typeof first

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
  const folder = rows
  model ??= bundled(folder ? { files: { read: path => readFile(path, folder) } } : {})
  // The next call tries again.
  model.catch(() => {
    model = undefined
  })
  return model
}

/** Reads rows as they are, and parts from their compressed copies. @param folder Address of the rows. */
async function readFile(
  path: string,
  folder: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer> } | undefined> {
  first ??= readShownRows(0).catch(() => new Map())
  const bytes = (await first).get(path) ?? (await readMore(path))
  if (bytes) return { bytes }
  const response = path.startsWith(ROWS)
    ? await fetch(new URL(path.slice(ROWS.length), folder))
    : await fetchInflated(urls[path])
  return response?.ok ? { bytes: new Uint8Array(await response.arrayBuffer()) } : undefined
}

/** A file of rows that another message of the page needs: one request for all of them. */
async function readMore(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (!shownRows[language]?.[1].sizes.some(([name]) => name === path)) return undefined
  more ??= readShownRows(1).catch(() => new Map())
  return (await more).get(path)
}

/** Reads the files of rows that the page's own messages need: of the first one, or of the others. */
async function readShownRows(which: 0 | 1): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const { url, sizes } = shownRows[language]?.[which] ?? {}
  if (!url || !sizes) return files
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer())
  let from = 0
  for (const [path, size] of sizes) {
    files.set(path, bytes.subarray(from, from + size))
    from += size
  }
  return files
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
  if (location.kind === 'several') return openLibrary(location.parts.map(sourceOf), all)
  return openLibrary(new URL(location.address), { ...all, strict: true })
}

/** What a library is opened from. */
export function sourceOf(part: LibraryPart): SkillSource | URL {
  return 'source' in part ? part.source : new URL(part.address)
}

/** Loads the parts of the model that these messages need. Failures are ignored: keywords still rank. */
export async function prepareModel(messages: readonly string[]): Promise<void> {
  // A text of a skill loads whole parts.
  const all = { name: '', description: messages.join('\n'), body: '' }
  const texts = messages.length > FEW_MESSAGES ? [[all]] : messages
  for (const text of texts) await modelInUse?.prepare?.(text).catch(() => {})
}

/** Caches the parts of the model that a message of the user needs: offline, other messages in its language are found by meaning too. */
export function keepLanguage(message: string): void {
  const parts = [...partsOf(message)].flatMap(part => urls[`${part}.bin`] ?? [])
  keepOffline(parts.map(url => new URL(url, document.baseURI).href))
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
