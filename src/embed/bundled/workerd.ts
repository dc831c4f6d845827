/** The bundled model in a Cloudflare Worker: its files are uploaded with the script, as data modules. */
import type { Part } from '../parts.js'
import { createBundled } from './bundled.js'

const modules: Readonly<Record<Part, () => Promise<{ default: ArrayBuffer }>>> = {
  // @ts-expect-error: no types for data
  latin: () => import('../../../model/latin.bin'),
  // @ts-expect-error: no types for data
  european: () => import('../../../model/european.bin'),
  // @ts-expect-error: no types for data
  cyrillic: () => import('../../../model/cyrillic.bin'),
  // @ts-expect-error: no types for data
  han: () => import('../../../model/han.bin'),
  // @ts-expect-error: no types for data
  kana: () => import('../../../model/kana.bin'),
  // @ts-expect-error: no types for data
  hangul: () => import('../../../model/hangul.bin'),
}

/** Loads the bundled model of meaning. See `bundled` in browser.ts. */
export const bundled = createBundled(async part => new Uint8Array((await modules[part]()).default))
