import { language, texts } from './texts.js'
import { replaceLanguage, writeMessage } from './url.js'

/**
 * Copies a link to what the page shows.
 * @param isLocal Whether the open library is a folder, which a link cannot open.
 */
export function createCopyLink(button: HTMLButtonElement, status: HTMLElement, isLocal: () => boolean): void {
  button.addEventListener('click', () => {
    writeMessage()
    replaceLanguage(language)
    const link = location.href
    // `navigator.clipboard` is missing in insecure contexts.
    const copying = navigator.clipboard?.writeText(link) ?? Promise.reject(new Error('No clipboard'))
    copying.then(
      () => {
        status.textContent = isLocal() ? texts.link.local : texts.link.copied
      },
      () => {
        status.textContent = texts.link.blocked
      },
    )
  })
  document.addEventListener('input', () => {
    status.textContent = ''
  })
  window.addEventListener('popstate', () => {
    status.textContent = ''
  })
}
