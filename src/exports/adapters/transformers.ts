/**
 * Skills for text generation pipelines of transformers.js.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/transformers
 */

export {
  answerWithSkills,
  type GeneratedTurn,
  type GeneratorMessage,
  type GeneratorTurn,
  type TextGenerator,
} from '../../agent/adapters/transformers.js'
