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
  type ChatTool,
  type ResponseTool,
  responseTools,
  skillTools,
  type ToolOptions,
} from '../../agent/adapters/openai.js'
