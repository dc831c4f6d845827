import type { Details } from '../details.js'
import { byId } from '../dom.js'
import { run } from '../run.js'
import type { SearchBox } from '../search/search-box.js'
import { goToLibrary } from '../url.js'
import type { CurrentLibrary } from './current-library.js'
import type { Folder } from './folder.js'
import { queryOf, requestOfUrl } from './library-query.js'
import type { LibraryStatus } from './library-status.js'
import type { OpenRequest } from './open-library.js'
import type { PageActions } from './other-libraries.js'

/** Opens a library and shows it in all parts of the page. */
export interface Opening extends Pick<PageActions, 'cancel' | 'preview'> {
  /** @param options.byUser Whether the user asked for it now: it gets a history entry and the focus. */
  open(request: OpenRequest, options: { byUser: boolean }): Promise<void>
  /** Opens the library that the URL names. If the page can no longer read it, it says so. */
  openFromUrl(): Promise<void>
}

interface OpeningOptions {
  current: CurrentLibrary
  searchBox: SearchBox
  details: Details
  libraryStatus: LibraryStatus
}

export function createOpening({
  current,
  searchBox,
  details,
  libraryStatus,
}: OpeningOptions): Opening {
  /** Whether the search box searches a library that is still being opened. */
  let previewed = false
  /** The last folder that was opened: the browser's back button can return to it. */
  let lastFolder: Folder | undefined

  const endPreview = (): void => {
    if (previewed && current.library) {
      searchBox.setLibrary(current.library, { examples: current.location?.kind === 'samples' })
    }
    previewed = false
  }
  const open: Opening['open'] = async (request, { byUser }) => {
    const result = await current.open(request)
    if (!result) return
    byId('progress', HTMLElement).replaceChildren()
    if ('error' in result) {
      endPreview()
      return libraryStatus.showError(result.error, request, { focus: byUser })
    }
    const { library, location } = result
    if (location.kind === 'folder') lastFolder = location.folder
    if (byUser) {
      // The user may have written while it loaded.
      if (!previewed && current.library) searchBox.clear()
      goToLibrary(queryOf(location))
    }
    endPreview()
    searchBox.setLibrary(library, { examples: location.kind === 'samples' })
    // Before the user can open a view of this library.
    await details.reset()
    await libraryStatus.clearError()
    await run(libraryStatus.update(), 'diagnostics')
    await run(details.followUrl(), 'details')
    // With the next frame: the focus needs the layout, which takes a while the first time. The user may have chosen another element by then.
    requestAnimationFrame(() => {
      if (details.target !== undefined) return
      if (byUser || document.activeElement === document.body) searchBox.focus()
    })
    current.upgrade()
  }

  return {
    open,
    async openFromUrl() {
      const request = requestOfUrl(location.search, lastFolder)
      // Without another library, the samples are better than none.
      if (request || !current.library) {
        await open(request ?? { kind: 'samples' }, { byUser: false })
      }
      if (!request) await libraryStatus.showFolderGone()
    },
    cancel() {
      current.cancel()
      endPreview()
      void searchBox.update()
      byId('progress', HTMLElement).replaceChildren()
      if (current.library) byId('open-library', HTMLElement).focus()
      else void run(open({ kind: 'samples' }, { byUser: true }), 'error')
    },
    preview(names) {
      if (!previewed && current.library) searchBox.clear()
      previewed = true
      searchBox.setLibrary(names, { examples: false })
      void searchBox.update()
    },
  }
}
