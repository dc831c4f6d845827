import type { Place } from './desk.js'
import { make } from './dom.js'
import type { Kept } from './keeping.js'
import { showProgress } from './progress.js'
import { viewHash } from './route.js'
import { texts } from './texts.js'
import { toldTrouble } from './trouble.js'

/** What was kept of what is open: the page may be written once more, in another language. */
const known = new WeakMap<object, Kept>()

/** A button that keeps what is open in this browser, and what came of it, in its place. */
export function keepOffer({ folder, source }: Place & { kind: 'folder' }, amount: number): HTMLElement {
  const at = make('div', { class: 'keep' })

  const offer = (...trouble: readonly Node[]): HTMLButtonElement => {
    const button = make('button', { type: 'button', class: 'button primary' }, texts.keep.offer(amount))
    button.addEventListener('click', () => void start())
    at.replaceChildren(...trouble, make('p', {}, button, ' ', make('span', {}, texts.keep.means)))
    return button
  }
  const done = (kept: Kept): HTMLElement => {
    const link = make('a', { href: viewHash('mine') }, texts.keep.show)
    at.replaceChildren(make('p', {}, make('span', { role: 'status' }, texts.keep.done(kept)), ' ', link))
    return link
  }
  const start = async (): Promise<void> => {
    const stop = new AbortController()
    const { signal } = stop
    const { read } = showProgress(at, texts.keep.busy(folder.name), () => stop.abort())
    try {
      const { keep } = await import('./keeping.js')
      const kept = await keep(folder, { signal, onProgress: read }, source)
      // Who went on meanwhile stays there.
      const focused = at.contains(document.activeElement)
      if ('trouble' in kept) {
        const view = make('div', { class: 'trouble', role: 'alert', tabindex: '-1' }, ...toldTrouble(kept.trouble))
        offer(view)
        if (focused) view.focus()
        return
      }
      known.set(source, kept)
      const next = done(kept)
      if (focused) next.focus()
    } catch {
      const focused = at.contains(document.activeElement)
      const button = offer(...(signal.aborted ? [] : [make('p', { role: 'alert' }, texts.missingPart)]))
      if (focused) button.focus()
    }
  }

  const kept = known.get(source)
  if (kept) done(kept)
  else offer()
  return at
}
