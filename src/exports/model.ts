/**
 * The bundled model, which matches by meaning without a runtime, and the types of models.
 *
 * @packageDocumentation
 * @module skillshelf/model
 */

export type { BundledOptions, ModelFiles } from '../search/model/bundled/bundled.js'
export { bundled } from '../search/model/bundled/package.js'
export type { Part } from '../search/model/script-parts.js'
export type {
  Calibration,
  EmbeddedSkill,
  EmbedderLoader,
  EmbedKind,
  EmbedOptions,
  LoadOptions,
  ServedCoefficient,
  SkillModel,
} from '../search/model/skill-model.js'
