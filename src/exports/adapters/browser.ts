/**
 * Skills for what a browser offers agents: its built-in model, through the Prompt API, and its own agent, through WebMCP.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/browser
 */

export {
  createPromptChat,
  type PromptChat,
  type PromptChatOptions,
  type PromptModel,
  type PromptModelFactory,
} from '../../agent/adapters/prompt-api.js'
export { registerSkillTools, type WebMcpOptions } from '../../agent/adapters/webmcp.js'
