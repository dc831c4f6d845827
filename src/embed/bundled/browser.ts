/** The bundled model of meaning, in a page: its files are fetched from beside the script, and kept by the browser. */
import { bundledFrom } from './bundled.js'

// Written out, so that bundlers see the files.
const addresses = {
  latin: () => new URL('../../../model/latin-128.bin', import.meta.url),
  han: () => new URL('../../../model/han-128.bin', import.meta.url),
}

/**
 * A model of a megabyte that ships with the package: finds skills by meaning, offline, without inference.
 *
 *     openLibrary('/skills/', { embedder: bundled() })
 *
 * @throws SkillshelfError `source-failed` where its files cannot be loaded
 */
export const bundled = bundledFrom(async part => {
  const response = await fetch(addresses[part]())
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
})
