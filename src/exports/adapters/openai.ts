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
export type { RequestOptions } from '../../agent/adapters/request.js'
