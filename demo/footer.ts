import type { LibrarySnapshot } from 'skillshelf'
import { byId } from './dom.js'
import { texts } from './texts.js'

export interface Footer {
  /** @param from `address`: the library's URL; a folder has none. `own`: the library is the page's own. */
  show(snapshot: LibrarySnapshot, from: { own: boolean; address: URL | undefined }): void
  /** Shows that the page and its own library work offline. */
  markOffline(): void
}

/** The last line of the page: number of skills, revision, bytes downloaded. */
export function createFooter(): Footer {
  const footer = byId('footer', HTMLElement)
  /** Bytes by URL. A repeated request is served by the HTTP cache. */
  const downloads = new Map<string, number>()
  let latest: { snapshot: LibrarySnapshot; own: boolean; address: URL | undefined } | undefined
  let offline = false
  const downloadedFrom = (address: URL): number =>
    [...downloads].reduce((sum, [url, size]) => (url.startsWith(address.href) ? sum + size : sum), 0)
  const write = (): void => {
    if (!latest) return
    const { snapshot, own, address } = latest
    const size = address ? downloadedFrom(address) : 0
    const parts = [
      texts.footer.skills(snapshot.skills.length),
      texts.footer.revision(snapshot.revision),
      ...(size > 0 ? [texts.footer.downloaded(size)] : []),
      texts.footer.private,
      ...(offline && own ? [texts.footer.offline] : []),
    ]
    footer.textContent = parts.join(' · ')
  }
  new PerformanceObserver(entries => {
    for (const entry of entries.getEntries())
      if (entry instanceof PerformanceResourceTiming) downloads.set(entry.name, entry.encodedBodySize)
    write()
  }).observe({ type: 'resource', buffered: true })
  return {
    show(snapshot, from) {
      latest = { snapshot, ...from }
      write()
    },
    markOffline() {
      offline = true
      write()
    },
  }
}
