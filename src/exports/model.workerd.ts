export type { BundledOptions, ModelFiles } from '../search/model/bundled/bundled.js'
export { bundled } from '../search/model/bundled/workerd.js'
