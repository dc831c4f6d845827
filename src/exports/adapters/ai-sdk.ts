/**
 * Tools for the AI SDK, and skills for its harnesses.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/ai-sdk
 */

export {
  type HarnessSkill,
  harnessSkill,
  skillMiddleware,
  skillTools,
} from '../../agent/adapters/ai-sdk.js'
export type { RequestOptions } from '../../agent/adapters/request.js'
