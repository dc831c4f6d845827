import { remembered } from '../preferences.js'
import { keepOffline } from './keep.js'

let enabling: Promise<void> | undefined

/**
 * Makes the page work offline: the service worker caches its files, IndexedDB stores a copy of the samples.
 * @returns A promise that stays pending if the browser never activates the service worker
 * @throws Error on the development server, whose files change, and if the browser has no service workers or the user saves data
 */
export function enableOffline(samples: URL): Promise<void> {
  enabling ??= enable(samples)
  return enabling
}

async function enable(samples: URL): Promise<void> {
  if (import.meta.hot || !('serviceWorker' in navigator) || savesData()) {
    throw new Error('Online only')
  }
  await navigator.serviceWorker.register(new URL('./sw.js', document.baseURI))
  await navigator.serviceWorker.ready
  keepOffline(performance.getEntriesByType('resource').map(({ name }) => name))
  if (remembered('offlineCopy') === undefined) {
    await (await import('../library/storage.js')).copySamples(samples)
  }
}

/** Whether the user asked the browser to reduce data usage. */
function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData ?? false
}
