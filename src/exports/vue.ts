/**
 * Vue composables for a library of skills, and the template types of `<skill-search>`. Vue 3.3 or later.
 *
 * @packageDocumentation
 * @module skillshelf/vue
 */

export {
  type MaybeRefs,
  type UseLoaded,
  type UseMatchOptions,
  type UseSearchOptions,
  type UseSkillFileOptions,
  type UseSkillOptions,
  type UseSkills,
  type UseSkillsOptions,
  useMatch,
  useSearch,
  useSkill,
  useSkillFile,
  useSkills,
  type WithSkills,
} from '../ui/frameworks/vue.js'
export type { Loaded } from '../ui/state/loaded.js'
export type { FileRequest, SkillRequest } from '../ui/state/requests.js'
export type { OpenSkills, OpenSkillsOptions, SkillsInput } from '../ui/state/skills.js'
