/**
 * The names, prompts and tools of five other agent systems, for the `dialect` option of `createSession`, and their own functions over a session.
 *
 * Where a document's own loader would lose or hide a skill, skillshelf does not:
 * - `openseed`, `manusX` and `agentCore` list the direct subfolders of one folder. → Every folder with a SKILL.md is
 *   a skill, at any depth, also one inside another skill: its files are not among the `resources` of the outer one,
 *   and can be read through it. To offer only some, open a folder that has only those.
 * - The `resources` of `manusX` are all files in `scripts/`, `references/` and `assets/`. → The same, without files
 *   of a collection of skills inside it and without what tools write.
 * - `agentCore` reads `skill.md`, the others `SKILL.md`. → Any case. Of two in a folder, `SKILL.md` is used, with the
 *   diagnostic `two-skill-files`.
 * - `tokenDance` and `manusX` do not load a file without frontmatter. → It is a skill with the name of its folder and
 *   its first paragraph as description, with diagnostics.
 * - The keyword stage of `tokenDance` finds a tag inside a longer word: `ai` in `email`, `research` in `researching`.
 *   → `stages: 'keyword'` finds names and tags as whole words. The default finds other forms of a word too.
 * - A name that is broken YAML, such as `name: [unclosed`, is an error. → The name of the folder stands in, with a
 *   diagnostic, so `openseed` and `agentCore` do not offer the skill.
 * - Without skills, `openseed` has its tools. → The same. The other dialects have no tools then.
 *
 * @packageDocumentation
 * @module skillshelf/dialects
 */

export {
  type AgentCoreSkillInfo,
  type AgentCoreSkills,
  agentCore,
  agentCoreOf,
} from '../agent/dialects/agent-core.js'
export { type ManusXSkill, type ManusXSkills, manusX, manusXOf } from '../agent/dialects/manus-x.js'
export {
  type OmniEmployeeMetadata,
  type OmniEmployeeSkills,
  omniEmployee,
  omniEmployeeOf,
} from '../agent/dialects/omni-employee.js'
export { type OpenseedSkills, openseed, openseedOf } from '../agent/dialects/openseed.js'
export {
  type TokenDanceMatch,
  type TokenDanceMetadata,
  type TokenDanceSkills,
  tokenDance,
  tokenDanceOf,
} from '../agent/dialects/token-dance.js'
