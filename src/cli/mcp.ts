import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { onAbort } from '../core/abort.js'
import { isSkillshelfError } from '../core/errors.js'
import type { SkillLibrary } from '../library/types.js'
import { createMcpServer } from '../server/mcp/server.js'
import { directory } from '../source/directory/directory.js'
import { EXIT, reportError } from './errors.js'
import { cancellable, type Io } from './io.js'
import { findFolder, openSkills } from './open-library.js'
import { plural } from './text.js'

export interface McpFlags {
  meaning?: boolean | undefined
  /** What the server says its version is. */
  version: string
}

/**
 * `skillshelf mcp DIR|URL`: a library to an agent over stdin and stdout, until the one who started it closes stdin. A folder is followed:
 * what changes in it is offered at once. What people should know goes to stderr.
 */
export async function mcpCommand(io: Io, at: string | undefined, flags: McpFlags): Promise<number> {
  const { library, where } = await openSkills(io, at, flags)
  await using _ = library
  const unfollow = await follow(io, at, library)
  const tell = (error: unknown): void => void reportError(error, io, false)
  const info = { name: 'skillshelf', version: flags.version }
  const transport = new StdioServerTransport()
  const server = serveStdio(() => createMcpServer(library, { info }), { transport, onerror: tell })
  const closed = whenClosed(transport)
  io.stderr(
    `skillshelf: ${plural(library.snapshot.skills.length, 'skill')} of ${where}, by MCP over stdin and stdout\n`,
  )
  const stop = (): void => void server.close()
  const unheard = io.signal && onAbort(io.signal, stop)
  if (io.signal?.aborted) stop()
  await closed
  unheard?.()
  unfollow()
  return EXIT.ok
}

/** Looks at a folder again when something in it changes; gives how to stop that. What is at an address stays as it was opened. */
async function follow(io: Io, at: string | undefined, library: SkillLibrary): Promise<() => void> {
  if (/^https?:/i.test(at ?? '')) return () => undefined
  const folder = directory(await findFolder(io, at), { watch: true })
  const look = async (): Promise<void> => {
    try {
      await library.refresh(cancellable(io))
    } catch (error) {
      if (!isSkillshelfError(error, 'closed', 'aborted')) reportError(error, io, false)
    }
  }
  return folder.watch?.(() => void look()) ?? (() => undefined)
}

/** Waits for the end of stdin, or of what reads stdout. Whoever else wants to know is told too. */
function whenClosed(transport: StdioServerTransport): Promise<void> {
  const { onclose } = transport
  return new Promise(resolve => {
    transport.onclose = () => {
      onclose?.()
      resolve()
    }
  })
}
