/** What five systems call their skills: each a `Dialect` for `createSession`, and its own functions over a session. */
export { type AgentCoreSkillInfo, type AgentCoreSkills, agentCore, agentCoreOf } from '../dialects/agent-core.js'
export { joinTools } from '../dialects/join-tools.js'
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
