/**
 * Models that match by meaning without a runtime: the bundled model, and one of eleven languages.
 *
 * @packageDocumentation
 * @module skillshelf/model
 */

export type { BundledOptions, ModelFiles } from '../search/model/bundled/bundled.js'
export { bundled } from '../search/model/bundled/package.js'
export { type MultilingualOptions, multilingual } from '../search/model/multilingual/multilingual.js'
export type { Part } from '../search/model/script-parts.js'
export type {
  Calibration,
  EmbeddedSkill,
  EmbedderLoader,
  EmbedKind,
  EmbedOptions,
  LoadOptions,
  SkillModel,
} from '../search/model/skill-model.js'
