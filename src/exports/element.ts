/**
 * `<skill-search>`: a search box for a library of skills, without a framework.
 *
 * @packageDocumentation
 * @module skillshelf/element
 */

export { defineSkillSearch, SkillSearchElement } from '../ui/element/skill-search.js'
export type {
  RenderSkill,
  SkillCopyDetail,
  SkillErrorDetail,
  SkillMatchDetail,
  SkillOpenDetail,
  SkillSearchEventMap,
  SkillSearchTexts,
} from '../ui/element/types.js'
export type { OpenSkillsOptions } from '../ui/state/skills.js'
