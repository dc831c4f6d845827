import urls from 'virtual:compressed-samples'
import { http } from 'skillshelf'
import { fetchInflated } from './compressed-files.js'

/** The samples, with the compressed copy of their index if there is one. */
export function samplesSource(samples: URL): ReturnType<typeof http> {
  return http(samples, {
    async fetch(url, init) {
      const copy = url.startsWith(samples.href) ? urls[url.slice(samples.href.length)] : undefined
      return (await fetchInflated(copy)) ?? fetch(url, init)
    },
  })
}
