/** The bundled model of meaning, in Node: its files are read from the package. */
import { readFile } from 'node:fs/promises'
import { bundledFrom } from './bundled.js'

const addresses = {
  latin: () => new URL('../../../model/latin-128.bin', import.meta.url),
  han: () => new URL('../../../model/han-128.bin', import.meta.url),
}

/** As `bundled` of a page. */
export const bundled = bundledFrom(async part => new Uint8Array(await readFile(addresses[part]())))
