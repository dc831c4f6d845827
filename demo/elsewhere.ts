import type { Library, Place } from './desk.js'
import { byId, make } from './dom.js'
import { keepOffer } from './keep-offer.js'
import { openForm } from './open-form.js'
import { type Opened, openPlace, type Trouble, type Wanted } from './opening.js'
import { showProgress } from './progress.js'
import { texts } from './texts.js'
import { troubleView } from './trouble.js'

export { samplesTrouble } from './opening.js'

/** Libraries other than the samples, and what can go wrong: loaded by who opens one, or when it does. */

/** What the parts here need of the page. */
export interface Page {
  /** What is open now; `undefined` where nothing could be. */
  readonly place: Place | undefined
  open(wanted: Wanted): void
  cancel(): void
  /** Takes the trouble away. */
  dismiss(): void
}

/** Opens a library, with its progress on the page. */
export function openElsewhere(wanted: Wanted, signal: AbortSignal, page: Page): Promise<Opened> {
  const { found, read } = showProgress(
    byId('progress', HTMLElement),
    texts.progress.opening(titleOf(wanted)),
    page.cancel,
  )
  return openPlace(wanted, { signal, onFound: found, onProgress: read })
}

export function askForLibrary(page: Page): void {
  openForm(page.open, { samples: page.place?.kind === 'samples' })
}

export function showTrouble(what: Trouble, wanted: Wanted, page: Page): HTMLElement {
  const { place, open, dismiss } = page
  const toSamples = wanted.kind !== 'samples' && place?.kind !== 'samples'
  const view = troubleView(what, {
    ...(what.kind === 'folder-gone' ? {} : { again: () => open(wanted) }),
    other: () => askForLibrary(page),
    ...(toSamples ? { samples: () => open({ kind: 'samples' }) } : {}),
    ...(place ? { close: dismiss } : {}),
  })
  byId('trouble', HTMLElement).replaceChildren(view)
  return view
}

/** Says where the skills come from, and offers the way back to the samples, and to keep what is on this computer. */
export function showWhence(place: Place, { snapshot }: Library, page: Page): void {
  const back = make('button', { type: 'button', class: 'link' }, texts.whence.samples)
  back.addEventListener('click', () => page.open({ kind: 'samples' }))
  const name = make('strong', { dir: 'auto' }, titleOf(place))
  const said =
    place.kind !== 'folder'
      ? texts.whence.address(name)
      : place.folder.archives.length > 0
        ? texts.whence.file(name)
        : texts.whence.folder(name)
  byId('whence', HTMLElement).replaceChildren(
    make('p', {}, ...said, ' · ', back),
    ...(place.kind === 'folder' ? [keepOffer(place, snapshot.skills.length)] : []),
  )
}

function titleOf(wanted: Wanted): string {
  if (wanted.kind === 'address') return wanted.address
  if (wanted.kind === 'folder') return wanted.folder.name
  return wanted.kind === 'drop' ? (wanted.entries[0]?.name ?? '') : ''
}
