/** Between this library and the skills of cloudflare/agents (`agents/skills`, 0.32), each way. */
export { fromAgentsSource } from './cloudflare-agents/from.js'
export { toAgentsSource } from './cloudflare-agents/to.js'
export type {
  AgentsListedSkill,
  AgentsListing,
  AgentsResource,
  AgentsResourceInfo,
  AgentsResult,
  AgentsSkill,
  AgentsSource,
} from './cloudflare-agents/types.js'
