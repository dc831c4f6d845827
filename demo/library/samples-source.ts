import compressed from 'virtual:compressed-samples'
import { http } from 'skillshelf'

/** By URL. */
const ahead = new Map<string, Promise<Response>>()

/** Fetches the index before the catalog names it. */
export function fetchAhead(): void {
  for (const url of Object.values(compressed)) {
    const fetching = fetch(url)
    // The samples may turn out to have another index.
    fetching.catch(() => {})
    ahead.set(url, fetching)
  }
}

/** The samples, with the compressed copy of their index if there is one. */
export function samplesSource(samples: URL): ReturnType<typeof http> {
  return http(samples, {
    async fetch(url, init) {
      const copy = url.startsWith(samples.href) ? compressed[url.slice(samples.href.length)] : undefined
      const inflated = copy === undefined ? undefined : await fetchInflated(copy).catch(() => undefined)
      return inflated ?? fetch(url, init)
    },
  })
}

async function fetchInflated(url: string): Promise<Response> {
  const fetching = ahead.get(url) ?? fetch(url)
  ahead.delete(url)
  const { ok, status, body } = await fetching
  if (!ok || !body) throw new Error(`${url} answers ${status}`)
  return new Response(body.pipeThrough(new DecompressionStream('gzip')))
}
