import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Connect, ViteDevServer } from 'vite'
import { rerunIfCalled } from '../core/concurrency.js'
import { digestOf, shortDigest } from '../core/digest.js'
import { errorMessage } from '../core/errors.js'
import { mediaType } from '../skill/media-types.js'
import { CATALOG_FILE } from '../source/catalog-file.js'
import { createReporter, problemLines } from './diagnostics.js'
import { type PackedFolder, packFolder } from './packed-folder.js'
import { CHANGED } from './virtual-module.js'

/** Milliseconds without an event before packing. For 50 after a change, the watcher says nothing of a second one in the same file. */
const QUIET = 75

/** Serves a folder of skills as a packed library, from memory, and tells pages when it has changed. */
export function serveFolder(
  server: ViteDevServer,
  { dir, out, strict }: { dir: string; out: string; strict: boolean },
): void {
  const { root, base, logger } = server.config
  const report = createReporter(logger)
  let current: PackedFolder | undefined
  let previous: PackedFolder | undefined

  const repack = rerunIfCalled(async () => {
    let packed: PackedFolder
    try {
      const pack = () => packFolder(dir, { strict, before: current })
      // Editors write files that are gone before they are read: a second look settles that.
      packed = await pack().catch(pack)
    } catch (error) {
      report([`${relative(root, dir)} cannot be packed: ${errorMessage(error)}`])
      return
    }
    report(problemLines(packed, root, dir))
    const changed = !current || tagOf(packed) !== tagOf(current)
    if (changed) previous = current
    current = packed
    if (changed) server.environments.client.hot.send(CHANGED)
  })
  const ready = repack()

  server.watcher.add(dir)
  let timer: NodeJS.Timeout | undefined
  const repackSoon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(repack, QUIET).unref()
  }
  server.watcher.on('all', (_event, file) => {
    if (isInside(dir, file)) repackSoon()
  })
  // What was changed while the watcher was still looking around was not heard of.
  server.watcher.on('ready', repackSoon)

  server.middlewares.use(base + encodeURI(out), async (request, response, next) => {
    await ready
    const path = pathOf(request)
    // A page that has not refreshed yet asks for files of the library before.
    const bytes = current?.files.get(path) ?? previous?.files.get(path)
    if (!bytes || (request.method !== 'GET' && request.method !== 'HEAD')) return next()
    // All others are named by their content.
    const tag = path === CATALOG_FILE && current ? tagOf(current) : `"${path}"`
    response.setHeader('etag', tag)
    response.setHeader('cache-control', 'no-cache')
    if (request.headers['if-none-match'] === tag) return void response.writeHead(304).end()
    response.setHeader('content-type', mediaType(path))
    response.setHeader('x-content-type-options', 'nosniff')
    response.end(request.method === 'HEAD' ? undefined : bytes)
  })
}

function tagOf({ files }: PackedFolder): string {
  return `"${shortDigest(digestOf(files.get(CATALOG_FILE) as Uint8Array))}"`
}

function pathOf({ url = '/' }: Connect.IncomingMessage): string {
  return new URL(url, 'http://localhost').pathname.slice(1)
}

function isInside(dir: string, file: string): boolean {
  const path = relative(dir, resolve(file))
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}
