import { make } from './dom.js'
import { texts } from './texts.js'

export interface Progress {
  found(amount: number): void
  read(done: number, total: number): void
}

/** Says in `place` how far the opening of a library is, with a way to stop it. */
export function showProgress(place: HTMLElement, name: string, cancel: () => void): Progress {
  const bar = make('progress', { max: '1', 'aria-label': texts.progress.opening(name) })
  const said = make('span', { class: 'quiet' })
  const button = make('button', { type: 'button', class: 'button' }, texts.progress.cancel)
  button.addEventListener('click', cancel)
  place.replaceChildren(
    make('div', { class: 'progress' }, make('p', { role: 'status' }, texts.progress.opening(name)), bar, said, button),
  )
  button.focus()
  return {
    found(amount) {
      said.textContent = texts.progress.found(amount)
    },
    read(done, total) {
      bar.value = done / total
      said.textContent = texts.progress.read(done, total)
    },
  }
}
