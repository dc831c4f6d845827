/**
 * A library as a server of the Model Context Protocol, over any transport. Needs `@modelcontextprotocol/server`. `createHandler` of
 * `skillshelf/server` serves the protocol over HTTP without it.
 *
 * @packageDocumentation
 * @module skillshelf/mcp
 */

export type { McpServerOptions } from '../server/mcp/options.js'
export { createMcpServer } from '../server/mcp/server.js'
