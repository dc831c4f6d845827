/** Compressed copies of files: see compressed-plugin.ts. */
import urls from 'virtual:compressed-samples'

/** Responses that were requested before they are read, by URL. The index is the largest file before the first match. */
const ahead = new Map<string, Promise<Response>>()
try {
  // Later, IndexedDB has the samples. Throws if storage is blocked.
  if (localStorage.length === 0 && !/library|folder/.test(location.search)) {
    for (const url of Object.values(urls)) {
      const fetching = fetch(url)
      // The samples may turn out to have another index.
      fetching.catch(() => {})
      ahead.set(url, fetching)
    }
  }
} catch {}

/** The content of a file from its compressed copy; `undefined` if there is none, or it cannot be fetched. */
export async function fetchInflated(url: string | undefined): Promise<Response | undefined> {
  if (url === undefined) return undefined
  const fetching = ahead.get(url) ?? fetch(url)
  ahead.delete(url)
  const response = await fetching.catch(() => Response.error())
  if (!response.ok || !response.body) return undefined
  if ('DecompressionStream' in globalThis) {
    return new Response(response.body.pipeThrough(new DecompressionStream('gzip')))
  }
  const [{ gunzipSync }, bytes] = await Promise.all([import('fflate'), response.arrayBuffer()])
  return new Response(gunzipSync(new Uint8Array(bytes)))
}
