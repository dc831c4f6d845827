import { TIMED_OUT, withTimeout } from '../../core/abort.js'
import { PROBLEM_STATUS } from '../../core/error-response.js'
import { invalidInput, isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { openLibrary } from '../../library/open-library.js'
import type { SkillStore } from '../../library/store/store.js'
import { withoutSecrets } from '../../library/store/without-secrets.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import type { SkillSource, WritableSource } from '../../source/source.js'
import { MCP_OPTIONS, type McpServerOptions } from '../mcp/options.js'

const loadStore = onDemand(() => import('../../library/store/store.js'))

/** Options of `createHandler`: the library and how it is served. */
export interface ServedLibrary {
  /** The library to serve. A promise is awaited by the first request. */
  library: SkillLibrary | Promise<SkillLibrary>
  /** Packed files of the library, under their own paths: `openLibrary(address)` opens them in a page. @default undefined Only the API. */
  files?: Pick<SkillSource, 'read'> | undefined
  /** Store that skills are uploaded to and removed from. Needs `token` too. @default undefined The server is read-only. */
  store?: (SkillStore & SkillSource) | undefined
  /**
   * The library is in a search engine: its name and the `files` of `openEngineLibrary`. With `token`, `skillshelf publish --engine` stores
   * files through this server. Leave `files` and `store` out.
   * @default undefined
   */
  engine?: { library: string; files: WritableSource } | undefined
  /**
   * Files, or folders of files, that are served although they look like a private key, a token or a file of passwords: the id of the skill
   * and the path, such as `skills/tls/test-key.pem`. Other such files of plain folders are not served; `pack` refuses them in the first place.
   * @default []
   */
  allow?: readonly string[] | undefined
  /** Bearer token required for writes. @default undefined The server is read-only. */
  token?: string | undefined
  /** Bearer token required for reads. `token` is accepted too. @default undefined Reads are public. */
  readToken?: string | undefined
  /**
   * Secret part of a private link. `/s/<linkToken>/` serves the same reads without a header, for clients that cannot send one, such as
   * `npx skills add`. Servers and proxies log addresses, so use a long random token that is not a token of `token` or `readToken`.
   * @default undefined There is no private link.
   */
  linkToken?: string | undefined
  /** Called once per request with the client's IP address. Cloudflare's rate limiting binding fits. @default undefined No limit. */
  rateLimit?: { limit(options: { key: string }): Promise<{ success: boolean }> } | undefined
  /** Milliseconds between refreshes of the library. A refresh runs after a response. `0` disables it. @default 30_000 */
  refreshAfter?: number | undefined
  /** Milliseconds a request may take. @default 30_000 */
  timeout?: number | undefined
  /** Bytes of one upload. @default 16_777_216 */
  maxUpload?: number | undefined
  /** Options of the MCP server at `/mcp`. `false` disables it. @default {} */
  mcp?: McpServerOptions | false | undefined
  /** Handles requests that no route matches, such as a web page. @default undefined 404, or 405 for a wrong method. */
  fallback?: ((request: Request) => Response | Promise<Response>) | undefined
}

/**
 * The common case: a source, and the library in it. Its packed files are served too, and with `token` it is written to if it can be.
 * Other options are those of `ServedLibrary`.
 */
export interface ServedSource<Env> extends Omit<ServedLibrary, 'library' | 'store' | 'engine'> {
  /** Where the skills are, or a function that finds it in the environment: `env => r2(env.SKILLS)`. */
  source: SkillSource | ((env: Env) => SkillSource | Promise<SkillSource>)
  /** See `LibraryOptions.embedder`. @default the bundled model */
  embedder?: SkillModel | Promise<SkillModel> | false | undefined
}

/** What `createHandler` serves. */
export type Served<Env> = ServedLibrary | ServedSource<Env>

/** Execution context of a Cloudflare Worker. Other platforms do not need one. */
export interface ExecutionLike {
  waitUntil(work: Promise<unknown>): void
}

/** Default of `ServedLibrary.refreshAfter`, in milliseconds. */
export const REFRESH_AFTER = 30_000
const OPEN_TIMEOUT = 30_000
/** An isolate that was idle for so long refreshes a library in an engine before it answers: an hour later, rows of its revision are gone. */
const MAX_ENGINE_AGE = 30 * 60_000

/** Skills that one answer lists. */
const MAX_LISTED = 20_000

const SHARED = {
  files: 1,
  allow: 1,
  token: 1,
  readToken: 1,
  linkToken: 1,
  rateLimit: 1,
  refreshAfter: 1,
  timeout: 1,
  maxUpload: 1,
  mcp: 1,
  fallback: 1,
} as const
const SERVED = {
  ...SHARED,
  library: 1,
  store: 1,
  engine: 1,
} satisfies OptionNames<ServedLibrary>
const SOURCE = { ...SHARED, source: 1, embedder: 1 } satisfies OptionNames<ServedSource<unknown>>

/** @throws SkillshelfError `invalid-input` for an option that does not exist */
export function checkServed(served: Served<never>): void {
  checkOptionNames(served, 'source' in served ? SOURCE : SERVED)
  if (served.mcp) checkOptionNames(served.mcp, MCP_OPTIONS)
  // Reported by the first request; no unhandled rejection before.
  if ('library' in served) Promise.resolve(served.library).catch(() => undefined)
}

export interface OpenedLibrary {
  options: ServedLibrary
  library: SkillLibrary
}

/** Opens the served library with the first request and keeps it for later ones. A failed open is tried again by the next request. */
export interface LibraryOpener<Env> {
  /** @throws SkillshelfError `source-failed` if it does not open within 30 seconds, and errors of the caller's function */
  open(env: Env, execution: ExecutionLike | undefined, signal: AbortSignal): Promise<OpenedLibrary>
  /** Refreshes the library in the background if `refreshAfter` has passed. */
  refreshIfDue(opened: OpenedLibrary, execution: ExecutionLike | undefined): void
}

export function libraryOpener<Env>(
  open: (env: Env) => Served<Env> | Promise<Served<Env>>,
): LibraryOpener<Env> {
  let opening: Promise<OpenedLibrary> | undefined
  let refreshedAt = 0
  return {
    async open(env, execution, signal) {
      if (!opening) {
        const started = openServed(open, env)
        opening = started
        refreshedAt = Date.now()
        started.catch(() => {
          if (opening === started) opening = undefined
        })
        // Later requests share this promise, so it must outlive the request that started it.
        execution?.waitUntil(started.catch(() => undefined))
      }
      const current = opening
      const opened = await withTimeout(OPEN_TIMEOUT, () => current, signal)
      if (opened !== TIMED_OUT) {
        const { options, library } = opened
        if (
          options.engine &&
          options.refreshAfter !== 0 &&
          Math.abs(Date.now() - refreshedAt) > MAX_ENGINE_AGE
        ) {
          refreshedAt = Date.now()
          await library.refresh({ signal }).catch(() => undefined)
        }
        return opened
      }
      if (opening === current) opening = undefined
      throw new SkillshelfError(
        'source-failed',
        `The library did not open within ${OPEN_TIMEOUT} ms`,
        {
          hint: 'try again',
        },
      )
    },
    refreshIfDue({ options, library }, execution) {
      const { refreshAfter = REFRESH_AFTER } = options
      const now = Date.now()
      // `now < refreshedAt` means that the clock was set back: refresh then too.
      if (refreshAfter === 0 || (now >= refreshedAt && now - refreshedAt < refreshAfter)) return
      refreshedAt = now
      const refreshed = library.refresh().catch(() => undefined)
      execution?.waitUntil(refreshed)
    },
  }
}

async function openServed<Env>(
  open: (env: Env) => Served<Env> | Promise<Served<Env>>,
  env: Env,
): Promise<OpenedLibrary> {
  try {
    const served = await open(env)
    checkServed(served)
    const options = 'source' in served ? await openSource(served, env) : served
    const library = await options.library
    // The reasons of a library that learns quote messages of its user.
    if (library.learns) {
      throw invalidInput(
        'A library that learns cannot be served: its reasons quote messages',
        'open the served library without `learn`',
      )
    }
    return { options, library: withoutSecrets(library, options.allow) }
  } catch (error) {
    throw openError(error)
  }
}

/** The library in a source, its files, and the store that it is written to. */
async function openSource<Env>(
  { source, embedder, ...options }: ServedSource<Env>,
  env: Env,
): Promise<ServedLibrary> {
  const found = typeof source === 'function' ? await source(env) : source
  const served = { files: found, ...options, library: openLibrary(found, { embedder }) }
  if (options.token === undefined || !isWritable(found)) return served
  const { skillStore } = await loadStore()
  return { ...served, store: skillStore(found, { embedder: embedder || undefined }) }
}

function isWritable(source: SkillSource): source is WritableSource {
  return 'write' in source
}

/** A wrong option is an error of the server, so it must not be answered as one of the request. */
function openError(error: unknown): unknown {
  if (!isSkillshelfError(error) || PROBLEM_STATUS[error.code] >= 500) return error
  const { hint, subject } = error.details
  const details = {
    ...(hint === undefined ? {} : { hint }),
    ...(subject === undefined ? {} : { subject }),
  }
  const reason = error.message.replace(` (${hint})`, '')
  return new SkillshelfError(
    'source-failed',
    `The library cannot be opened: ${reason}`,
    details,
    error,
  )
}

/** Whether the snapshot lacks skills, or has too many for one answer. */
export function isPartlyListed({ snapshot, page }: SkillLibrary): boolean {
  if (snapshot.total > MAX_LISTED) return true
  // Only with pages: reading the entries of a packed library would cost the first match of a Worker more than the match.
  return page !== undefined && snapshot.total > snapshot.skills.length
}
