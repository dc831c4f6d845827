/**
 * Embedders that run transformers.js models.
 *
 * @packageDocumentation
 * @module skillshelf/transformers
 */

export type {
  ModelTraits,
  PresetName,
  TransformersOptions,
} from '../search/model/transformers/presets.js'
export { transformers } from '../search/model/transformers/transformers.js'
