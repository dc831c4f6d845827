import { make } from './dom.js'
import { texts } from './texts.js'

/**
 * A button that copies a text, and says so. Where the clipboard is forbidden what is shown is selected instead.
 * @param what Said to who cannot see which text the button stands beside.
 */
export function copyButton(what: string, text: () => string, shown: HTMLElement): HTMLElement {
  const said = make('span', { class: 'quiet', role: 'status' })
  const button = make(
    'button',
    { type: 'button', class: 'button', 'aria-label': texts.model.copyOf(what) },
    texts.model.copy,
  )
  button.addEventListener('click', () => {
    said.textContent = ''
    // Absent on pages that are no secure context.
    const copying = navigator.clipboard ? navigator.clipboard.writeText(text()) : Promise.reject(new Error('absent'))
    copying.then(
      () => {
        said.textContent = texts.model.copied
      },
      () => {
        getSelection()?.selectAllChildren(shown)
        shown.focus()
        said.textContent = texts.model.selected
      },
    )
  })
  return make('span', { class: 'copy' }, said, button)
}
