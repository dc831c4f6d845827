import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'

/** Caches the files of the page, so that it loads without a network. */
const SERVICE_WORKER = (files: readonly string[]): string => `
addEventListener('install', event => event.waitUntil(caches.open('page').then(cache => cache.addAll(${JSON.stringify(files)}))))
addEventListener('activate', event => event.waitUntil(clients.claim()))
addEventListener('fetch', event => event.respondWith(caches.match(event.request).then(found => found ?? fetch(event.request))))
`

/** Builds the page: `kept.html`, its scripts and its service worker, by path. */
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
