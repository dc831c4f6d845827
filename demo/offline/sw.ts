/**
 * The page's service worker: after one visit the page opens without a network. It knows the files of its own build alone; everything else,
 * the skills among it, goes its way.
 */

/** Written by the build: see plugin.ts. */
declare const __BUILD__: {
  /** Differs with any file of the page. */
  version: string
  /** Stands in the document of this build alone. */
  entry: string
  /** Fetched when the worker is installed. */
  first: readonly string[]
  /** Kept once they were fetched: large, and not for everybody. */
  later: readonly string[]
}

const worker = self as unknown as ServiceWorkerGlobalScope
const { version, entry, first, later } = __BUILD__
const { scope } = worker.registration
const PREFIX = `skillshelf-page ${scope} `
const CACHE = PREFIX + version
/** Milliseconds that the document is waited for before the kept one is shown. */
const PATIENCE = 4_000

const addressOf = (file: string): string => new URL(file, scope).href
const kept = new Set([...first, ...later].map(addressOf))
const documents = new Set([scope, addressOf('index.html')])

/** All of the build, or none: what is half there would not open. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE)
  const answer = await fetch(new Request(scope, { cache: 'reload' }))
  const html = await answer.text()
  // While a host is brought up to date it may have another build's document.
  if (!answer.ok || !html.includes(entry)) throw new Error('The document is of another build')
  await cache.addAll(first.map(addressOf))
  await cache.put(scope, new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } }))
}

/** Of earlier builds nothing is needed: no page of theirs is open any more. */
async function tidy(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.filter(name => name.startsWith(PREFIX) && name !== CACHE).map(name => caches.delete(name)))
  await worker.clients.claim()
}

/** The network first, so that no page is stale that could be new. */
async function openDocument(request: Request): Promise<Response> {
  const here = (): Promise<Response | undefined> => caches.match(scope, { cacheName: CACHE })
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), PATIENCE)
  try {
    const answer = await fetch(request, { signal: stop.signal })
    return answer.status < 500 ? answer : ((await here()) ?? answer)
  } catch {
    return (await here()) ?? Response.error()
  } finally {
    clearTimeout(timer)
  }
}

/** Named by their content: what is kept is right. */
async function openFile(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE)
  const found = await cache.match(request.url, { ignoreVary: true })
  if (found) return found
  const answer = await fetch(request)
  if (answer.status === 200) await cache.put(request.url, answer.clone()).catch(() => undefined)
  return answer
}

worker.addEventListener('install', event => event.waitUntil(install()))
worker.addEventListener('activate', event => event.waitUntil(tidy()))
worker.addEventListener('fetch', event => {
  const { request } = event
  const address = request.url.replace(/[?#].*$/, '')
  if (request.method !== 'GET') return
  if (request.mode === 'navigate' && documents.has(address)) event.respondWith(openDocument(request))
  else if (kept.has(request.url)) event.respondWith(openFile(request))
})
