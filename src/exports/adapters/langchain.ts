/**
 * Tools for LangChain.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/langchain
 */

export { skillTools } from '../../agent/adapters/langchain.js'
