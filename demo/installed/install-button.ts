import type { LibraryLocation } from '../context.js'
import { make, makeButton } from '../dom.js'
import { errorAlert } from '../library/error-notice.js'
import { showProgress } from '../progress.js'
import { texts } from '../texts.js'
import { viewHash } from '../view-names.js'
import type { InstallResult } from './installed-skills.js'

/** Results by source: the page is redrawn when the language changes. */
const results = new WeakMap<object, InstallResult>()

/** A button that installs the skills of the open folder. It is replaced by the progress, then by the result. */
export function installButton(
  { folder, source }: LibraryLocation & { kind: 'folder' },
  skills: number,
): HTMLElement {
  const element = make('div', { class: 'install' })

  const showButton = (...alerts: readonly Node[]): HTMLButtonElement => {
    const button = makeButton(texts.install.offer(skills), () => void start(), {
      class: 'button primary',
    })
    element.replaceChildren(
      ...alerts,
      make('p', {}, button, ' ', make('span', {}, texts.install.meaning)),
    )
    return button
  }
  const showResult = (result: InstallResult): HTMLElement => {
    const link = make('a', { href: viewHash('installed') }, texts.install.show)
    element.replaceChildren(
      make('p', {}, make('span', { role: 'status' }, texts.install.done(result)), ' ', link),
    )
    return link
  }
  const start = async (): Promise<void> => {
    const controller = new AbortController()
    const { signal } = controller
    const { showRead } = showProgress(element, texts.install.installing(folder.name), () =>
      controller.abort(),
    )
    // Keeps the focus where it is if it has left the button.
    const replaceFocused = (show: () => HTMLElement): void => {
      const focused = element.contains(document.activeElement)
      const next = show()
      if (focused) next.focus()
    }
    try {
      const { installFolder } = await import('./installed-skills.js')
      const result = await installFolder(folder, { signal, onRead: showRead }, source)
      if ('error' in result) {
        const alert = errorAlert(result.error)
        return replaceFocused(() => {
          showButton(alert)
          return alert
        })
      }
      results.set(source, result)
      replaceFocused(() => showResult(result))
    } catch {
      replaceFocused(() =>
        showButton(...(signal.aborted ? [] : [make('p', { role: 'alert' }, texts.partFailed)])),
      )
    }
  }

  const result = results.get(source)
  if (result) showResult(result)
  else showButton()
  return element
}
