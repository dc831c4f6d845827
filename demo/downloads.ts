/** The code of the library, the code of MiniSearch, the compressed index of the samples, and the parts of the bundled model. */
export const isCode = (url: string): boolean =>
  /\/assets\/(?:skillshelf|message-language)-[^/]*\.js$/.test(url)
export const isMiniSearch = (url: string): boolean => /\/assets\/minisearch-[^/]*\.js$/.test(url)
export const isSamplesIndex = (url: string): boolean =>
  /\/assets\/[^/]*\.seg-[^/]*\.gzip$/.test(url)
export const isModel = (url: string): boolean =>
  /\/(?:latin|european|cyrillic|han|kana|hangul|rows)(?:-[^/]*\.gzip|[^/]*\.bin)$/.test(url)

/** Sizes of files that the service worker served, by URL. Firefox and Safari report 0 for them. */
const served = new Map<string, number>()

/** Bytes of what the page has fetched, each file once: a repeated request is served by the HTTP cache. */
export function downloaded(accepts: (url: string) => boolean): number {
  const bytes = new Map<string, number>()
  for (const file of fetchedFiles()) {
    const { name, encodedBodySize } = file
    if (accepts(name)) bytes.set(name, isServed(file) ? (served.get(name) ?? 0) : encodedBodySize)
  }
  return [...bytes.values()].reduce((sum, size) => sum + size, 0)
}

/** Reads the sizes that the browser does not report. Call it before `downloaded`. @returns Whether any was new */
export async function readServedSizes(): Promise<boolean> {
  // Missing in insecure contexts, where there is no service worker either.
  if (!('caches' in globalThis)) return false
  const unknown = fetchedFiles().filter(file => isServed(file) && !served.has(file.name))
  await Promise.all(unknown.map(async ({ name }) => served.set(name, await cachedSize(name))))
  return unknown.some(({ name }) => served.get(name) !== 0)
}

/** Whether the service worker had a file. Chromium says how large it is, and nothing about the pack that it came in. */
function isServed({
  encodedBodySize,
  transferSize,
  workerStart,
}: PerformanceResourceTiming): boolean {
  return encodedBodySize === 0 || (workerStart > 0 && transferSize === 0)
}

/** Bytes of a file in the cache of the service worker: as it was sent, if the host said so. 0 if it is not there. */
async function cachedSize(url: string): Promise<number> {
  try {
    return await keptSize(await caches.match(url, { ignoreVary: true }))
  } catch {
    return 0
  }
}

/** Bytes of what the service worker keeps and the page did not fetch itself. */
export async function keptBytes(): Promise<number> {
  try {
    const fetched = new Set(fetchedFiles().map(({ name }) => name.replace(/#.*$/, '')))
    const scope = new URL('./', document.baseURI).href
    const names = (await caches.keys()).filter(name => name.startsWith(`skillshelf-page ${scope} `))
    const sizes = names.map(async name => {
      const cache = await caches.open(name)
      const kept = (await cache.keys()).filter(({ url }) => !fetched.has(url))
      return Promise.all(kept.map(async ({ url }) => keptSize(await cache.match(url))))
    })
    return (await Promise.all(sizes)).flat().reduce((sum, size) => sum + size, 0)
  } catch {
    return 0
  }
}

/** Bytes of a kept file. What came in a pack counts there. */
async function keptSize(response: Response | undefined): Promise<number> {
  if (!response || response.headers.has('x-packed')) return 0
  return Number(response.headers.get('content-length')) || (await response.blob()).size
}

/** The document, and everything that it loaded. */
function fetchedFiles(): PerformanceResourceTiming[] {
  return ['navigation', 'resource']
    .flatMap(type => performance.getEntriesByType(type))
    .filter(entry => entry instanceof PerformanceResourceTiming)
}
