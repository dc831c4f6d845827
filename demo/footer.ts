import type { LibrarySnapshot } from 'skillshelf'
import { byId } from './dom.js'
import { texts } from './texts.js'

export interface Footer {
  /** @param from Where the library is fetched from: a folder has no address. `own`: it is the page's own library. */
  show(snapshot: LibrarySnapshot, from: { own: boolean; address: URL | undefined }): void
  /** The page and its own library work without a network from now on. */
  markOffline(): void
}

/** Keeps the last line of the page: what is on the shelf, and how much of it was fetched so far. */
export function createFooter(): Footer {
  const footer = byId('footer', HTMLElement)
  /** A file that is asked for again comes from the browser's cache. */
  const fetched = new Map<string, { name: string; size: number }>()
  let latest: { snapshot: LibrarySnapshot; own: boolean; address: URL | undefined } | undefined
  let offline = false
  const fetchedFrom = (address: URL): number =>
    [...fetched.values()].reduce((sum, entry) => (entry.name.startsWith(address.href) ? sum + entry.size : sum), 0)
  const write = (): void => {
    if (!latest) return
    const { snapshot, own, address } = latest
    const size = address ? fetchedFrom(address) : 0
    const parts = [
      texts.footer.skills(snapshot.skills.length),
      texts.footer.revision(snapshot.revision),
      ...(size > 0 ? [texts.footer.fetched(size)] : []),
      texts.footer.private,
      ...(offline && own ? [texts.footer.offline] : []),
    ]
    footer.textContent = parts.join(' · ')
  }
  new PerformanceObserver(entries => {
    for (const entry of entries.getEntries())
      if (entry instanceof PerformanceResourceTiming)
        fetched.set(entry.name, { name: entry.name, size: entry.encodedBodySize })
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
