/** A library as a server of the Model Context Protocol: its tools, and its skills by the Skills extension. */
export { createMcpServer, type McpServerOptions } from './server.js'
