export { answerToolUses, type MessagesTool, skillTools, type ToolResultBlock } from '../../adapters/anthropic.js'
