/** The bundled model in a page and in Node: its files are beside the script. A page keeps them in the browser's HTTP cache. */
import { createBundled, fetchFile } from './bundled.js'

// Literal URLs, so that bundlers find the files.
const urls = {
  latin: () => new URL('../../../../model/latin.bin', import.meta.url),
  european: () => new URL('../../../../model/european.bin', import.meta.url),
  cyrillic: () => new URL('../../../../model/cyrillic.bin', import.meta.url),
  han: () => new URL('../../../../model/han.bin', import.meta.url),
  kana: () => new URL('../../../../model/kana.bin', import.meta.url),
  hangul: () => new URL('../../../../model/hangul.bin', import.meta.url),
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
export const bundled = createBundled(part => readPackageFile(urls[part]()))

/** Node does not fetch files. Its module is looked up, so that bundlers for pages do not see it. */
async function readPackageFile(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
  const files = process?.getBuiltinModule?.('node:fs/promises') as
    | { readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> }
    | undefined
  return url.protocol === 'file:' && files ? new Uint8Array(await files.readFile(url)) : fetchFile(url)
}
