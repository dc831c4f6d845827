import { remembered } from './choice.js'

let working: Promise<void> | undefined

/**
 * Has the page work without a network: its service worker keeps the files of the page, the store a copy of the samples. Resolves once both
 * do; never where the browser will not.
 */
export function workOffline(samples: URL): Promise<void> {
  working ??= begin(samples)
  return working
}

async function begin(samples: URL): Promise<void> {
  await navigator.serviceWorker.register(new URL('./sw.js', document.baseURI))
  await navigator.serviceWorker.ready
  if (remembered('copied') === undefined) await (await import('./store.js')).copySamples(samples)
}
