import { make, makeButton } from './dom.js'
import { texts } from './texts.js'

export interface ProgressBar {
  showFound(files: number): void
  showRead(done: number, total: number): void
}

/** Replaces the content of `parent` with a progress bar and a cancel button. */
export function showProgress(parent: HTMLElement, title: string, cancel: () => void): ProgressBar {
  const bar = make('progress', { max: '1', 'aria-label': title })
  const status = make('span', { class: 'muted' })
  const button = makeButton(texts.progress.cancel, cancel)
  parent.replaceChildren(
    make('div', { class: 'progress' }, make('p', { role: 'status' }, title), bar, status, button),
  )
  button.focus()
  return {
    showFound(files) {
      status.textContent = texts.progress.found(files)
    },
    showRead(done, total) {
      bar.value = done / total
      status.textContent = texts.progress.read(done, total)
    },
  }
}
