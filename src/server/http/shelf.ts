import { SkillshelfError } from '../../core/errors.js'
import { TIMED_OUT, withTimeout } from '../../core/timeout.js'
import type { SkillLibrary } from '../../library/types.js'
import type { SkillSource } from '../../source/types.js'
import type { SkillStore } from '../../store/store.js'
import type { McpServerOptions } from '../mcp/server.js'

/** What a handler serves. */
export interface Shelf {
  library: SkillLibrary | Promise<SkillLibrary>
  /**
   * The packed library, served as it is under its own paths, so that `openLibrary(address)` opens it in a page. Default: only the API is
   * served.
   */
  files?: Pick<SkillSource, 'read'>
  /** Where skills are put and removed. Writing is off without it, and without `token`. */
  store?: SkillStore & SkillSource
  /** Who writes shows it as a bearer token. */
  token?: string | undefined
  /** Who reads shows this one, or `token`. Default: anybody may read. */
  readToken?: string | undefined
  /** Asked once a request, by the address of the client: the rate limiting binding of Cloudflare fits. */
  rateLimit?: { limit(of: { key: string }): Promise<{ success: boolean }> } | undefined
  /** Milliseconds after which the library is looked at again, behind a request. `0`: never. Default 30,000. */
  refreshAfter?: number
  /** Milliseconds that a request may take. Default 30,000. */
  timeout?: number
  /** Bytes that may be uploaded at once. Default 16 MiB. */
  maxUpload?: number
  /** Of the server for MCP clients; `false`: there is none. */
  mcp?: McpServerOptions | false
  /** Answers addresses that are none of the API: a page. */
  otherwise?: (request: Request) => Response | Promise<Response>
}

/** What Cloudflare gives with a request; elsewhere nothing is needed. */
export interface ExecutionLike {
  waitUntil(work: Promise<unknown>): void
}

const REFRESH_AFTER = 30_000
const TIMEOUT = 30_000

/** A shelf that was opened. */
export interface OpenShelf {
  shelf: Shelf
  library: SkillLibrary
}

/** Opens a shelf with the first request and keeps it: an isolate serves many. One that cannot be opened is tried again by the next. */
export function shelfKeeper<Env>(open: (env: Env) => Shelf | Promise<Shelf>): {
  open(env: Env, execution: ExecutionLike | undefined, signal: AbortSignal): Promise<OpenShelf>
  /** Looks at the library again where that is due, behind the answer. */
  follow(opened: OpenShelf, execution: ExecutionLike | undefined): void
} {
  let opening: Promise<OpenShelf> | undefined
  let looked = 0
  return {
    async open(env, execution, signal) {
      if (!opening) {
        const begun = (async () => {
          const shelf = await open(env)
          return { shelf, library: await shelf.library }
        })()
        opening = begun
        looked = Date.now()
        begun.catch(() => {
          if (opening === begun) opening = undefined
        })
        // Others wait for it too: it must not end with the request that began it.
        execution?.waitUntil(begun.catch(() => undefined))
      }
      const begun = opening
      const opened = await withTimeout(TIMEOUT, () => begun, signal)
      if (opened !== TIMED_OUT) return opened
      if (opening === begun) opening = undefined
      throw new SkillshelfError('source-failed', `The library was not open within ${TIMEOUT} ms`, { hint: 'try again' })
    },
    follow({ shelf, library }, execution) {
      const { refreshAfter = REFRESH_AFTER } = shelf
      const now = Date.now()
      // A clock that was set back must not stop it.
      if (refreshAfter === 0 || (now >= looked && now - looked < refreshAfter)) return
      looked = now
      const refreshed = library.refresh().catch(() => undefined)
      execution?.waitUntil(refreshed)
    },
  }
}
