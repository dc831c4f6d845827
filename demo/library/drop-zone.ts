import { make } from '../dom.js'
import { texts } from '../texts.js'

/** Receives drops in place of the page. */
export interface DropTarget {
  /** Shown while files are dragged over the page. */
  label: string
  onDrop(entries: readonly FileSystemEntry[]): void
}

/**
 * Accepts files and folders that are dropped anywhere on the page.
 * @param options.isRedirected Whether a target will take the drops of this URL. Until it has loaded, they wait for it.
 * @returns A function that sends drops to another target until its signal aborts
 */
export function createDropZone(
  onDrop: (entries: readonly FileSystemEntry[]) => void,
  { isRedirected }: { isRedirected(): boolean },
): (target: DropTarget, signal: AbortSignal) => void {
  // It covers the page and takes the drop: an element below it may be removed before the drop, and the drop is then lost.
  const overlay = make('div', { class: 'drop', role: 'status', hidden: '' })
  let target: DropTarget | undefined
  let waiting: (readonly FileSystemEntry[])[] = []
  document.body.append(overlay)
  const hasFiles = (event: DragEvent): boolean =>
    event.dataTransfer?.types.includes('Files') ?? false
  const onDrag = (event: DragEvent): void => {
    if (!hasFiles(event)) return
    event.preventDefault()
    overlay.textContent = (isRedirected() ? target?.label : undefined) ?? texts.drop
    overlay.hidden = false
  }
  // The first event on each element is `dragenter`, and a drop may follow it at once.
  document.addEventListener('dragenter', onDrag)
  document.addEventListener('dragover', onDrag)
  document.addEventListener('dragleave', event => {
    // `null` means that the pointer left the page, not one of its elements.
    if (event.relatedTarget === null) overlay.hidden = true
  })
  // A drag has no pointer events: it ended where the page did not see it.
  overlay.addEventListener('pointerdown', () => {
    overlay.hidden = true
  })
  document.addEventListener('drop', event => {
    overlay.hidden = true
    if (!event.dataTransfer || !hasFiles(event)) return
    event.preventDefault()
    // The items are only readable while the event is handled.
    const entries = [...event.dataTransfer.items]
      .map(item => item.webkitGetAsEntry())
      .filter(entry => entry !== null)
    if (entries.length === 0) return
    // The URL decides: a view that it no longer names may not have closed yet.
    if (!isRedirected()) onDrop(entries)
    else if (target) target.onDrop(entries)
    else waiting.push(entries)
  })
  window.addEventListener('hashchange', () => {
    if (!isRedirected()) waiting = []
  })
  return (next, signal) => {
    target = next
    for (const entries of waiting.splice(0)) next.onDrop(entries)
    signal.addEventListener('abort', () => {
      if (target === next) target = undefined
    })
  }
}
