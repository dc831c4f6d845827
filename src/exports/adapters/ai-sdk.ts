/**
 * Tools for the AI SDK, and skills for its harnesses.
 *
 * @packageDocumentation
 * @module skillshelf/adapters/ai-sdk
 */

export { type HarnessSkill, harnessSkill, skillTools } from '../../agent/adapters/ai-sdk.js'
