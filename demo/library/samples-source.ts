import urls from 'virtual:compressed-samples'
import { http } from 'skillshelf'
import { fetchInflated } from './compressed-files.js'

/** Responses that the first library has read, for the one with the model that soon replaces it. */
const known = new Map<string, Response>()
let opened = 0

/**
 * The samples, with the compressed copy of their index if there is one.
 * @param read Answers what it has without a request, by path.
 */
export function samplesSource(
  samples: URL,
  read?: (path: string) => Response | undefined,
): ReturnType<typeof http> {
  const at = opened++
  return http(samples, {
    async fetch(url, init) {
      const own = url.startsWith(samples.href) && read?.(url.slice(samples.href.length))
      if (own) return own
      const before = at === 1 && known.get(url)
      known.delete(url)
      if (before) return before
      const copy = url.startsWith(samples.href) ? urls[url.slice(samples.href.length)] : undefined
      const response = (await fetchInflated(copy)) ?? (await fetch(url, init))
      // The catalog and the index, not the files of skills.
      if (at === 0 && response.ok && /\.(?:json|seg)$/.test(url)) known.set(url, response.clone())
      return response
    },
  })
}
