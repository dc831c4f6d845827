// A service worker as that of the demo page: it serves a page, and a file of its cache.
const PAGE =
  '<script type="module">import { downloaded, readServedSizes } from "/demo/downloads.ts"; const file = new URL("file", location.href).href; await (await fetch(file)).arrayBuffer(); await readServedSizes(); parent.postMessage({ bytes: downloaded(url => url === file) }, "*")</script>'

self.addEventListener('install', event => event.waitUntil(fill()))
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()))
self.addEventListener('fetch', event => {
  const { pathname } = new URL(event.request.url)
  if (pathname.endsWith('/served/page')) {
    event.respondWith(new Response(PAGE, { headers: { 'content-type': 'text/html' } }))
  } else if (pathname.endsWith('/served/file')) {
    event.respondWith(caches.match(event.request.url))
  }
})

async function fill() {
  const cache = await caches.open('served-sizes')
  await cache.put(new URL('served/file', self.location.href).href, new Response('x'.repeat(12_345)))
  await self.skipWaiting()
}
