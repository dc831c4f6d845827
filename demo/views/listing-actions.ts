import type { HostListing } from '../../src/tools/listing/host-listings.js'
import { isLocal, type PageContext } from '../context.js'
import { make, makeButton } from '../dom.js'
import { setText } from '../hidden-text.js'
import { saveAs } from '../save-as.js'
import { language, texts } from '../texts.js'
import { publicHref } from '../url.js'
import { copyButton } from './copy-button.js'
import type { ShownList } from './listing-message.js'
import { type Shortening, shorteningResult, shortenList } from './listing-shorten.js'

export interface CurrentList extends ShownList {
  listing: HostListing
  /** Tokens. */
  context: number
  /** Draws the list as a picture. */
  picture(): Promise<Blob>
}

export interface ListingActions {
  element: HTMLElement
  /** Says again what shortening leads to, for another list. */
  update(): void
}

/** What the reader can do about a list: shorten, install the hook, share. */
export function listingActions(
  page: PageContext,
  current: () => CurrentList,
  signal: AbortSignal,
): ListingActions {
  const labels = texts.listing
  const status = make('p', { class: 'muted', role: 'status' })
  const shortened = make('div', { class: 'shortened' })
  const hook = hookCommands(current().listing)
  let shortening: Shortening | undefined

  const update = (): void => {
    if (shortening) shortened.replaceChildren(...shorteningResult(shortening, current()))
    hook.show(current().listing)
  }
  const startShortening = async (): Promise<void> => {
    shorten.disabled = true
    status.textContent = labels.reading
    try {
      shortening = await shortenList(page, current(), {
        signal,
        onProgress(done, total) {
          status.textContent = labels.shortening(done, total)
        },
      })
      status.textContent = ''
      update()
    } catch (error) {
      if (signal.aborted) return
      setText(status, `${labels.failed} ${error}`)
    }
    shorten.disabled = false
  }
  const shorten = makeButton(labels.shorten, () => void startShortening(), {
    class: 'button primary',
  })
  const showHook = makeButton(
    labels.hook,
    () => {
      hook.element.hidden = !hook.element.hidden
      showHook.setAttribute('aria-expanded', String(!hook.element.hidden))
    },
    { 'aria-expanded': 'false' },
  )
  const picture = makeButton(labels.picture, () => {
    current()
      .picture()
      .then(
        image => saveAs(image, 'skills.png'),
        (error: unknown) => setText(status, String(error)),
      )
  })
  const copyLink = (): void => {
    const href = publicHref(language)
    const copying = navigator.clipboard
      ? navigator.clipboard.writeText(href)
      : Promise.reject(new Error('No clipboard'))
    copying.then(
      () => {
        status.textContent = labels.linkCopied
      },
      () => setText(status, href),
    )
  }
  return {
    element: make(
      'section',
      { 'aria-label': labels.actions },
      make(
        'p',
        { class: 'buttons' },
        shorten,
        showHook,
        picture,
        !isLocal(page.location) && makeButton(labels.link, copyLink),
      ),
      status,
      hook.element,
      shortened,
    ),
    update,
  }
}

function hookCommands(first: HostListing): {
  element: HTMLElement
  show(listing: HostListing): void
} {
  const labels = texts.listing
  const commands = make('pre', { tabindex: '0', role: 'group', 'aria-label': labels.hookCommands })
  const text = (): string => commands.textContent ?? ''
  const element = make(
    'div',
    { class: 'hook-commands', hidden: '' },
    make('p', {}, labels.hookMeaning),
    commands,
    copyButton(labels.hookCommands, text, commands),
  )
  const show = ({ host }: HostListing): void => {
    commands.textContent = `npm install --global skillshelf\nskillshelf hook install ${host}`
  }
  show(first)
  return { element, show }
}
