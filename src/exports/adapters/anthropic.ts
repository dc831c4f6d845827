/**
 * Tools for the Anthropic Messages API.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/anthropic
 */

export {
  answerToolUses,
  type MessagesRequest,
  type MessagesTool,
  prepareRequest,
  skillTools,
  type ToolResultBlock,
} from '../../agent/adapters/anthropic.js'
export {
  answerToolSearches,
  type ShelfTool,
  shelfTools,
  type ToolSearchResult,
} from '../../agent/adapters/anthropic-tool-shelf.js'
export type { AnswerOptions } from '../../agent/adapters/openai.js'
export type { RequestOptions } from '../../agent/adapters/request.js'
export type { ShelfToolsOptions } from '../../agent/tool-shelf/search-call.js'
