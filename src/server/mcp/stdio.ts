/** MCP over stdin and stdout. The build puts the SDK into this module, so that the command line needs no further package. */
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
export { createMcpServer } from './server.js'
