/**
 * Whether the bundled model joins a library that is opened without `embedder`. Workers do no work outside of requests, and their upload is
 * small: they pass `embedder: bundled()`.
 */
export const HAS_DEFAULT_MODEL = globalThis.navigator?.userAgent !== 'Cloudflare-Workers'
