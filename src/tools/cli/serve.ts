import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { InvalidArgumentError } from 'commander'
import { SITE_INDEX } from '../../library/store/publish/well-known.js'
import { type CommandDefinition, OPTIONS, STRICT_HELP } from './command.js'
import { sessionOptions, type ToolDialect, toolDialectOption } from './dialects.js'
import { commandError, EXIT } from './errors.js'
import { type Io, printLines } from './io.js'
import { reportLeftOutOfMcp } from './mcp-left-out.js'
import { findFolder, isPacked } from './open-library.js'
import { displayPath } from './paths.js'
import { type FetchHandler, filesHandler, localOnly } from './serve-files.js'
import { type LibraryFlags, openLive, openPacked, type ServedLibrary } from './serve-library.js'
import { plural } from './text.js'

interface ServeFlags extends LibraryFlags {
  /** 0 picks a free port. */
  port: number
  host: string
  dialect?: ToolDialect
}

/** A message of 2,000 characters takes 18 KB in a URL if it is Chinese. Node's default is 16 KB. */
const MAX_HEADER_BYTES = 65_536

export const serveCommand: CommandDefinition = (command, run) =>
  command('serve', 'Serve skills over HTTP', [
    'serve skills',
    'serve public/skills --port 3000',
    'serve skills --api',
    'serve skills --host 0.0.0.0',
  ])
    .argument(
      '[dir]',
      'packed library, or folder of skills to pack in memory (default: ./skills, else the current folder)',
    )
    .option('-p, --port <n>', 'port to listen on; 0 picks a free one', parsePort, 8080)
    .option('--host <address>', 'address to listen on; 0.0.0.0 for every interface', '127.0.0.1')
    .option('--name <name>', "first part of the skills' ids (default: the folder's name)")
    .option('--strict', STRICT_HELP)
    .option('--api', 'also serve a search page, the REST API and MCP')
    .option('--no-meaning', 'leave out the vectors of the bundled model; with --api, match by keywords only')
    .addOption(OPTIONS.meaning)
    .addOption(toolDialectOption('with --api, system whose tools MCP offers (default: those of skillshelf)'))
    .action((dir: string | undefined, flags: ServeFlags) => run(io => serve(io, dir, flags)))

function parsePort(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
    throw new InvalidArgumentError('Must be an integer from 0 to 65535.')
  return Number(value)
}

/** Serves a packed library, or a folder of skills packed in memory, until it is interrupted. */
async function serve(io: Io, dir: string | undefined, flags: ServeFlags): Promise<number> {
  if (flags.dialect && !flags.api)
    throw commandError('`--dialect` needs --api', 'add --api, which serves MCP, or leave --dialect out')
  const path = await findFolder(io, dir)
  const packed = await isPacked(path)
  if (packed) rejectPackFlags(displayPath(io, path), flags)
  const served = packed ? await openPacked(io, path, flags) : await openLive(io, path, flags)
  try {
    const handler = await createFetchHandler(served, flags)
    const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES })
    await listen(server, flags)
    const bound = server.address() as AddressInfo
    const listener = getRequestListener(localOnly(handler, bound))
    server.on('request', (request, response) => void listener(request, response))
    const url = localUrl(bound)
    const wellKnown = flags.api || (await served.read(SITE_INDEX)) !== undefined
    printLines(
      io,
      `Serving ${plural(served.skills, 'skill')} of ${displayPath(io, path)} at ${url}`,
      `  in a page    openLibrary('${url}')`,
      ...(wellKnown ? [`  to install   npx skills add ${url}`, `  well-known   ${url}${SITE_INDEX}`] : []),
      ...(flags.api ? [`  to search    ${url}`, `  API          ${url}docs`, `  MCP          ${url}mcp`] : []),
      `${served.live ? 'Changes in the folder are served at once. ' : ''}Press Ctrl-C to stop.`,
    )
    if (served.library) await reportLeftOutOfMcp(io, served.library, true)
    await closeOnAbort(server, io.signal)
    return EXIT.ok
  } finally {
    await served.close()
  }
}

function rejectPackFlags(where: string, { api, meaning, name, strict }: ServeFlags): void {
  const flag = [meaning === false && !api && '--no-meaning', name !== undefined && '--name', strict && '--strict'].find(
    Boolean,
  )
  if (flag)
    throw commandError(
      `\`${flag}\` needs a folder of skills; ${where} is a packed library`,
      `pack it again with ${flag}, or leave ${flag} out`,
    )
}

async function createFetchHandler({ library, read }: ServedLibrary, { dialect }: ServeFlags): Promise<FetchHandler> {
  if (!library) return filesHandler({ read })
  // Loaded on demand: serving files does not need the API.
  const { createHandler } = await import('../../server/http/handler.js')
  // The folder may change at any time, so clients cache nothing.
  const mcp = { session: sessionOptions(dialect), cacheHint: { ttlMs: 0 } }
  const handler = createHandler({ library, files: { read }, mcp })
  return request => handler.fetch(request)
}

function listen(server: Server, { port, host }: ServeFlags): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, port, host)))
    server.listen(port, host, resolve)
  })
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === 'EADDRINUSE')
    return commandError(`Port ${port} is in use`, `try --port ${port + 1}, or --port 0 for a free one`)
  if (error.code === 'EACCES')
    return commandError(`Port ${port} needs privileges`, 'use a port above 1023, such as 8080')
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? ''))
    return commandError(
      `${host} is not an address of this machine`,
      'leave --host out, or use 0.0.0.0 for every interface',
    )
  return error
}

/** The URL that reaches the server from this machine. */
function localUrl({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}/`
}

/** Waits for the signal, then closes the server and its open connections. */
function closeOnAbort(server: Server, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    const close = (): void => {
      server.close(() => resolve())
      server.closeAllConnections()
    }
    if (signal?.aborted) close()
    else signal?.addEventListener('abort', close, { once: true })
  })
}
