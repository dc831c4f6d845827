export { answerToolUses, type MessagesTool, skillTools, type ToolResultBlock } from '../../adapters/anthropic.js'
export type { AnswerOptions } from '../../adapters/openai.js'
