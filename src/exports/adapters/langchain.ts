/**
 * Tools for LangChain.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/langchain
 */

export { type ModelRequest, prepareRequest, skillTools } from '../../agent/adapters/langchain.js'
export type { RequestOptions } from '../../agent/adapters/request.js'
