/**
 * Embedders that run transformers.js models.
 *
 * @packageDocumentation
 * @module skillshelf/transformers
 */

export type { ModelTraits, PresetName, TransformersOptions } from '../embed/transformers/options.js'
export { transformers } from '../embed/transformers/transformers.js'
