/**
 * The page's service worker. After one visit, the page opens without a network. It serves only the files of its own build; all other
 * requests, such as those for skills, go to the network.
 */

/** Written by plugin.ts. */
declare const __BUILD__: {
  /** Changes with every file of the page. */
  version: string
  /** The entry script. Only the document of this build refers to it. */
  entry: string
  /** Files to cache on installation. */
  precached: readonly string[]
  /** Scripts to cache on installation, from one file: JSON of their texts by path, compressed. */
  packed: readonly string[]
  pack: string
  /** Files to cache on first use. */
  lazy: readonly string[]
}

const worker = self as unknown as ServiceWorkerGlobalScope
const { version, entry, precached, packed, pack, lazy } = __BUILD__
const { scope } = worker.registration
const PREFIX = `skillshelf-page ${scope} `
const CACHE = PREFIX + version
/** Timeout in ms for the document, after which the cached one is used. */
const DOCUMENT_TIMEOUT = 4_000

const urlOf = (file: string): string => new URL(file, scope).href
const cacheable = new Set([...precached, ...packed, ...lazy].map(urlOf))
const documents = new Set([scope, urlOf('index.html')])

/** Caches the whole build. Fails if a file is missing, because a partial build would not start. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE)
  const response = await fetch(new Request(scope, { cache: 'reload' }))
  const html = await response.text()
  // During a deployment the host may serve the document of another build.
  if (!response.ok || !html.includes(entry)) {
    throw new Error('The document belongs to another build')
  }
  await cache.addAll(precached.map(urlOf))
  await addPack(cache)
  await cache.put(
    scope,
    new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
  )
}

/** Caches the scripts of the pack. An empty response in its place says how many bytes it had. */
async function addPack(cache: Cache): Promise<void> {
  // Later than the other parts of the platform that the page needs: the scripts one by one are the same.
  if (!('DecompressionStream' in self)) return cache.addAll(packed.map(urlOf))
  const response = await fetch(urlOf(pack))
  if (!response.ok) throw new Error(`${pack}: ${response.status}`)
  const bytes = await response.blob()
  const inflated = bytes.stream().pipeThrough(new DecompressionStream('gzip'))
  const texts = (await new Response(inflated).json()) as Record<string, string>
  const headers = { 'content-type': 'text/javascript; charset=utf-8', 'x-packed': pack }
  await Promise.all(
    Object.entries(texts).map(([file, text]) =>
      cache.put(urlOf(file), new Response(text, { headers })),
    ),
  )
  await cache.put(
    urlOf(pack),
    new Response('', { headers: { 'content-length': String(bytes.size) } }),
  )
}

/** Deletes the caches of earlier builds. No page of theirs is open at this point. */
async function activate(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(
    names
      .filter(name => name.startsWith(PREFIX) && name !== CACHE)
      .map(name => caches.delete(name)),
  )
  await worker.clients.claim()
}

/** Serves the document from the network first, so that a new build is used at once. */
async function serveDocument(request: Request): Promise<Response> {
  const cached = (): Promise<Response | undefined> => caches.match(scope, { cacheName: CACHE })
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), DOCUMENT_TIMEOUT)
  try {
    const response = await fetch(request, { signal: controller.signal })
    return response.status < 500 ? response : ((await cached()) ?? response)
  } catch {
    return (await cached()) ?? Response.error()
  } finally {
    clearTimeout(timer)
  }
}

/** Serves a file from the cache first: its name contains a hash of its content. */
async function serveFile(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE)
  const cached = await cache.match(request.url, { ignoreVary: true })
  if (cached) return cached
  const response = await fetch(request)
  if (response.status === 200) await cache.put(request.url, response.clone()).catch(() => undefined)
  return response
}

/** Caches files that a page loaded before the worker was active. `starts` are their URLs, or the beginnings. */
async function keep(starts: readonly string[]): Promise<void> {
  const cache = await caches.open(CACHE)
  for (const url of cacheable) {
    if (
      starts.some(start => url.startsWith(start)) &&
      !(await cache.match(url, { ignoreVary: true }))
    ) {
      await cache.add(url).catch(() => undefined)
    }
  }
  // The page counts what was downloaded.
  for (const client of await worker.clients.matchAll()) client.postMessage('kept')
}

worker.addEventListener('install', event => event.waitUntil(install()))
worker.addEventListener('activate', event => event.waitUntil(activate()))
worker.addEventListener('message', event => event.waitUntil(keep(event.data as readonly string[])))
worker.addEventListener('fetch', event => {
  const { request } = event
  const url = request.url.replace(/[?#].*$/, '')
  if (request.method !== 'GET') return
  if (request.mode === 'navigate' && documents.has(url)) event.respondWith(serveDocument(request))
  else if (cacheable.has(request.url)) event.respondWith(serveFile(request))
})
