/** A library behind HTTP: one handler for Cloudflare Workers, Node and service workers. */
export { createHandler, type SkillHandler } from '../server/http/handler.js'
export type { ExecutionLike, ServedLibrary } from '../server/http/served-library.js'

/** A library as a server of the Model Context Protocol: its tools, and its skills by the Skills extension. */
export { createMcpServer, type McpServerOptions } from '../server/mcp/server.js'
