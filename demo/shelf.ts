import { type LibraryChange, openLibrary } from 'skillshelf'
import type { Meaning } from './answers.js'
import { isKept, onChoice } from './choice.js'
import type { Library, Place } from './desk.js'
import type { Opened, Wanted } from './opening.js'

/** Which library is open, from the first that answers by words to the one that follows and finds by meaning. */
export interface Shelf {
  /** `undefined` where nothing could be opened. */
  readonly library: Library | undefined
  readonly place: Place | undefined
  /** Whether the bundled model takes part. */
  readonly meaning: Meaning
  /** Over when it is known whether that model takes part. */
  readonly improved: Promise<void>
  /**
   * Opens a library in place of the one that is open; that one stays until the other is there. `undefined`: another was asked for
   * meanwhile, or none.
   */
  open(wanted: Wanted): Promise<Opened | undefined>
  /**
   * Opens once more what is open, with the bundled model; words answer until that is there, and where it cannot be. What was open before
   * is closed: nobody shows it any more.
   */
  improve(): void
  cancel(): void
}

export interface ShelfOptions {
  samples: URL
  /** The page can say something. */
  ready: Promise<unknown>
  /** Opens what is not the page's own library. */
  openOther(wanted: Wanted, signal: AbortSignal): Promise<Opened>
  samplesTrouble(error: unknown): Promise<Opened>
  onMeaning(): void
  /** The same skills are found by other means now, and perhaps some more. */
  onBetter(library: Library, before: Library): Promise<void>
  /** It will not get better by itself. */
  onImproved(library: Library): Promise<void>
  /** Skills came or went. */
  onChange(change: LibraryChange): void
  /** A part of the model is there that a message went without. */
  onPart(): void
}

export function createShelf(options: ShelfOptions): Shelf {
  const { samples } = options
  let library: Library | undefined
  let left: Library | undefined
  let place: Place | undefined
  let meaning: Meaning = 'loading'
  let opening = new AbortController()
  let improving = new AbortController()
  let improved: Promise<void> = Promise.resolve()

  const become = (next: Meaning): void => {
    meaning = next
    options.onMeaning()
  }

  /** What is kept here answers first, where anything is. */
  const openOwn = async (signal: AbortSignal): Promise<Opened> => {
    const at: Place = { kind: 'samples' }
    if (isKept()) {
      const stored = import('./store.js').then(({ openStored }) => openStored(samples, signal))
      const found = await stored.catch(() => undefined)
      signal.throwIfAborted()
      if (found) return { place: at, library: found }
    }
    try {
      return { place: at, library: await openLibrary(samples, { strict: true, signal }) }
    } catch (error) {
      signal.throwIfAborted()
      return options.samplesTrouble(error)
    }
  }

  const better = async (words: Library, at: Place, signal: AbortSignal): Promise<void> => {
    let reached: Meaning = meaning === 'loading' ? 'failed' : meaning
    try {
      const { openBetter } = await import('./meaning.js')
      const found = await openBetter(at, { samples, signal, onPart: options.onPart })
      reached = found.meaning
      const next = found.library
      if (signal.aborted) await next?.close()
      // Whoever still asks the one before can: it goes when nobody does.
      else if (next) {
        library = next
        next.on('change', options.onChange)
      }
    } catch {
      // Words go on.
    }
    if (signal.aborted) return
    const now = library ?? words
    if (now !== words) await options.onBetter(now, words)
    become(reached)
    await options.onImproved(now)
  }

  const improve = (): void => {
    if (!library || !place) return
    improving.abort()
    improving = new AbortController()
    // What fails there makes nothing worse.
    improved = better(library, place, improving.signal).catch(() => {})
  }

  // The first that is ever kept, here or in another tab: the library has to follow from now on.
  onChoice('kept', () => place?.kind === 'samples' && improve())

  return {
    get library() {
      return library
    },
    get place() {
      return place
    },
    get meaning() {
      return meaning
    },
    get improved() {
      return improved
    },
    async open(wanted) {
      opening.abort()
      opening = new AbortController()
      const { signal } = opening
      let opened: Opened
      try {
        opened = await (wanted.kind === 'samples' ? openOwn(signal) : options.openOther(wanted, signal))
        await options.ready
      } catch (error) {
        if (signal.aborted) return undefined
        throw error
      }
      if (signal.aborted) return undefined
      if ('trouble' in opened) return opened
      improving.abort()
      left = library
      ;({ library, place } = opened)
      return opened
    },
    improve() {
      void left?.close()
      left = undefined
      become('loading')
      improve()
    },
    cancel() {
      opening.abort()
    },
  }
}
