import { type McpServer, ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server'
import { callTool } from '../../agent/session/call-tool.js'
import type { Session } from '../../agent/session/types.js'

/** Closes a skill. Useless if every request has a session of its own. */
const UNLOAD_TOOL = 'unload_skill'

/**
 * Offers the tools of the session's dialect. If the dialect puts instructions into the system prompt, which a server cannot write, the result
 * of a tool has that section as its second text.
 */
export function registerTools({ server }: McpServer, session: Session): void {
  const { dialect } = session
  server.registerCapabilities({ tools: { listChanged: true } })
  server.setRequestHandler('tools/list', (_, context) => ({ tools: listTools(session, isStateless(context)) }))
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: input = {} } }, context) => {
    const { signal } = context.mcpReq
    const isKnown = listTools(session, isStateless(context)).some(tool => tool.name === name)
    if (isStateless(context)) openBeforeReference(session)
    const { text, isError, data } = await callTool(session, name, input, { signal })
    if (!isKnown) throw new ProtocolError(ProtocolErrorCode.InvalidParams, text)
    const section = isError ? '' : (dialect.sections?.(session) ?? '')
    return {
      content: [text, ...(section === '' ? [] : [section])].map(text => ({ type: 'text' as const, text })),
      isError,
      ...(data ? { structuredContent: data } : {}),
    }
  })
}

/** The tools of the session in the form of the protocol. */
export function listTools(session: Session, stateless = false) {
  return session
    .tools()
    .filter(({ name }) => !stateless || name !== UNLOAD_TOOL)
    .map(({ name, description, inputSchema, outputSchema }) => ({
      name,
      description,
      inputSchema,
      ...(outputSchema ? { outputSchema: { ...outputSchema, type: 'object' as const } } : {}),
      annotations: { readOnlyHint: true, openWorldHint: false },
    }))
}

/** Makes `loadReference` open its skill: in a session of one request, nothing is open before. */
function openBeforeReference(session: Session): void {
  const { load, loadReference } = session
  Object.assign(session, {
    async loadReference(...args: Parameters<Session['loadReference']>) {
      const [skill, , options] = args
      await load(skill, options)
      return loadReference(...args)
    },
  })
}

/** Whether the request has a server of its own: HTTP without a session. */
function isStateless({ http, sessionId }: ServerContext): boolean {
  return http !== undefined && sessionId === undefined
}
