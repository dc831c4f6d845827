/** The bundled model in a Cloudflare Worker: its files are uploaded with the script, as data modules. */
import type { Part } from '../format.js'
import { createBundled } from './bundled.js'

const modules: Readonly<Record<Part, () => Promise<{ default: ArrayBuffer }>>> = {
  // @ts-expect-error: no types for data
  latin: () => import('../../../model/latin-128.bin'),
  // @ts-expect-error: no types for data
  han: () => import('../../../model/han-128.bin'),
}

/** Loads the bundled model of meaning. See `bundled` in browser.ts. */
export const bundled = createBundled(async part => new Uint8Array((await modules[part]()).default))
