/**
 * A custom element without a framework: `<skill-search>`, a search box for a library of skills.
 *
 * @packageDocumentation
 * @module skillshelf/element
 */

export type {
  RenderSkill,
  SkillCopyDetail,
  SkillErrorDetail,
  SkillMatchDetail,
  SkillOpenDetail,
  SkillSearchEventMap,
  SkillSearchTexts,
} from '../ui/element/events.js'
export { defineSkillSearch, SkillSearchElement } from '../ui/element/skill-search.js'
export type { OpenSkillsOptions } from '../ui/state/skills.js'
