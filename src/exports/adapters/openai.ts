/**
 * Tools for the Chat Completions and Responses APIs of OpenAI.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/openai
 */

export {
  type AnswerOptions,
  answerFunctionCalls,
  answerToolCalls,
  type ChatRequest,
  type ChatTool,
  prepareRequest,
  prepareResponse,
  type ResponseRequest,
  type ResponseTool,
  responseTools,
  skillTools,
  type ToolOptions,
} from '../../agent/adapters/openai.js'
export {
  answerToolSearches,
  type ShelfTool,
  shelfTools,
  type ToolSearchOutput,
  type ToolSearchTool,
} from '../../agent/adapters/openai-tool-shelf.js'
export type { RequestOptions } from '../../agent/adapters/request.js'
export type { ShelfToolsOptions } from '../../agent/tool-shelf/search-call.js'
