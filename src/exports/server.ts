/**
 * A library behind HTTP and MCP, on any server.
 *
 * @packageDocumentation
 * @module skillshelf/server
 */

export { createHandler, type SkillHandler } from '../server/http/handler.js'
export type {
  ExecutionLike,
  Served,
  ServedLibrary,
  ServedSource,
} from '../server/http/served-library.js'
export { type WarmOptions, warm } from '../server/http/warm.js'
