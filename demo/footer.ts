import type { LibrarySnapshot } from 'skillshelf'
import { byId } from './dom.js'
import { downloaded, keptBytes, readServedSizes } from './downloads.js'
import { texts } from './texts.js'

export interface Footer {
  /** @param isOwn Whether the library is the page's own. */
  show(snapshot: LibrarySnapshot, isOwn: boolean): void
  /** Shows that the page and its own library work offline. */
  markOffline(): void
}

/** The last line of the page: number of skills, revision, bytes downloaded. */
export function createFooter(): Footer {
  const footer = byId('footer', HTMLElement)
  let latest: { snapshot: LibrarySnapshot; isOwn: boolean } | undefined
  let offline = false
  /** Bytes that the service worker fetched. */
  let kept = 0
  const write = (): void => {
    if (!latest) return
    const { snapshot, isOwn } = latest
    const size = downloaded(() => true) + kept
    const parts = [
      texts.footer.skills(snapshot.skills.length),
      texts.footer.revision(snapshot.revision),
      ...(size > 0 ? [texts.footer.downloaded(size)] : []),
      texts.footer.private,
      ...(offline && isOwn ? [texts.footer.offline] : []),
    ]
    footer.textContent = parts.join(' · ')
  }
  const update = (): void => {
    write()
    void readServedSizes().then(isNew => isNew && write())
  }
  const updateKept = async (): Promise<void> => {
    kept = await keptBytes()
    write()
  }
  // It has kept more.
  navigator.serviceWorker?.addEventListener('message', () => void updateKept())
  new PerformanceObserver(update).observe({ type: 'resource', buffered: true })
  return {
    show(snapshot, isOwn) {
      latest = { snapshot, isOwn }
      write()
    },
    markOffline() {
      offline = true
      write()
      void updateKept()
    },
  }
}
