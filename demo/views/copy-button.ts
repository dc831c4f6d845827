import { make, makeButton } from '../dom.js'
import { texts } from '../texts.js'

/**
 * A button that copies a text. If the clipboard is blocked, it selects `shown` instead.
 * @param what Names the text for screen readers.
 */
export function copyButton(what: string, text: () => string, shown: HTMLElement): HTMLElement {
  const status = make('span', { class: 'muted', role: 'status' })
  const copy = (): void => {
    status.textContent = ''
    // `navigator.clipboard` is missing in insecure contexts.
    const copying = navigator.clipboard
      ? navigator.clipboard.writeText(text())
      : Promise.reject(new Error('No clipboard'))
    copying.then(
      () => {
        status.textContent = texts.prompts.copied
      },
      () => {
        getSelection()?.selectAllChildren(shown)
        shown.focus()
        status.textContent = texts.prompts.selected
      },
    )
  }
  const button = makeButton(texts.prompts.copy, copy, {
    'aria-label': texts.prompts.copyLabel(what),
  })
  return make('span', { class: 'copy' }, status, button)
}
