/**
 * Vue composables for a library of skills, and the template types of `<skill-search>`. Vue 3.3 or later.
 *
 * @packageDocumentation
 * @module skillshelf/vue
 */

export { type UseMatch, type UseSkills, useMatch, useSkills } from '../ui/frameworks/vue.js'
export type { OpenSkillsOptions, SkillsInput, SkillsState } from '../ui/state/skills.js'
