import { byId } from './dom.js'
import { run } from './run.js'
import { goToSearch, writeMessage } from './url.js'

/** What the page does when the user, or the browser, asks for it. */
export interface PageEvents {
  /** The URL names another skill or view. */
  onView(): Promise<void>
  /** The browser has moved to another history entry. */
  onHistory(): void
  /** Whether a skill or a view is open. */
  isOpen(): boolean
  onModels(): Promise<void>
  /** A well-known repository. */
  onRepository(repository: string): void
  /** By the id of the button. */
  buttons: Readonly<Record<string, () => Promise<unknown>>>
}

/** Listens to the parts of the page that are always there. */
export function listen(events: PageEvents): void {
  window.addEventListener('hashchange', () => run(events.onView(), 'details'))
  // Before a link adds a history entry.
  document.addEventListener('click', writeMessage, { capture: true })
  window.addEventListener('pagehide', writeMessage)
  window.addEventListener('popstate', events.onHistory)
  document.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || !events.isOpen() || document.querySelector('dialog[open]')) return
    event.preventDefault()
    goToSearch()
  })
  for (const [id, onClick] of Object.entries(events.buttons)) {
    byId(id, HTMLElement).addEventListener('click', () => run(onClick(), 'error'))
  }
  byId('repositories', HTMLElement).addEventListener('click', ({ target }) => {
    const repository = target instanceof HTMLElement ? target.dataset['repository'] : undefined
    if (repository !== undefined) events.onRepository(repository)
  })
  byId('models', HTMLDetailsElement).addEventListener('toggle', () =>
    run(events.onModels(), 'models-panel'),
  )
}
