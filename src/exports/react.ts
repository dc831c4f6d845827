/**
 * React hooks for a library of skills, and the JSX types of `<skill-search>`. React 18.2 or later; `<skill-search>` with properties needs
 * React 19.
 *
 * @packageDocumentation
 * @module skillshelf/react
 */

export { type SkillSearchProps, useMatch, useSkills } from '../ui/frameworks/react.js'
export type { MatchState } from '../ui/state/matching.js'
export type { OpenSkillsOptions, SkillsInput, SkillsState } from '../ui/state/skills.js'
