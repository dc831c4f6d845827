/**
 * The names, prompts and tools of five other agent systems, for the `dialect` option of `createSession`, and their own functions over a session.
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
