import { byId } from './dom.js'
import type { Page } from './elsewhere.js'
import type { Finder } from './finder.js'
import type { Footer } from './footer.js'
import type { Trouble, Wanted } from './opening.js'
import { libraryOf } from './route.js'
import type { Shelf } from './shelf.js'
import { texts } from './texts.js'

/** What the page tells of the library that is open, and of one that could not be. */
export interface Telling {
  /** Everything that depends on which library is open. */
  showShelf(): Promise<void>
  showFooter(): void
  /** Says what is wrong, or takes that away. */
  say(what: { what: Trouble; wanted: Wanted } | undefined, focus?: boolean): Promise<void>
  sayFolderIsGone(): Promise<void>
  /** Says once more what is wrong, in another language. */
  repeat(): Promise<void>
}

interface TellingOptions {
  samples: URL
  shelf: Shelf
  finder: Finder
  footer: Footer
  page: Page
  elsewhere(): Promise<typeof import('./elsewhere.js')>
  diagnostics(): Promise<typeof import('./diagnostics.js')>
}

export function createTelling({
  samples,
  shelf,
  finder,
  footer,
  page,
  elsewhere,
  diagnostics,
}: TellingOptions): Telling {
  let trouble: { what: Trouble; wanted: Wanted } | undefined

  const showFooter = (): void => {
    const { library, place } = shelf
    if (!library) return
    const own = place?.kind === 'samples'
    const address = own ? samples : place?.kind === 'address' ? new URL(place.address) : undefined
    footer.show(library.snapshot, { own, address })
  }
  const say: Telling['say'] = async (next, focus = false) => {
    trouble = next
    byId('finder', HTMLElement).classList.toggle('shut', shelf.library === undefined && next !== undefined)
    byId('trouble', HTMLElement).replaceChildren()
    if (!next) return
    const { showTrouble } = await elsewhere()
    if (trouble !== next) return
    const view = showTrouble(next.what, next.wanted, page)
    if (focus) view.focus()
  }

  return {
    showFooter,
    say,
    async showShelf() {
      const { library, place } = shelf
      if (!library || !place) return
      const told = library.snapshot.diagnostics
      showFooter()
      byId('whence', HTMLElement).hidden = place.kind === 'samples'
      if (place.kind !== 'samples') (await elsewhere()).showWhence(place, library, page)
      const notes = byId('notes', HTMLElement)
      notes.replaceChildren()
      await finder.show()
      if (told.length === 0) return
      const { diagnosticNotice } = await diagnostics()
      notes.replaceChildren(diagnosticNotice(texts.remarks.onLibrary(told.length), told))
    },
    sayFolderIsGone() {
      const { folder = '' } = libraryOf(location.search)
      return say({ what: { kind: 'folder-gone', where: folder }, wanted: { kind: 'samples' } })
    },
    repeat: () => say(trouble),
  }
}
