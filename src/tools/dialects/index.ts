/** What five systems call their skills: each a `Dialect` for `createSession`, and its own functions over a session. */
export { type AgentCoreSkillInfo, type AgentCoreSkills, agentCore, agentCoreOf } from './agent-core.js'
export { joinTools } from './join-tools.js'
export { type ManusXSkill, type ManusXSkills, manusX, manusXOf } from './manus-x.js'
export { type OmniEmployee, type OmniEmployeeMetadata, omniEmployee, omniEmployeeOf } from './omni-employee.js'
export { type OpenseedSkills, openseed, openseedOf } from './openseed.js'
export {
  type TokenDance,
  type TokenDanceMatch,
  type TokenDanceMetadata,
  tokenDance,
  tokenDanceOf,
} from './token-dance.js'
