/** The bundled model in a page: its files are fetched from beside the script and kept in the browser's HTTP cache. */
import { createBundled, fetchFile } from './bundled.js'

// Literal URLs, so that bundlers find the files.
const urls = {
  latin: () => new URL('../../../model/latin.bin', import.meta.url),
  european: () => new URL('../../../model/european.bin', import.meta.url),
  cyrillic: () => new URL('../../../model/cyrillic.bin', import.meta.url),
  han: () => new URL('../../../model/han.bin', import.meta.url),
  kana: () => new URL('../../../model/kana.bin', import.meta.url),
  hangul: () => new URL('../../../model/hangul.bin', import.meta.url),
}

/**
 * Loads the bundled model of meaning: about a megabyte, offline, without inference.
 *
 * @param options `parts: 'all'` loads the parts of all scripts at once. `files` has addresses or bytes of the files.
 * @returns A skill model for the `embedder` option of `openLibrary` and `pack`.
 * @throws SkillshelfError `source-failed` if its files cannot be loaded. The next call retries.
 * @example
 * const library = await openLibrary('/skills/', { embedder: bundled() })
 *
 * @example Files on your own host
 * const files = { latin: '/model/latin.bin', han: '/model/han.bin' }
 * const library = await openLibrary('/skills/', { embedder: bundled({ files }) })
 */
export const bundled = createBundled(part => fetchFile(urls[part]()))
