/**
 * Tools for LangChain.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/langchain
 */

export { skillTools } from '../../adapters/langchain.js'
