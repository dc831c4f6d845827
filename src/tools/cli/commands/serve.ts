import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { InvalidArgumentError } from 'commander'
import { onAbort } from '../../../core/abort.js'
import { errorMessage, invalidInput } from '../../../core/errors.js'
import { PLAIN_TEXT_HEADERS } from '../../../server/http/responses.js'
import { decodedPath, packedFileResponse } from '../../../server/http/static-files.js'
import type { SkillSource } from '../../../source/source.js'
import { INDEX_V2 } from '../../../source/well-known/site-paths.js'
import { allowOption, internalOption } from '../allow.js'
import { type CommandDefinition, STRICT_HELP } from '../command.js'
import { sessionOptions, type ToolDialect, toolDialectOption } from '../dialects.js'
import { EXIT, type Io, plural, printLines } from '../io.js'
import { findFolder, isPacked } from '../open-library.js'
import { displayPath } from '../paths.js'
import { type LibraryFlags, openLive, openPacked, type ServedFolder } from '../serve-library.js'
import { reportLeftOutOfMcp } from './mcp.js'

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
    .addOption(allowOption())
    .addOption(internalOption())
    .option('--api', 'also serve the REST API and MCP')
    .option(
      '--no-meaning',
      'leave out the vectors of the bundled model; with --api, match by keywords only',
    )
    .addOption(
      toolDialectOption('with --api, system whose tools MCP offers (default: those of skillshelf)'),
    )
    .action(run(serve))

function parsePort(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) {
    throw new InvalidArgumentError('Must be an integer from 0 to 65535.')
  }
  return Number(value)
}

/** Serves a packed library, or a folder of skills packed in memory, until it is interrupted. */
async function serve(io: Io, dir: string | undefined, flags: ServeFlags): Promise<number> {
  if (flags.dialect && !flags.api) {
    throw invalidInput(
      '`--dialect` needs --api',
      'add --api, which serves MCP, or leave --dialect out',
    )
  }
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
    const wellKnown = flags.api || (await served.read(INDEX_V2)) !== undefined
    printLines(
      io,
      `Serving ${plural(served.skills, 'skill')} of ${displayPath(io, path)} at ${url}`,
      `  in a page    openLibrary('${url}')`,
      wellKnown ? [`  to install   npx skills add ${url}`, `  well-known   ${url}${INDEX_V2}`] : [],
      flags.api ? [`  API          ${url}openapi.json`, `  MCP          ${url}mcp`] : [],
      `${served.live ? 'Changes in the folder are served at once. ' : ''}Press Ctrl-C to stop.`,
    )
    if (served.library) await reportLeftOutOfMcp(io, served.library, true)
    await closeOnAbort(server, io.signal)
    return EXIT.ok
  } finally {
    await served.close()
  }
}

function rejectPackFlags(where: string, { api, meaning, name, strict, allow }: ServeFlags): void {
  const given = {
    '--no-meaning': meaning === false && !api,
    '--name': name !== undefined,
    '--strict': strict,
    '--allow': allow !== undefined,
  }
  const [flag] = Object.entries(given).find(([, isGiven]) => isGiven) ?? []
  if (flag) {
    throw invalidInput(
      `\`${flag}\` needs a folder of skills; ${where} is a packed library`,
      `pack it again with ${flag}, or leave ${flag} out`,
    )
  }
}

async function createFetchHandler(
  { library, read }: ServedFolder,
  { dialect }: ServeFlags,
): Promise<FetchHandler> {
  if (!library) return filesHandler({ read })
  // Loaded on demand: serving files does not need the API.
  const { createHandler } = await import('../../../server/http/handler.js')
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
  if (error.code === 'EADDRINUSE') {
    return invalidInput(
      `Port ${port} is in use`,
      `try --port ${port + 1}, or --port 0 for a free one`,
    )
  }
  if (error.code === 'EACCES') {
    return invalidInput(`Port ${port} needs privileges`, 'use a port above 1023, such as 8080')
  }
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? '')) {
    return invalidInput(
      `${host} is not an address of this machine`,
      'leave --host out, or use 0.0.0.0 for every interface',
    )
  }
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
    if (signal) onAbort(signal, close)
    if (signal?.aborted) close()
  })
}

/** A fetch handler, as `@hono/node-server` calls it. */
type FetchHandler = (request: Request) => Promise<Response>

const CORS = { 'access-control-allow-origin': '*' }
const METHODS = 'GET, HEAD'
const PREFLIGHT = {
  ...CORS,
  allow: METHODS,
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': 'If-None-Match, If-Modified-Since, Range',
  'access-control-max-age': '86400',
}
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

function filesHandler(source: Pick<SkillSource, 'read'>): FetchHandler {
  return async request => {
    const { method, signal } = request
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: PREFLIGHT })
    if (method !== 'GET' && method !== 'HEAD') {
      return plainText(405, 'Method not allowed: files are read-only', { ...CORS, allow: METHODS })
    }
    const path = decodedPath(request)
    try {
      const response =
        path === undefined ? undefined : await packedFileResponse(source, request, path, signal)
      response?.headers.set('access-control-allow-origin', '*')
      return response ?? plainText(404, 'File not found; /skillshelf.json lists the files', CORS)
    } catch (error) {
      return plainText(500, errorMessage(error), CORS)
    }
  }
}

/**
 * Rejects requests for other host names and from pages of other origins if the server listens on a loopback address. Otherwise a web page
 * could let its own host name resolve to this machine and read the responses as same-origin (DNS rebinding). Pages served from this machine
 * are allowed, on any port.
 * @param bound The address and port that the server listens on.
 */
function localOnly(
  handler: FetchHandler,
  { address, port }: { address: string; port: number },
): FetchHandler {
  if (!/^127\.|^::1$/.test(address)) return handler
  const names = [...LOOPBACK_NAMES, address].flatMap(name => [
    `${name}:${port}`,
    ...(port === 80 ? [name] : []),
  ])
  return async request => {
    if (!names.includes(request.headers.get('host')?.toLowerCase() ?? '')) {
      return plainText(403, `This server accepts local requests only, at http://localhost:${port}/`)
    }
    const origin = request.headers.get('origin')
    if (origin !== null && !isLocalOrigin(origin)) {
      return plainText(403, 'This server accepts requests only from pages on this machine')
    }
    const { headers, status, body } = await handler(request)
    const local = new Headers(headers)
    local.delete('access-control-allow-origin')
    if (origin !== null) local.set('access-control-allow-origin', origin)
    local.append('vary', 'Origin')
    return new Response(body, { status, headers: local })
  }
}

/** The origin of a sandboxed page or a file is `null`, which any web page can have. */
function isLocalOrigin(origin: string): boolean {
  return /^https?:\/\/(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/.test(
    origin,
  )
}

function plainText(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(`${message}.\n`, { status, headers: { ...PLAIN_TEXT_HEADERS, ...headers } })
}
