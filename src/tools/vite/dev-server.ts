import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { ViteDevServer } from 'vite'
import { rerunIfCalled } from '../../core/concurrency.js'
import { errorMessage } from '../../core/errors.js'
import { SANDBOX_POLICY } from '../../core/sanitize.js'
import { livePack } from '../../library/store/pack/memory-pack.js'
import { mediaType } from '../../skill/media-types.js'
import {
  createWarningLogger,
  type FolderOptions,
  formatDiagnostics,
  type PackedFolder,
  packFolder,
} from './packed-folder.js'

/** HMR event sent to pages when the packed folder changes. */
const CHANGE_EVENT = 'skillshelf:changed'
/** Milliseconds without a file event before packing. Vite's watcher drops a second change of a file within 50 ms. */
const DEBOUNCE = 75

/** Serves a folder of skills as a packed library from memory, and notifies pages of changes. */
export function serveFolder(
  server: ViteDevServer,
  { dir, out, ...options }: FolderOptions & { dir: string; out: string },
): void {
  const { root, base, logger } = server.config
  const warn = createWarningLogger(logger)
  const live = livePack<PackedFolder>(previous =>
    packFolder(dir, { ...options, secrets: 'leave-out', previous }),
  )
  const update = rerunIfCalled(async () => {
    try {
      const { packed, changed } = await live.update()
      warn(formatDiagnostics(packed, root, dir))
      if (changed) server.environments.client.hot.send(CHANGE_EVENT)
    } catch (error) {
      warn([`Cannot pack ${relative(root, dir)}: ${errorMessage(error)}`])
    }
  })
  const ready = update()

  server.watcher.add(dir)
  let timer: NodeJS.Timeout | undefined
  const updateSoon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(update, DEBOUNCE).unref()
  }
  server.watcher.on('all', (_event, file) => {
    if (isInside(dir, file)) updateSoon()
  })
  // The watcher reports no changes before it is ready.
  server.watcher.on('ready', updateSoon)

  server.middlewares.use(base + encodeURI(out), async (request, response, next) => {
    await ready
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1)
    const file = live.read(path)
    if (!file || (request.method !== 'GET' && request.method !== 'HEAD')) return next()
    const etag = `"${file.version}"`
    response.setHeader('etag', etag)
    response.setHeader('cache-control', 'no-cache')
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end()
    response.setHeader('content-type', mediaType(path))
    response.setHeader('x-content-type-options', 'nosniff')
    response.setHeader('content-security-policy', SANDBOX_POLICY)
    response.end(request.method === 'HEAD' ? undefined : file.bytes)
  })
}

/** Whether a file is the folder or below it. The file may be relative to the working directory. */
function isInside(dir: string, file: string): boolean {
  const path = relative(dir, resolve(file))
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

/** The module in development. The URL is relative to the module's own, so it works in workers and under any base. */
export function devModule(path: string): string {
  return `import { lazyLibrary } from 'skillshelf/lazy'
// A literal in new URL() would be treated as an asset by Vite.
const path = ${JSON.stringify(`${path}/`)}
export const library = lazyLibrary(async () => {
  const { openLibrary } = await import('skillshelf')
  return openLibrary(new URL(path, import.meta.url))
})
if (import.meta.hot) {
  let last = library.opened()
  // Refreshes run one after the other: a running one may have read the library before this change.
  const refresh = () => {
    last = last
      .then(() => library.refresh())
      .catch(error => error.code === 'closed' || console.warn('[skillshelf]', error))
  }
  last.catch(error => console.warn('[skillshelf]', error))
  import.meta.hot.on(${JSON.stringify(CHANGE_EVENT)}, refresh)
  // Changes made while the connection was down are not sent again.
  import.meta.hot.on('vite:ws:connect', refresh)
}
export default library
`
}
