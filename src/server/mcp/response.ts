import { createMcpHandler } from '@modelcontextprotocol/server'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { McpServerOptions } from './options.js'
import { createMcpServer } from './server.js'

/** Answers an MCP request over Streamable HTTP. It is stateless: each request has its own session. The build puts the SDK into this module. */
export async function mcpResponse(
  library: SkillLibrary,
  options: McpServerOptions,
  request: Request,
) {
  return createMcpHandler(() => createMcpServer(library, options)).fetch(request)
}
