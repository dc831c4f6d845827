import { make } from './dom.js'
import { texts } from './texts.js'

/** Another taker of what is dropped. */
export interface Diversion {
  /** Says what a drop will do. */
  sign: string
  take(entries: readonly FileSystemEntry[]): void
}

/** Takes what is dropped anywhere on the page. Gives how somebody else takes it for a while. */
export function takeDrops(
  open: (entries: readonly FileSystemEntry[]) => void,
): (to: Diversion, signal: AbortSignal) => void {
  const sign = make('div', { class: 'drop', role: 'status', hidden: '' })
  let diverted: Diversion | undefined
  document.body.append(sign)
  const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
  document.addEventListener('dragover', event => {
    if (!carriesFiles(event)) return
    event.preventDefault()
    sign.textContent = diverted?.sign ?? texts.drop
    sign.hidden = false
  })
  document.addEventListener('dragleave', event => {
    // The page itself was left, not one of its elements.
    if (event.relatedTarget === null) sign.hidden = true
  })
  document.addEventListener('drop', event => {
    sign.hidden = true
    if (!event.dataTransfer || !carriesFiles(event)) return
    event.preventDefault()
    // They must be asked for while the event is handled: they are gone after it.
    const entries = [...event.dataTransfer.items].map(item => item.webkitGetAsEntry()).filter(entry => entry !== null)
    const take = diverted?.take ?? open
    if (entries.length > 0) take(entries)
  })
  return (to, signal) => {
    diverted = to
    signal.addEventListener('abort', () => {
      if (diverted === to) diverted = undefined
    })
  }
}
