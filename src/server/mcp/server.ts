import { createMcpHandler, McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import { SkillshelfError } from '../../core/errors.js'
import type { SkillLibrary } from '../../library/types.js'
import { createSession } from '../../session/session.js'
import { callTool } from '../../session/tools/tool.js'
import type { Session, SessionOptions } from '../../session/types.js'
import { servedSkills } from './served-skills.js'

/** Options of `createMcpServer`. */
export interface McpServerOptions {
  /**
   * Name and version that the server reports to clients.
   * @default { name: 'skillshelf', version: '0' }
   */
  info?: { name: string; version: string; title?: string } | undefined
  /**
   * Options of the session behind the server, such as its dialect. Skills that a client opens stay open until the server closes.
   * @default {}
   */
  session?: SessionOptions | undefined
}

/**
 * Creates a Model Context Protocol server for one connection.
 *
 * It offers the tools of its own session, the catalog as server instructions, and the skills through the Skills extension
 * (`io.modelcontextprotocol/skills`) with a digest of each file. Clients are notified when tools or skills change. Closing the server does
 * not close the library.
 *
 * @param library The library to serve.
 * @param options Server info and session options.
 * @returns A server to connect to a transport.
 * @throws SkillshelfError `invalid-input` if the dialect puts instructions into the prompt, which only the client can write
 * @example
 * ```ts
 * import { serveStdio } from '@modelcontextprotocol/server/stdio'
 * import { openLibrary } from 'skillshelf'
 * import { directory } from 'skillshelf/node'
 * import { createMcpServer } from 'skillshelf/server'
 *
 * const library = await openLibrary(directory('./skills'))
 * serveStdio(() => createMcpServer(library))
 * ```
 */
export function createMcpServer(library: SkillLibrary, options: McpServerOptions = {}): McpServer {
  const session = repeatInstructions(createSession(library, options.session))
  if (session.dialect.placement === 'section')
    throw new SkillshelfError(
      'invalid-input',
      `The dialect "${session.dialect.name}" puts instructions into the prompt, which an MCP server cannot write`,
      { hint: 'use a dialect that returns instructions from its tools' },
    )
  const instructions = session.dialect.catalog(session)
  const mcp = new McpServer(options.info ?? { name: 'skillshelf', version: '0' }, {
    capabilities: { resources: { listChanged: true } },
    ...(instructions === '' ? {} : { instructions }),
  })
  registerTools(mcp, session)
  // Skills that the extension refuses are still served by the tools; `skillshelf validate` reports them.
  new SkillsExtension({ source: servedSkills(session), onWarning: () => undefined }).attach(mcp)

  let tools = JSON.stringify(listTools(session))
  mcp.server.onclose = library.on('change', () => {
    const current = JSON.stringify(listTools(session))
    if (current !== tools) mcp.sendToolListChanged()
    tools = current
    mcp.sendResourceListChanged()
  })
  return mcp
}

/** Answers an MCP request over Streamable HTTP. It is stateless: each request has its own session. */
export async function mcpResponse(
  library: SkillLibrary,
  options: McpServerOptions,
  request: Request,
): Promise<Response> {
  return createMcpHandler(() => createMcpServer(library, options)).fetch(request)
}

/**
 * Makes `load` return the instructions every time. A server does not see the conversation, so it cannot know whether the client still has
 * them.
 */
function repeatInstructions(session: Session): Session {
  const { load } = session
  return Object.assign(session, {
    load: async (...args: Parameters<Session['load']>) => ({ ...(await load(...args)), status: 'loaded' as const }),
  })
}

function registerTools({ server }: McpServer, session: Session): void {
  server.registerCapabilities({ tools: { listChanged: true } })
  server.setRequestHandler('tools/list', () => ({ tools: listTools(session) }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const isKnown = session.tools().some(({ name }) => name === params.name)
    const { text, isError, data } = await callTool(session, params.name, params.arguments ?? {}, {
      signal: mcpReq.signal,
    })
    if (!isKnown) throw new ProtocolError(ProtocolErrorCode.InvalidParams, text)
    return { content: [{ type: 'text', text }], isError, ...(data ? { structuredContent: data } : {}) }
  })
}

function listTools(session: Session) {
  return session.tools().map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' as const },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }))
}
