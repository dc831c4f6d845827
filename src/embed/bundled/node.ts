/** The bundled model in Node: its files are read from the package. */
import { readFile } from 'node:fs/promises'
import { createBundled } from './bundled.js'

const urls = {
  latin: () => new URL('../../../model/latin-128.bin', import.meta.url),
  han: () => new URL('../../../model/han-128.bin', import.meta.url),
}

/** Loads the bundled model of meaning. See `bundled` in browser.ts. */
export const bundled = createBundled(async part => new Uint8Array(await readFile(urls[part]())))
