import { byId } from '../dom.js'
import type { Footer } from '../footer.js'
import { nextTask } from '../next-task.js'
import type { SearchBox } from '../search/search-box.js'
import { texts } from '../texts.js'
import { parseLibraryQuery } from '../url.js'
import type { CurrentLibrary } from './current-library.js'
import type { OpenRequest, PageError } from './open-library.js'
import type { PageActions } from './other-libraries.js'

/** Shows the state of the open library: its source, diagnostics, the footer, and errors. */
export interface LibraryStatus {
  /** Redraws everything that depends on the open library. */
  update(): Promise<void>
  updateFooter(): void
  /** Shows an error that opening a library ended with. */
  showError(error: PageError, request: OpenRequest, options?: { focus?: boolean }): Promise<void>
  /** The URL names a folder that the page can no longer read. */
  showFolderGone(): Promise<void>
  clearError(): Promise<void>
  /** Redraws the error in the current language. */
  redrawError(): Promise<void>
}

interface LibraryStatusOptions {
  current: CurrentLibrary
  searchBox: SearchBox
  footer: Footer
  page: PageActions
  loadOtherLibraries(): Promise<typeof import('./other-libraries.js')>
  loadDiagnostics(): Promise<typeof import('../diagnostics-list.js')>
}

export function createLibraryStatus(options: LibraryStatusOptions): LibraryStatus {
  const { current, searchBox, footer, page } = options
  let shown: { error: PageError; request: OpenRequest } | undefined

  const updateFooter = (): void => {
    const { library, location } = current
    if (!library) return
    footer.show(library.snapshot, location?.kind === 'samples')
  }
  const draw = async (focus = false): Promise<void> => {
    const drawn = shown
    byId('search', HTMLElement).classList.toggle(
      'unavailable',
      current.library === undefined && drawn !== undefined,
    )
    byId('error', HTMLElement).replaceChildren()
    if (!drawn) return
    const { showError } = await options.loadOtherLibraries()
    if (shown !== drawn) return
    const notice = showError(drawn.error, drawn.request, page)
    if (focus) notice.focus()
  }
  const showError: LibraryStatus['showError'] = (error, request, { focus } = {}) => {
    shown = { error, request }
    return draw(focus)
  }

  return {
    updateFooter,
    showError,
    async update() {
      const { library, location } = current
      if (!library || !location) return
      const { diagnostics } = library.snapshot
      updateFooter()
      byId('source', HTMLElement).hidden = location.kind === 'samples'
      if (location.kind !== 'samples') {
        ;(await options.loadOtherLibraries()).showSource(location, library, page)
      }
      const element = byId('diagnostics', HTMLElement)
      element.replaceChildren()
      await nextTask()
      await searchBox.update()
      if (diagnostics.length === 0) return
      const { diagnosticList } = await options.loadDiagnostics()
      element.replaceChildren(
        diagnosticList(texts.diagnostics.title(diagnostics.length), diagnostics),
      )
    },
    showFolderGone() {
      const { folder = '' } = parseLibraryQuery(location.search)
      return showError({ kind: 'folder-gone', where: folder }, { kind: 'samples' })
    },
    clearError() {
      shown = undefined
      return draw()
    },
    redrawError: () => draw(),
  }
}
