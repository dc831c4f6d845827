import type { Library, LibraryLocation } from '../context.js'
import { byId, make, makeButton } from '../dom.js'
import { installButton } from '../installed/install-button.js'
import { showProgress } from '../progress.js'
import { texts } from '../texts.js'
import { errorNotice } from './error-notice.js'
import { showExamples } from './examples.js'
import { showOpenDialog } from './open-dialog.js'
import { type OpenRequest, type OpenResult, openOther, type PageError } from './open-library.js'

import { partName, partsOf } from './several.js'

export { samplesError } from './open-library.js'

/** The controls for libraries other than the samples, and for errors. Loaded when first needed. */

/** Actions of the page that these controls call. */
export interface PageActions {
  /** The location of the open library; `undefined` if none is open. */
  readonly location: LibraryLocation | undefined
  open(request: OpenRequest): void
  cancel(): void
  dismissError(): void
  /** Fills in the search box and shows it. */
  setMessage(message: string): void
  /** Searches a library that stands in for the one that is being opened. */
  preview(names: Library): void
}

/** Opens a library and shows the progress. */
export function openWithProgress(
  request: OpenRequest,
  signal: AbortSignal,
  page: PageActions,
): Promise<OpenResult> {
  const title = texts.progress.opening(requestName(request))
  const { showFound, showRead } = showProgress(byId('progress', HTMLElement), title, page.cancel)
  return openOther(request, { signal, onFound: showFound, onRead: showRead, onNames: page.preview })
}

export function askForLibrary(page: PageActions): void {
  showOpenDialog(page.open, { isSamples: page.location?.kind === 'samples' })
}

/** Asks for a library to open beside those that are open. */
export function askForMore(page: PageActions): void {
  const parts = page.location ? partsOf(page.location) : []
  const open = (request: OpenRequest): void =>
    page.open(parts.length > 0 ? { kind: 'all', requests: [...parts, request] } : request)
  showOpenDialog(open, { isSamples: parts.length === 0 })
}

export function showError(error: PageError, request: OpenRequest, page: PageActions): HTMLElement {
  const { location, open, dismissError } = page
  const canOpenSamples = request.kind !== 'samples' && location?.kind !== 'samples'
  const notice = errorNotice(error, {
    retry: error.kind === 'folder-gone' ? undefined : () => open(request),
    openOther: () => askForLibrary(page),
    openSamples: canOpenSamples ? () => open({ kind: 'samples' }) : undefined,
    close: location && dismissError,
  })
  byId('error', HTMLElement).replaceChildren(notice)
  return notice
}

/** Shows where the open library comes from, a link back to the samples, and for a folder a button to install its skills. */
export function showSource(location: LibraryLocation, library: Library, page: PageActions): void {
  const name = make('strong', { dir: 'auto' }, requestName(location))
  const description =
    location.kind !== 'folder'
      ? texts.source.address(name)
      : location.folder.archives.length > 0
        ? texts.source.archive(name)
        : texts.source.folder(name)
  const toSamples = makeButton(texts.source.samples, () => page.open({ kind: 'samples' }), {
    class: 'link',
  })
  const add = makeButton(texts.source.add, () => askForMore(page), { class: 'link' })
  void showExamples(library, {
    isOpen: () => page.location === location,
    setMessage: page.setMessage,
  }).catch(() => {})
  byId('source', HTMLElement).replaceChildren(
    make('p', {}, ...description, ' · ', toSamples, ' · ', add),
    ...(location.kind === 'folder'
      ? [installButton(location, library.snapshot.skills.length)]
      : []),
  )
}

function requestName(request: OpenRequest): string {
  if (request.kind === 'samples') return ''
  if (request.kind === 'drop') return request.entries[0]?.name ?? ''
  if (request.kind === 'all') return request.requests.map(requestName).join(', ')
  if (request.kind === 'several') return request.parts.map(partName).join(', ')
  if (request.kind === 'folder') return request.folder.name
  return request.kind === 'github' ? request.repository : request.address
}
