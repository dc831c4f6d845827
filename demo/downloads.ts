/** The code of the library, the code of MiniSearch, the compressed index of the samples, and the parts of the bundled model. */
export const isCode = (url: string): boolean =>
  /\/assets\/(?:skillshelf|message-language)-[^/]*\.js$/.test(url)
export const isMiniSearch = (url: string): boolean => /\/assets\/minisearch-[^/]*\.js$/.test(url)
export const isSamplesIndex = (url: string): boolean =>
  /\/assets\/[^/]*\.seg-[^/]*\.gzip$/.test(url)
export const isModel = (url: string): boolean =>
  /\/(?:latin|european|cyrillic|han|kana|hangul|rows)(?:-[^/]*\.gzip|[^/]*\.bin)$/.test(url)

/** Bytes of what the page has fetched, each file once: a repeated request is served by the HTTP cache. */
export function downloaded(accepts: (url: string) => boolean): number {
  const bytes = new Map<string, number>()
  for (const entry of performance.getEntriesByType('resource')) {
    if (entry instanceof PerformanceResourceTiming && accepts(entry.name)) {
      bytes.set(entry.name, entry.encodedBodySize)
    }
  }
  return [...bytes.values()].reduce((sum, size) => sum + size, 0)
}
