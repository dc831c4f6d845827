import { make } from './dom.js'
import { texts } from './texts.js'

/** Takes what is dropped anywhere on the page. */
export function takeDrops(open: (entries: readonly FileSystemEntry[]) => void): void {
  const sign = make('div', { class: 'drop', hidden: '' })
  document.body.append(sign)
  const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
  document.addEventListener('dragover', event => {
    if (!carriesFiles(event)) return
    event.preventDefault()
    sign.textContent = texts.drop
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
    if (entries.length > 0) open(entries)
  })
}
