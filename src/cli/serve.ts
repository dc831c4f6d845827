import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { CATALOG_FILE } from '../source/catalog-file.js'
import { SITE_INDEX } from '../store/publish/well-known.js'
import { commandError, EXIT } from './errors.js'
import { type Io, printLines } from './io.js'
import { displayPath, findFolder, pathKind } from './open-library.js'
import { type Answer, filesAnswer, forOwnNames } from './serve-files.js'
import { openLive, openPacked, type Served } from './serve-library.js'
import { plural } from './text.js'

export interface ServeFlags {
  /** 0: any that is free. */
  port: number
  host: string
  /** REST and MCP too, beside the files. */
  api?: boolean
  meaning?: boolean
  name?: string
  strict?: boolean
  /** What the server says its version is. */
  version: string
}

/** `skillshelf serve DIR`: a packed library as it is, or a folder of skills packed in memory, until it is stopped. */
export async function serveCommand(io: Io, dir: string | undefined, flags: ServeFlags): Promise<number> {
  const path = await findFolder(io, dir)
  const packed = (await pathKind(join(path, CATALOG_FILE))) === 'file'
  if (packed) refuseFlags(displayPath(io, path), flags)
  const served = packed ? await openPacked(io, path, flags) : await openLive(io, path, flags)
  try {
    const answer = await answerOf(served, flags)
    const server = createServer()
    await listen(server, flags)
    const bound = server.address() as AddressInfo
    const listener = getRequestListener(forOwnNames(answer, bound))
    server.on('request', (request, response) => void listener(request, response))
    const address = addressOf(bound)
    const wellKnown = flags.api || (await served.read(SITE_INDEX)) !== undefined
    printLines(
      io,
      `Serving ${plural(served.skills, 'skill')} of ${displayPath(io, path)} at ${address}`,
      `  in a page    openLibrary('${address}')`,
      ...(wellKnown ? [`  to install   npx skills add ${address}`, `  well-known   ${address}${SITE_INDEX}`] : []),
      ...(flags.api ? [`  API          ${address}docs`, `  MCP          ${address}mcp`] : []),
      `${served.live ? 'What changes in the folder is packed again. ' : ''}Stop with Ctrl-C.`,
    )
    await stopped(server, io.signal)
    return EXIT.ok
  } finally {
    await served.close()
  }
}

function refuseFlags(where: string, { api, meaning, name, strict }: ServeFlags): void {
  const given = [meaning && !api && '--meaning', name !== undefined && '--name', strict && '--strict'].find(Boolean)
  if (given)
    throw commandError(`${given} is for a folder of skills; ${where} is packed already`, 'pack it again with that')
}

async function answerOf({ library, read }: Served, { version }: ServeFlags): Promise<Answer> {
  if (!library) return filesAnswer({ read })
  // Files go without it.
  const { createHandler } = await import('../server/http/handler.js')
  const handler = createHandler({ library, files: { read }, mcp: { info: { name: 'skillshelf', version } } })
  return request => handler.fetch(request)
}

function listen(server: Server, { port, host }: ServeFlags): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(unheard(error, port, host)))
    server.listen(port, host, resolve)
  })
}

function unheard(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === 'EADDRINUSE')
    return commandError(
      `Port ${port} is taken`,
      `give another, as --port ${port + 1}, or --port 0 for any that is free`,
    )
  if (error.code === 'EACCES')
    return commandError(`Port ${port} may not be used`, 'give one above 1023, as --port 8080')
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? ''))
    return commandError(`${host} is no address of this machine`, 'leave --host out, or give 0.0.0.0 for all of them')
  return error
}

/** Where the server is reached from this machine. */
function addressOf({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}/`
}

/** Waits for the signal, and closes the server with all that still hangs on it. */
function stopped(server: Server, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    const stop = (): void => {
      server.close(() => resolve())
      server.closeAllConnections()
    }
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
