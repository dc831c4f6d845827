import type { LibrarySnapshot } from 'skillshelf'
import { byId } from './dom.js'
import { bytes, count } from './format.js'

/** Keeps the last line of the page: what is on the shelf, and how much of it was fetched so far. */
export function createFooter(address: URL): { show(snapshot: LibrarySnapshot): void } {
  const footer = byId('footer', HTMLElement)
  let fetched = 0
  let latest: LibrarySnapshot | undefined
  const write = (): void => {
    if (!latest) return
    const parts = [
      count(latest.skills.length, 'skill'),
      `revision ${latest.revision}`,
      ...(fetched > 0 ? [`${bytes(fetched)} fetched`] : []),
      'nothing leaves this page',
    ]
    footer.textContent = parts.join(' · ')
  }
  new PerformanceObserver(entries => {
    for (const entry of entries.getEntries())
      if (entry instanceof PerformanceResourceTiming && entry.name.startsWith(address.href))
        fetched += entry.encodedBodySize
    write()
  }).observe({ type: 'resource', buffered: true })
  return {
    show(snapshot) {
      latest = snapshot
      write()
    },
  }
}
