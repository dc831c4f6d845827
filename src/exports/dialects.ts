/**
 * The dialects of five agent systems, for the `dialect` option of `createSession`, and their own functions over a session.
 *
 * @packageDocumentation
 * @module skillshelf/dialects
 */

export { type AgentCoreSkillInfo, type AgentCoreSkills, agentCore, agentCoreOf } from '../dialects/agent-core.js'
export { type ManusXSkill, type ManusXSkills, manusX, manusXOf } from '../dialects/manus-x.js'
export {
  type OmniEmployeeMetadata,
  type OmniEmployeeSkills,
  omniEmployee,
  omniEmployeeOf,
} from '../dialects/omni-employee.js'
export { type OpenseedSkills, openseed, openseedOf } from '../dialects/openseed.js'
export {
  type TokenDanceMatch,
  type TokenDanceMetadata,
  type TokenDanceSkills,
  tokenDance,
  tokenDanceOf,
} from '../dialects/token-dance.js'
export { joinTools } from '../session/tools/tool.js'
