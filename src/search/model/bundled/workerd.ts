/** The bundled model in a Cloudflare Worker: its files are uploaded with the script, as data modules. */
import type { Part } from '../parts.js'
import { createBundled } from './bundled.js'

/** English and ideographs: with the other parts, a Worker would exceed the 3 MB of the free plan. `files` adds them. */
const modules: { readonly [P in Part]?: () => Promise<{ default: ArrayBuffer }> } = {
  // @ts-expect-error: no types for data
  latin: () => import('../../../../model/latin.bin'),
  // @ts-expect-error: no types for data
  han: () => import('../../../../model/han.bin'),
}

/** Loads the bundled model of meaning. See `bundled` in package.ts. Other parts than `latin` and `han` are passed as `files`. */
export const bundled = createBundled(async part => {
  const module = await modules[part]?.()
  return module && new Uint8Array(module.default)
})
