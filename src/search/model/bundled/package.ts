/**
 * The bundled model. In a page and in Node its files are beside the script, and a page keeps them in the browser's HTTP cache. In a Worker they
 * are static assets.
 */
import { isWorker } from '../../../core/platform.js'
import type { Part } from '../script-parts.js'
import { createBundled, fetchFile } from './bundled.js'
import { createFileLoader, type ModelPlace } from './model-files.js'
import { ROWS_FOLDER } from './rows-folder.js'
import { readAsset } from './worker-assets.js'

// Literal URLs, so that bundlers find the files.
const urls = {
  latin: () => new URL('../../../../model/latin.bin', import.meta.url),
  european: () => new URL('../../../../model/european.bin', import.meta.url),
  cyrillic: () => new URL('../../../../model/cyrillic.bin', import.meta.url),
  han: () => new URL('../../../../model/han.bin', import.meta.url),
  kana: () => new URL('../../../../model/kana.bin', import.meta.url),
  hangul: () => new URL('../../../../model/hangul.bin', import.meta.url),
}

const place: ModelPlace = {
  readPart: async (part, signal) =>
    isWorker() ? readAsset(`${part}.bin`) : readPackageFile(urls[part](), signal),
  async readRows(name, signal) {
    if (isWorker()) return readAsset(`rows/${name}`)
    // Node reads a whole part in the time of a piece.
    return ROWS_FOLDER === undefined || ROWS_FOLDER.startsWith('file:')
      ? undefined
      : fetchFile(new URL(name, ROWS_FOLDER), signal)
  },
}
const loader = createFileLoader(place)

/**
 * Loads the bundled model of meaning: about a megabyte, offline, without inference.
 *
 * A Worker reads the files from its static assets, the binding `ASSETS`.
 *
 * @param options `parts: 'all'` loads the parts of all scripts at once. `files` is where the files are.
 * @returns A skill model for the `embedder` option of `openLibrary` and `pack`.
 * @throws SkillshelfError `source-failed` if its files cannot be loaded. The next call retries.
 * @example
 * const library = await openLibrary('/skills/', { embedder: bundled() })
 *
 * @example Files on your own host
 * const library = await openLibrary('/skills/', { embedder: bundled({ files: http('/model/') }) })
 *
 * @example Files in an R2 bucket
 * const library = await openLibrary(r2(env.SKILLS), { embedder: bundled({ files: r2(env.SKILLS, { prefix: 'model/' }) }) })
 */
export const bundled = createBundled(place, loader)

/**
 * Loads what a model needs to open parts, so that `bundled` finds it.
 * @throws SkillshelfError `source-failed`
 */
export async function loadParts(parts: Iterable<Part>): Promise<void> {
  await Promise.all(
    Array.from(parts, async part => (await loader.pieced(part)) ?? (await loader.whole(part))),
  )
}

/** Node does not fetch files. Its module is looked up, so that bundlers for pages do not see it. */
async function readPackageFile(
  url: URL,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
  const files = process?.getBuiltinModule?.('node:fs/promises') as
    | { readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> }
    | undefined
  return url.protocol === 'file:' && files
    ? new Uint8Array(await files.readFile(url))
    : fetchFile(url, signal)
}
