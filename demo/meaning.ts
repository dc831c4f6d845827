import { type LibraryOptions, openLibrary } from 'skillshelf'
import { bundled } from 'skillshelf/model'
import type { Library, Place } from './desk.js'
import { folderSource } from './folder.js'

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

/**
 * What stands at a place, opened with the bundled model; `undefined` where the library was packed without vectors.
 * @throws SkillshelfError where model or library cannot be loaded
 */
export async function openWithMeaning(
  place: Place,
  { samples, signal, onPart }: MeaningOptions,
): Promise<Library | undefined> {
  const whole = await bundled()
  signal.throwIfAborted()
  const { model, opened } = unhurried(whole, onPart)
  const options = { embedder: model, signal, strict: place.kind !== 'folder' }
  const library = await openLibrary(sourceOf(place, samples), options)
  opened()
  if (library.snapshot.diagnostics.some(({ code }) => code === 'vectors-missing')) {
    await library.close()
    return undefined
  }
  inUse = whole
  return library
}

/** Loads what these messages need of the model, or gives up. */
export async function prepare(messages: readonly string[]): Promise<void> {
  for (const message of messages) await inUse?.prepare?.(message).catch(() => {})
}

function sourceOf(place: Place, samples: URL) {
  if (place.kind === 'folder') return folderSource(place.folder)
  return place.kind === 'samples' ? samples : new URL(place.address)
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
