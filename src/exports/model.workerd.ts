export type { BundledOptions } from '../embed/bundled/bundled.js'
export { bundled } from '../embed/bundled/workerd.js'
