export type { BundledOptions, ModelFiles } from '../search/model/bundled/bundled.js'
export { bundled } from '../search/model/bundled/workerd.js'
export { type MultilingualOptions, multilingual } from '../search/model/multilingual/multilingual.js'
export type { Part } from '../search/model/parts.js'
export type {
  Calibration,
  EmbeddedSkill,
  EmbedderLoader,
  EmbedKind,
  EmbedOptions,
  LoadOptions,
  SkillModel,
} from '../search/model/types.js'
