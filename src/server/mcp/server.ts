import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import { SkillshelfError } from '../../core/errors.js'
import type { SkillLibrary } from '../../library/types.js'
import { createSession } from '../../session/session.js'
import { callTool } from '../../session/tools/call.js'
import type { Session, SessionOptions } from '../../session/types.js'
import { servedSkills } from './served-skills.js'

export interface McpServerOptions {
  /** What the server calls itself. Default `skillshelf` and `0`. */
  info?: { name: string; version: string; title?: string } | undefined
  /** Of the session behind the server: its dialect, whom it asks. What a client opens stays open as long as the server does. */
  session?: SessionOptions | undefined
}

/**
 * A server of the Model Context Protocol over a library, for one connection: `serveStdio(() => createMcpServer(library))`,
 * `createMcpHandler(() => createMcpServer(library))`. It offers the tools of a session of its own, the catalog as its instructions, and by the
 * Skills extension (`io.modelcontextprotocol/skills`) the skills whose name and frontmatter that takes, with the digest of each file.
 * Clients are told when tools or skills change. The library stays open when the server closes.
 * @throws SkillshelfError `invalid-input` for a dialect that puts instructions into the prompt: a server has no hand in that
 */
export function createMcpServer(library: SkillLibrary, options: McpServerOptions = {}): McpServer {
  const session = alwaysOpening(createSession(library, options.session))
  if (session.dialect.placement === 'section')
    throw new SkillshelfError(
      'invalid-input',
      `${session.dialect.name} opens skills in the prompt, which is the client's`,
      {
        hint: 'take a dialect whose tools give the instructions',
      },
    )
  const instructions = session.dialect.catalog(session)
  const mcp = new McpServer(options.info ?? { name: 'skillshelf', version: '0' }, {
    capabilities: { resources: { listChanged: true } },
    ...(instructions === '' ? {} : { instructions }),
  })
  offerTools(mcp, session)
  // What the extension refuses is still there by tools; `skillshelf validate` says why.
  new SkillsExtension({ source: servedSkills(session), onWarning: () => undefined }).attach(mcp)

  let tools = JSON.stringify(listTools(session))
  const unfollow = library.on('change', () => {
    const now = JSON.stringify(listTools(session))
    if (now !== tools) mcp.sendToolListChanged()
    tools = now
    mcp.sendResourceListChanged()
  })
  mcp.server.onclose = unfollow
  return mcp
}

/**
 * A session whose tools give a skill's content each time. It hears nothing of the messages: a client may have left out what it was given, or
 * ask for another conversation.
 */
function alwaysOpening(session: Session): Session {
  const { load } = session
  return Object.assign(session, {
    load: async (...asked: Parameters<Session['load']>) => ({ ...(await load(...asked)), status: 'loaded' as const }),
  })
}

function offerTools({ server }: McpServer, session: Session): void {
  server.registerCapabilities({ tools: { listChanged: true } })
  server.setRequestHandler('tools/list', () => ({ tools: listTools(session) }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const known = session.tools().some(({ name }) => name === params.name)
    const { text, isError, data } = await callTool(session, params.name, params.arguments ?? {}, {
      signal: mcpReq.signal,
    })
    if (!known) throw new ProtocolError(ProtocolErrorCode.InvalidParams, text)
    return { content: [{ type: 'text', text }], isError, ...(data ? { structuredContent: data } : {}) }
  })
}

function listTools(session: Session) {
  return session.tools().map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' as const },
    // Nothing outside the session changes.
    annotations: { readOnlyHint: true, openWorldHint: false },
  }))
}
