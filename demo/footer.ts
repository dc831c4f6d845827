import type { LibrarySnapshot } from 'skillshelf'
import { byId } from './dom.js'
import { texts } from './texts.js'

export interface Footer {
  /** @param address Where the library is fetched from; a folder has none. */
  show(snapshot: LibrarySnapshot, address?: URL): void
}

/** Keeps the last line of the page: what is on the shelf, and how much of it was fetched so far. */
export function createFooter(): Footer {
  const footer = byId('footer', HTMLElement)
  /** A file that is asked for again comes from the browser's cache. */
  const fetched = new Map<string, { name: string; size: number }>()
  let latest: { snapshot: LibrarySnapshot; address?: URL } | undefined
  const fetchedFrom = (address: URL): number =>
    [...fetched.values()].reduce((sum, entry) => (entry.name.startsWith(address.href) ? sum + entry.size : sum), 0)
  const write = (): void => {
    if (!latest) return
    const { snapshot, address } = latest
    const size = address ? fetchedFrom(address) : 0
    const parts = [
      texts.footer.skills(snapshot.skills.length),
      texts.footer.revision(snapshot.revision),
      ...(size > 0 ? [texts.footer.fetched(size)] : []),
      texts.footer.private,
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
    show(snapshot, address) {
      latest = { snapshot, ...(address ? { address } : {}) }
      write()
    },
  }
}
