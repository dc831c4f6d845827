/**
 * Skills for the built-in model of the browser, through the Prompt API.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/prompt-api
 */

export {
  createPromptChat,
  type PromptChat,
  type PromptChatOptions,
  type PromptModel,
  type PromptModelFactory,
} from '../../agent/adapters/prompt-api.js'
