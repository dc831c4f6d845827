import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'

/** Answers from the cache, and fills it with the page's own files: no network is needed to load it again. */
const SERVICE_WORKER = (files: readonly string[]): string => `
addEventListener('install', event => event.waitUntil(caches.open('page').then(cache => cache.addAll(${JSON.stringify(files)}))))
addEventListener('activate', event => event.waitUntil(clients.claim()))
addEventListener('fetch', event => event.respondWith(caches.match(event.request).then(found => found ?? fetch(event.request))))
`

/** The files of the page as a static host has them, by path: `kept.html`, what it loads, and its service worker. */
export async function buildKeptPage(): Promise<Map<string, Uint8Array>> {
  const root = fileURLToPath(new URL('pages', import.meta.url))
  const result = (await build({
    configFile: false,
    root,
    base: './',
    publicDir: false,
    logLevel: 'error',
    worker: { format: 'es' },
    build: { write: false, target: 'es2022', rolldownOptions: { input: `${root}/kept.html` } },
  })) as Rolldown.RolldownOutput
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
  const files = new Map(
    result.output.map(one => {
      const content = one.type === 'chunk' ? one.code : one.source
      return [one.fileName, typeof content === 'string' ? encode(content) : content]
    }),
  )
  return files.set('sw.js', encode(SERVICE_WORKER([...files.keys()])))
}
