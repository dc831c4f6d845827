import { type LibraryOptions, openLibrary } from 'skillshelf'
import { bundled } from 'skillshelf/model'
import type { Meaning } from './answers.js'
import { isKept } from './choice.js'
import type { Library, Place } from './desk.js'
import { MINE } from './route.js'

/** The bundled model: a library is opened again with it, while words answer. */

type Model = Awaited<NonNullable<LibraryOptions['embedder']>>

let inUse: Model | undefined

export interface MeaningOptions {
  /** Where the samples are. */
  samples: URL
  signal: AbortSignal
  /** A part of the model is there that a message went without. */
  onPart(): void
}

/** What takes the place of a library that was opened by words alone; `library` is left out where that one may stay. */
export interface Better {
  meaning: Meaning
  library?: Library
}

/**
 * What stands at a place, opened with the bundled model, where that can be loaded and the library was packed with vectors. Where skills are
 * kept, the page's own library is opened anew in any case: from then on it follows what other tabs do.
 * @throws SkillshelfError where the library cannot be opened
 */
export async function openBetter(place: Place, { samples, signal, onPart }: MeaningOptions): Promise<Better> {
  const open = async (embedder?: Model): Promise<Library> => {
    const options = { signal, ...(embedder ? { embedder } : {}) }
    if (place.kind === 'samples') return openOwn(samples, options)
    if (place.kind === 'folder') return openLibrary(place.source, options)
    return openLibrary(new URL(place.address), { ...options, strict: true })
  }
  const byWords = async (meaning: Meaning): Promise<Better> =>
    place.kind === 'samples' && isKept() ? { meaning, library: await open() } : { meaning }

  const whole = await bundled().catch(() => undefined)
  signal.throwIfAborted()
  if (!whole) return byWords('failed')
  const { model, opened } = unhurried(whole, onPart)
  const library = await open(model)
  opened()
  if (library.snapshot.diagnostics.some(({ code, message }) => code === 'vectors-missing' && !isOfMine(message))) {
    await library.close()
    return byWords('no-vectors')
  }
  inUse = whole
  return { meaning: 'in-use', library }
}

/** The page's own library. Samples that cannot be read now are no reason to go without those that are shown. */
async function openOwn(samples: URL, options: LibraryOptions): Promise<Library> {
  const sources = isKept() ? await (await import('./store.js')).ownShelf(samples) : [samples]
  const library = await openLibrary({ sources }, options)
  const failed = library.snapshot.diagnostics.find(({ code, path }) => code.startsWith('source-') && path !== MINE)
  if (!failed) return library
  await library.close()
  throw new Error(failed.message)
}

/** What was kept while the model could not be loaded has no vectors: words find it, beside the others. */
function isOfMine(message: string): boolean {
  return message.includes(` of ${MINE} `)
}

/** Loads what these messages need of the model, or gives up. */
export async function prepare(messages: readonly string[]): Promise<void> {
  for (const message of messages) await inUse?.prepare?.(message).catch(() => {})
}

/** No message waits for a part of the model that is still on its way: words answer it. Skills do wait. */
function unhurried(model: Model, onPart: () => void): { model: Model; opened(): void } {
  let hurried = false
  let awaited = false
  /** Calls back once, however many messages went without. */
  const callBack = async (ready: Promise<void>): Promise<void> => {
    if (awaited) return
    awaited = true
    await ready.then(onPart, () => {})
    awaited = false
  }
  return {
    model: {
      ...model,
      async prepare(text) {
        const ready = Promise.resolve(model.prepare?.(text))
        if (!hurried || (await isSettled(ready))) return ready
        void callBack(ready)
        throw new Error('A part of the model is on its way')
      },
    },
    opened() {
      hurried = true
    },
  }
}

/** Whether it is over, or will be before anything else happens. */
function isSettled(work: Promise<unknown>): Promise<boolean> {
  const over = (): boolean => true
  return Promise.race([work.then(over, over), new Promise<boolean>(resolve => setTimeout(resolve, 0, false))])
}
