import { make } from './dom.js'
import { texts } from './texts.js'

export interface Progress {
  found(amount: number): void
  read(done: number, total: number): void
}

/** Says in `place` how far something is that takes long, with a way to stop it. */
export function showProgress(place: HTMLElement, title: string, cancel: () => void): Progress {
  const bar = make('progress', { max: '1', 'aria-label': title })
  const said = make('span', { class: 'quiet' })
  const button = make('button', { type: 'button', class: 'button' }, texts.progress.cancel)
  button.addEventListener('click', cancel)
  place.replaceChildren(make('div', { class: 'progress' }, make('p', { role: 'status' }, title), bar, said, button))
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
