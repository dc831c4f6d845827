import { buildPage } from '../build-page.js'

/** Caches the files of the page, so that it loads without a network. */
const SERVICE_WORKER = (files: readonly string[]): string => `
addEventListener('install', event => event.waitUntil(caches.open('page').then(cache => cache.addAll(${JSON.stringify(files)}))))
addEventListener('activate', event => event.waitUntil(clients.claim()))
addEventListener('fetch', event => event.respondWith(caches.match(event.request).then(found => found ?? fetch(event.request))))
`

/** Builds the page: `kept.html`, its scripts and its service worker, by path. */
export async function buildKeptPage(): Promise<Map<string, Uint8Array>> {
  const files = await buildPage(new URL('pages', import.meta.url), 'kept')
  return files.set('sw.js', new TextEncoder().encode(SERVICE_WORKER([...files.keys()])))
}
