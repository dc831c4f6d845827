/**
 * A library as a server of the Model Context Protocol, over any transport. Needs `@modelcontextprotocol/server`. `createHandler` of
 * `skillshelf/server` serves the protocol over HTTP without it.
 *
 * @packageDocumentation
 * @module skillshelf/mcp
 */

export type { McpEnrichOptions } from '../server/mcp/sampling.js'
export { createMcpServer, type McpServerOptions } from '../server/mcp/server.js'
