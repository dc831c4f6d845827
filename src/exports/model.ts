/** The bundled model, which matches by meaning offline. */
export { bundled } from '../embed/bundled/browser.js'
export type { BundledOptions } from '../embed/bundled/bundled.js'
