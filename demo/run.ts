import { byId, make } from './dom.js'
import { texts } from './texts.js'

/** Says that a part of the page failed to load. */
export function failureNotice(): HTMLElement {
  return make('p', { class: 'notice', role: 'alert' }, texts?.partFailed ?? 'Reload the page.')
}

/**
 * Waits for work, whose failure means that a part of the page failed to load. The rest of the page goes on.
 * @param place Id of the element that then says so
 */
export async function run(work: Promise<unknown>, place: string): Promise<void> {
  try {
    await work
  } catch {
    const element = byId(place, HTMLElement)
    element.hidden = false
    element.replaceChildren(failureNotice())
  }
}
