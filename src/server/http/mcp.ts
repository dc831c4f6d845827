import { createMcpHandler } from '@modelcontextprotocol/server'
import type { SkillLibrary } from '../../library/types.js'
import { createMcpServer, type McpServerOptions } from '../mcp/server.js'

/** Answers a message of an MCP client (Streamable HTTP, stateless): each has a session of its own. */
export async function mcpAnswer(library: SkillLibrary, options: McpServerOptions, request: Request): Promise<Response> {
  return createMcpHandler(() => createMcpServer(library, options)).fetch(request)
}
