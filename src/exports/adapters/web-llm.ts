/**
 * Skills for models of WebLLM, and of other engines with the API of OpenAI.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/web-llm
 */

export {
  type AnsweredTurn,
  answerWithSkills,
  type ChatEngine,
  type ChatMessage,
  type EngineTurn,
} from '../../agent/adapters/web-llm.js'
