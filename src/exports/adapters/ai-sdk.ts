/**
 * Tools for the AI SDK.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/ai-sdk
 */

export { skillTools } from '../../adapters/ai-sdk.js'
