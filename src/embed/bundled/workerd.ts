/** The bundled model of meaning, in a Worker: its files are part of the upload, as modules of data. */
import { bundledFrom } from './bundled.js'

const modules: Readonly<Record<'latin' | 'han', () => Promise<{ default: ArrayBuffer }>>> = {
  // @ts-expect-error: no types for data
  latin: () => import('../../../model/latin-128.bin'),
  // @ts-expect-error: no types for data
  han: () => import('../../../model/han-128.bin'),
}

/** As `bundled` of a page. */
export const bundled = bundledFrom(async part => new Uint8Array((await modules[part]()).default))
