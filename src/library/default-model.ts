/**
 * Whether the bundled model joins a library that is opened without `embedder`. Workers do no work outside of requests, and their upload is
 * small: they pass `embedder: bundled()`.
 */
export function hasDefaultModel(): boolean {
  return globalThis.navigator?.userAgent !== 'Cloudflare-Workers'
}
