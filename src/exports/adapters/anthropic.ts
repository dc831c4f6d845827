/**
 * Tools for the Anthropic Messages API.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/anthropic
 */

export {
  answerToolUses,
  type MessagesTool,
  skillTools,
  type ToolResultBlock,
} from '../../agent/adapters/anthropic.js'
export type { AnswerOptions } from '../../agent/adapters/openai.js'
