export {
  type AnswerOptions,
  answerFunctionCalls,
  answerToolCalls,
  type ChatTool,
  type ResponseTool,
  responseTools,
  skillTools,
} from '../../adapters/openai.js'
