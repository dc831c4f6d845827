import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import { callTool } from '../../agent/session/call-tool.js'
import type { Conversation } from '../../agent/session/conversation.js'
import { openConversation } from '../../agent/session/session.js'
import type { Session } from '../../agent/session/types.js'
import { checkOptionNames } from '../../core/text/option-names.js'
import { VERSION } from '../../core/version.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { serverInstructions } from './instructions.js'
import { MCP_OPTIONS, type McpServerOptions } from './options.js'
import { registerPrompts } from './prompts.js'
import { registerResources, servedSkills } from './resources.js'

const CACHEABLE = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
] as const

/** Closes a skill. Useless if every request has a session of its own. */
const UNLOAD_TOOL = 'unload_skill'

/**
 * Creates a Model Context Protocol server for one connection.
 *
 * | part | content |
 * |---|---|
 * | instructions | what to do first, and as many skills as fit into 2 KB |
 * | tools | the tools of the session. Without a connection that lasts (HTTP), `unload_skill` is left out |
 * | resources | the SKILL.md of each skill; every file of a skill can be read |
 * | prompts | each skill that people may open |
 * | Skills extension (`io.modelcontextprotocol/skills`) | the skills that follow the specification, with a digest of each file |
 *
 * If the dialect puts instructions into the system prompt, the result of a tool has those that it requested as its second text. Clients are
 * notified of changes. Closing the server does not close the library.
 * @throws RangeError if `cacheHint` is not valid
 * @example
 * ```ts
 * import { serveStdio } from '@modelcontextprotocol/server/stdio'
 * import { openLibrary } from 'skillshelf'
 * import { directory } from 'skillshelf/node'
 * import { createMcpServer } from 'skillshelf/mcp'
 *
 * const library = await openLibrary(directory('./skills'))
 * serveStdio(() => createMcpServer(library))
 * ```
 */
export function createMcpServer(library: SkillLibrary, options: McpServerOptions = {}): McpServer {
  checkOptionNames(options, MCP_OPTIONS)
  const { info = { name: 'skillshelf', version: VERSION }, cacheHint = {} } = options
  const conversation = openConversation(library, options.session ?? {})
  // A server cannot know whether the client still has the instructions.
  conversation.requested = []
  const { session } = conversation
  const instructions = serverInstructions(session)
  const mcp = new McpServer(info, {
    capabilities: { resources: { listChanged: true } },
    cacheHints: Object.fromEntries(CACHEABLE.map(method => [method, cacheHint])),
    ...(instructions === '' ? {} : { instructions }),
  })
  registerTools(mcp, conversation)
  registerPrompts(mcp, session)
  new SkillsExtension({
    source: servedSkills(session),
    cacheHint,
    onWarning: () => undefined,
  }).attach(mcp)
  // After the extension, which adds a list of its own without pages.
  registerResources(mcp, session)

  let tools = JSON.stringify(listTools(session))
  mcp.server.onclose = library.on('change', () => {
    const current = JSON.stringify(listTools(session))
    if (current !== tools) mcp.sendToolListChanged()
    tools = current
    mcp.sendPromptListChanged()
    mcp.sendResourceListChanged()
  })
  return mcp
}

/** Offers the tools of the dialect. Instructions for the system prompt, which a server cannot write, are the second text of a result. */
function registerTools({ server }: McpServer, conversation: Conversation): void {
  const { session } = conversation
  server.registerCapabilities({ tools: { listChanged: true } })
  server.setRequestHandler('tools/list', (_, context) => ({
    tools: listTools(session, isStateless(context)),
  }))
  server.setRequestHandler(
    'tools/call',
    async ({ params: { name, arguments: input = {} } }, context) => {
      const { signal } = context.mcpReq
      const isKnown = listTools(session, isStateless(context)).some(tool => tool.name === name)
      // In a session of one request, nothing is open before.
      conversation.opensForReferences ||= isStateless(context)
      const { text, isError, data } = await callTool(session, name, input, { signal })
      if (!isKnown) throw new ProtocolError(ProtocolErrorCode.InvalidParams, text)
      const section = isError ? '' : requestedSection(conversation)
      return {
        content: [text, ...(section === '' ? [] : [section])].map(text => ({
          type: 'text' as const,
          text,
        })),
        isError,
        ...(data ? { structuredContent: data } : {}),
      }
    },
  )
}

/** What was requested since the last result, as the section of the dialect shows it. */
function requestedSection({ session, dialect, requested = [] }: Conversation): string {
  const parts = requested.splice(0)
  const { open } = session
  const skills = open.filter(({ skill }) =>
    parts.some(part => part.skill === skill.id && part.path === undefined),
  )
  const references = open.map(entry => ({
    ...entry,
    references: entry.references.filter(({ path }) =>
      parts.some(part => part.skill === entry.skill.id && part.path === path),
    ),
  }))
  return dialect.sections?.(session, { skills, references }) ?? ''
}

function listTools(session: Session, stateless = false) {
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

/** Whether the request has a server of its own: HTTP without a session. */
function isStateless({ http, sessionId }: ServerContext): boolean {
  return http !== undefined && sessionId === undefined
}
