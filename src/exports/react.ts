/**
 * React hooks for a library of skills, and the JSX types of `<skill-search>`. React 18.2 or later; `<skill-search>` with properties needs
 * React 19.
 *
 * @packageDocumentation
 * @module skillshelf/react
 */

export {
  type SkillSearchProps,
  type UseMatchOptions,
  type UseSearchOptions,
  type UseSkillFileOptions,
  type UseSkillOptions,
  type UseSkillsOptions,
  useMatch,
  useSearch,
  useSkill,
  useSkillFile,
  useSkills,
} from '../ui/frameworks/react.js'
export type { Loaded } from '../ui/state/loaded.js'
export type { OpenSkills, OpenSkillsOptions, SkillsInput, SkillsState } from '../ui/state/skills.js'
