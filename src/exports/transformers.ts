/** Embedders that run transformers.js models. */
export type { ModelTraits, PresetName, TransformersOptions } from '../embed/transformers/options.js'
export { transformers } from '../embed/transformers/transformers.js'
