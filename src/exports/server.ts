/**
 * A library behind HTTP and MCP.
 *
 * @packageDocumentation
 * @module skillshelf/server
 */

export { createHandler, type SkillHandler } from '../server/http/handler.js'
export type { ExecutionLike, ServedLibrary } from '../server/http/served-library.js'
export type { McpEnrichOptions } from '../server/mcp/sampling.js'
export { createMcpServer, type McpServerOptions } from '../server/mcp/server.js'
export { type WarmOptions, warm } from '../server/warm/warm.js'
