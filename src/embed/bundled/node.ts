/** The bundled model in Node: its files are read from the package. */
import { readFile } from 'node:fs/promises'
import { createBundled } from './bundled.js'

const urls = {
  latin: () => new URL('../../../model/latin.bin', import.meta.url),
  european: () => new URL('../../../model/european.bin', import.meta.url),
  cyrillic: () => new URL('../../../model/cyrillic.bin', import.meta.url),
  han: () => new URL('../../../model/han.bin', import.meta.url),
  kana: () => new URL('../../../model/kana.bin', import.meta.url),
  hangul: () => new URL('../../../model/hangul.bin', import.meta.url),
}

/** Loads the bundled model of meaning. See `bundled` in browser.ts. */
export const bundled = createBundled(async part => new Uint8Array(await readFile(urls[part]())))
