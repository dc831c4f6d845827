/**
 * `<skill-search>`: a search box for a library of skills, without a framework.
 *
 * @packageDocumentation
 * @module skillshelf/element
 */

export { defineSkillSearch } from '../element/define.js'
export { SkillSearchElement } from '../element/skill-search.js'
export type {
  RenderSkill,
  SkillCopyDetail,
  SkillErrorDetail,
  SkillMatchDetail,
  SkillOpenDetail,
  SkillSearchEventMap,
  SkillSearchTexts,
} from '../element/types.js'
export type { OpenSkillsOptions } from '../ui/skills.js'
