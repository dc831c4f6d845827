/** Between this library and the skills of cloudflare/agents (`agents/skills`, 0.32), each way. */
export { fromAgentsSource } from '../adapters/cloudflare-agents/from.js'
export { toAgentsSource } from '../adapters/cloudflare-agents/to.js'
export type {
  AgentsListedSkill,
  AgentsListing,
  AgentsResource,
  AgentsResourceInfo,
  AgentsResult,
  AgentsSkill,
  AgentsSource,
} from '../adapters/cloudflare-agents/types.js'
export { type WorkersAiLike, workersAi } from '../embed/workers-ai.js'
export type {
  R2BucketLike,
  R2ConditionLike,
  R2ListingLike,
  R2ObjectBodyLike,
  R2ObjectLike,
} from '../source/r2/bucket.js'
export { type R2Options, type R2Source, r2 } from '../source/r2/r2.js'
