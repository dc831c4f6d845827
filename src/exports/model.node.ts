export type { BundledOptions, ModelFiles } from '../embed/bundled/bundled.js'
export { bundled } from '../embed/bundled/node.js'
