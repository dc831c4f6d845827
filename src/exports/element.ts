/**
 * Custom elements without a framework: `<skill-search>`, a search box for a library of skills, and `<skill-activity>`, a panel that shows
 * what a session does.
 *
 * @packageDocumentation
 * @module skillshelf/element
 */

export { defineSkillActivity, SkillActivityElement } from '../ui/element/activity/skill-activity.js'
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
