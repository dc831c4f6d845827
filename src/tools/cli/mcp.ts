import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { onAbort } from '../../core/abort.js'
import { isSkillshelfError } from '../../core/errors.js'
import { plainLine } from '../../core/sanitize.js'
import { messageCounts } from '../../library/enrich/languages.js'
import type { SkillLibrary } from '../../library/types.js'
import type { McpEnrichOptions } from '../../server/mcp/sampling.js'
import { directory } from '../../source/directory/directory.js'
import { type CommandDefinition, OPTIONS, parseList, SKILLS_HELP } from './command.js'
import { sessionOptions, type ToolDialect, toolDialectOption } from './dialects.js'
import { EXIT, reportError } from './errors.js'
import type { Io } from './io.js'
import { reportLeftOutOfMcp } from './mcp-left-out.js'
import { findFolder, openSkills } from './open-library.js'
import { plural } from './text.js'

interface McpFlags {
  meaning?: boolean | undefined
  dialect?: ToolDialect | undefined
  /** Languages. */
  enrich?: readonly string[] | undefined
}

export const mcpCommand: CommandDefinition = (command, run) =>
  command('mcp', 'Serve skills to an agent over stdio (Model Context Protocol)', [
    'mcp skills',
    'mcp https://example.com/library/',
    'mcp skills --dialect openseed',
  ])
    .argument('[dir]', SKILLS_HELP)
    .addOption(OPTIONS.noMeaning)
    .addOption(OPTIONS.meaning)
    .addOption(toolDialectOption('system whose tools are offered (default: those of skillshelf)'))
    .option(
      '--enrich <codes>',
      "let the client's model write messages that find the skills, in these languages, such as en,zh",
      parseList,
    )
    .action((dir: string | undefined, flags: McpFlags) => run(io => serveMcp(io, dir, flags)))

/**
 * Serves a library over stdin and stdout until the client closes stdin. Changes in a folder are served at once.
 * Messages for people go to stderr.
 */
async function serveMcp(io: Io, argument: string | undefined, flags: McpFlags): Promise<number> {
  // Loaded on demand: other commands do not need the protocol.
  const { StdioServerTransport, serveStdio } = await import('@modelcontextprotocol/server/stdio')
  const { createMcpServer } = await import('../../server/mcp/server.js')
  const { library, where } = await openSkills(io, argument, flags)
  await using _ = library
  const unwatch = await watch(io, argument, library)
  const transport = new StdioServerTransport()
  const session = sessionOptions(flags.dialect)
  const enrich = enrichOptions(io, flags.enrich)
  const server = serveStdio(() => createMcpServer(library, { session, enrich }), {
    transport,
    onerror: error => void reportError(error, io, false),
  })
  const closed = untilClosed(transport)
  io.stderr(`skillshelf: serving ${plural(library.snapshot.skills.length, 'skill')} of ${where} over stdio (MCP)\n`)
  void reportLeftOutOfMcp(io, library, !isUrl(argument)).catch(error => reportError(error, io, false))
  const close = (): void => void server.close()
  const removeListener = io.signal && onAbort(io.signal, close)
  if (io.signal?.aborted) close()
  await closed
  removeListener?.()
  unwatch()
  return EXIT.ok
}

/** Options that ask the client's model for messages, in the languages of `--enrich`. */
function enrichOptions(io: Io, languages: McpFlags['enrich']): McpEnrichOptions | undefined {
  if (!languages) return undefined
  const codes = [...messageCounts(languages).keys()]
  return {
    languages: codes,
    onFailure: ({ message }) => io.stderr(`${plainLine(`skillshelf: ${message}`)}\n`),
    onEnd: end => {
      if ('kept' in end) io.stderr(`skillshelf: the client's model wrote messages for ${plural(end.kept, 'skill')}\n`)
    },
  }
}

/** Refreshes the library when its folder changes. A library at a URL is not watched. */
async function watch(io: Io, argument: string | undefined, library: SkillLibrary): Promise<() => void> {
  if (isUrl(argument)) return () => undefined
  const folder = directory(await findFolder(io, argument), { watch: true })
  const refresh = async (): Promise<void> => {
    try {
      await library.refresh({ signal: io.signal })
    } catch (error) {
      if (!isSkillshelfError(error, 'closed', 'aborted')) reportError(error, io, false)
    }
  }
  return folder.watch?.(() => void refresh()) ?? (() => undefined)
}

function isUrl(argument: string | undefined): boolean {
  return /^https?:/i.test(argument ?? '')
}

/** Resolves when stdin ends or stdout closes. Keeps the transport's own `onclose` listener. */
function untilClosed(transport: StdioServerTransport): Promise<void> {
  const { onclose } = transport
  return new Promise(resolve => {
    transport.onclose = () => {
      onclose?.()
      resolve()
    }
  })
}
