import { Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { LinearRouter } from 'hono/router/linear-router'
import { TIMED_OUT, withTimeout } from '../../core/abort.js'
import { lazy } from '../../core/concurrency.js'
import { problemResponse } from '../../core/error-response.js'
import { asSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { UNTRUSTED } from '../../core/sanitize.js'
import { authorizeRead, authorizeWrite, checkRateLimit, openPrivateLink } from './auth.js'
import { type Endpoint, type RequestContext, runEndpoint } from './endpoint.js'
import { engineRoutes } from './engine-routes.js'
import { matchRoutes } from './match-routes.js'
import { openApi } from './openapi.js'
import { text } from './responses.js'
import {
  checkServed,
  type ExecutionLike,
  libraryOpener,
  REFRESH_AFTER,
  type Served,
} from './served-library.js'
import { parseSkillPath, skillRoutes } from './skill-routes.js'
import { decodedPath, packedFileResponse, wellKnownResponse } from './static-files.js'
import { storeRoutes } from './store-routes.js'

/** Request handler in the shape of a Worker's default export. `@hono/node-server` and service workers call its `fetch`. */
export interface SkillHandler<Env> {
  /** Answers one request, and never rejects: errors are responses. `env` goes to the function; `execution` keeps work alive after it. */
  fetch(request: Request, env?: Env, execution?: ExecutionLike): Promise<Response>
}

interface HonoEnv<Env> {
  Bindings: {
    env: Env
    execution: ExecutionLike | undefined
    /** The request came through a private link. */
    isLinked?: boolean
  }
  Variables: Omit<RequestContext, 'request'>
}

const ENDPOINTS = [...skillRoutes, ...matchRoutes, ...storeRoutes, ...engineRoutes]
/** Paths of one skill, whose id may contain slashes. */
const SKILL_PREFIX = '/v1/skills/'
const TIMEOUT = 30_000
const MAX_JSON_BYTES = 1_048_576
const MAX_UPLOAD_BYTES = 16 * 1_048_576
const CORS = {
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  allowHeaders: [
    'Authorization',
    'Content-Type',
    'If-Match',
    'If-None-Match',
    'If-Range',
    'Range',
    'Mcp-Protocol-Version',
    'Mcp-Method',
    'Mcp-Name',
  ],
  exposeHeaders: [
    'ETag',
    'Content-Range',
    'Retry-After',
    'Skill-Id',
    'Skill-Path',
    'Skill-Location',
    'Skill-Size',
    'Skill-Digest',
  ],
  maxAge: 86_400,
}

/**
 * Serves a skill library over HTTP.
 *
 * | path | serves |
 * |---|---|
 * | `/v1/*` | REST API, described at `/openapi.json` |
 * | `/mcp` | MCP server (Streamable HTTP) |
 * | `/.well-known/agent-skills/` | skills for installers (well-known v0.2) |
 * | `/s/<linkToken>/*` | all of the above without a read token, if `linkToken` is set |
 * | other paths | packed files, if `files` is set; then `fallback` |
 *
 * Errors are `application/problem+json` with the code of the `SkillshelfError`.
 * @param served What to serve: `source`, which may be a function of the environment; or `library`; or a function that returns the latter. The function is called by the first request. If it
 *   fails, that request is answered with 503 and the next one tries again.
 * @example
 * ```ts
 * import { memory, openLibrary } from 'skillshelf'
 * import { createHandler } from 'skillshelf/server'
 *
 * const skills = memory({ 'pdf/SKILL.md': '---\nname: pdf\ndescription: Extracts tables from PDF files.\n---\nUse pdftotext.' })
 * const handler = createHandler({ library: openLibrary(skills) })
 * const response = await handler.fetch(new Request('http://localhost/v1/match?message=tables+from+a+pdf'))
 * ```
 * @example A Cloudflare Worker that reads an R2 bucket
 * ```ts
 * import { type R2BucketLike, r2 } from 'skillshelf/cloudflare'
 * import { createHandler } from 'skillshelf/server'
 *
 * export default createHandler({ source: (env: { SKILLS: R2BucketLike }) => r2(env.SKILLS) })
 * ```
 */
export function createHandler<Env = unknown>(
  served: Served<Env> | ((env: Env) => Served<Env> | Promise<Served<Env>>),
): SkillHandler<Env> {
  if (typeof served !== 'function') checkServed(served)
  const opener = libraryOpener<Env>(typeof served === 'function' ? served : () => served)
  // Hono's other routers compile routes during the first request. CPU time of a cold start is scarce.
  const app = new Hono<HonoEnv<Env>>({ router: new LinearRouter() })

  // Every response inherits it, those of CORS, `fallback` and errors included.
  app.use(async (c, next) => {
    c.res.headers.set('x-content-type-options', 'nosniff')
    await next()
  })
  app.use(cors(CORS))
  app.use(async (c, next) => {
    const { env, execution } = c.env
    const { raw: request } = c.req
    const opened = await opener.open(env, execution, request.signal)
    const { timeout = TIMEOUT } = opened.options
    if (!c.env.isLinked) {
      await checkRateLimit(opened.options, request)
      const linked = await openPrivateLink(opened.options, request)
      if (linked) return app.fetch(linked, { ...c.env, isLinked: true })
      await authorizeRead(opened.options, request)
    }
    c.set('options', opened.options)
    c.set('library', opened.library)
    const done = await withTimeout(
      timeout,
      async signal => {
        c.set('signal', signal)
        await next()
      },
      request.signal,
    )
    opener.refreshIfDue(opened, execution)
    if (c.env.isLinked || opened.options.readToken) makePrivate(c.res.headers)
    // A page below a private link must not give its address to other sites.
    if (c.env.isLinked) c.res.headers.set('referrer-policy', 'no-referrer')
    if (done === TIMED_OUT) {
      throw new SkillshelfError('source-failed', `The request took longer than ${timeout} ms`, {
        hint: 'try again',
      })
    }
  })
  for (const one of ENDPOINTS) {
    if (!one.path.startsWith(SKILL_PREFIX)) {
      app.on(one.method.toUpperCase(), honoPath(one.path), authorizeAndLimit<Env>(one), c =>
        runEndpoint(one, c.req.param(), { ...c.var, request: c.req.raw }),
      )
    }
  }
  app.get(`${SKILL_PREFIX}*`, (c, next) => {
    const { pathname } = new URL(c.req.url)
    const found = parseSkillPath(pathname.slice(SKILL_PREFIX.length), c.var.library)
    const one = ENDPOINTS.find(({ name }) => name === found?.operation)
    return found && one ? runEndpoint(one, found.params, { ...c.var, request: c.req.raw }) : next()
  })

  const document = lazy(() => JSON.stringify(openApi(ENDPOINTS)))
  app.get('/openapi.json', () =>
    text(document(), 'application/json', { 'cache-control': 'no-cache' }),
  )

  app.all('/mcp', limitBody(MAX_JSON_BYTES), async (c, next) => {
    const { options, library } = c.var
    const { mcp = {}, refreshAfter = REFRESH_AFTER } = options
    if (mcp === false) return next()
    const { mcpResponse } = await import('../mcp/response.js')
    const cacheScope = c.env.isLinked || options.readToken ? 'private' : 'public'
    const cacheHint = { ttlMs: refreshAfter, cacheScope } as const
    const response = await mcpResponse(library, { cacheHint, ...mcp }, c.req.raw)
    for (const [name, value] of Object.entries(UNTRUSTED)) response.headers.set(name, value)
    return response
  })

  app.get('*', async (c, next) => {
    const { options, library, signal } = c.var
    const request = c.req.raw
    const path = decodedPath(request)
    if (path === undefined) return next()
    const packed = options.files && (await packedFileResponse(options.files, request, path, signal))
    return packed ?? (await wellKnownResponse(library, request, path, signal)) ?? next()
  })

  app.notFound(async c => {
    const { fallback } = c.var.options
    if (fallback) return fallback(c.req.raw)
    const { method, path } = c.req
    const allowed = ENDPOINTS.filter(one => matchesTemplate(one.path, path)).map(one =>
      one.method.toUpperCase(),
    )
    if (allowed.length > 0) {
      return problemResponse(
        new SkillshelfError('unsupported', `${path} does not support ${method}`, {
          subject: method,
        }),
        405,
        { allow: [...new Set(allowed)].join(', ') },
      )
    }
    const details = { subject: path, hint: 'see /openapi.json' }
    return problemResponse(
      new SkillshelfError('resource-not-found', `No route matches ${path}`, details),
    )
  })
  app.onError(error =>
    problemResponse(asSkillshelfError(error, 'source-failed', 'The request failed')),
  )
  return {
    fetch: async (request, env, execution) => app.fetch(request, { env: env as Env, execution }),
  }
}

/** Authorizes writes and limits the body size before a byte of the body is read. */
function authorizeAndLimit<Env>({
  uploads,
  body,
  writes,
}: Endpoint): MiddlewareHandler<HonoEnv<Env>> {
  return async (c, next) => {
    const { options } = c.var
    if (writes) await authorizeWrite(options, c.req.raw)
    if (!uploads && !body) return next()
    const maxBytes = uploads ? (options.maxUpload ?? MAX_UPLOAD_BYTES) : MAX_JSON_BYTES
    return limitBody(maxBytes)(c, next)
  }
}

/** Refuses a longer body, by its declared length or while it is read. */
function limitBody(maxBytes: number): MiddlewareHandler {
  return bodyLimit({
    maxSize: maxBytes,
    onError() {
      throw tooLargeError(maxBytes)
    },
  })
}

function tooLargeError(most: number): SkillshelfError {
  return new SkillshelfError('too-large', `The request body is larger than ${most} bytes`, {
    figures: { most },
  })
}

/** Keeps shared caches from storing a response that needed a token. */
function makePrivate(headers: Headers): void {
  const current = headers.get('cache-control') ?? ''
  if (current !== 'no-store') {
    headers.set('cache-control', `private, ${current.replace('public, ', '') || 'no-cache'}`)
  }
  headers.append('vary', 'Authorization')
}

/** Converts an OpenAPI path to Hono's syntax. A parameter may contain slashes: many generated clients do not encode them. */
function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1{[\\s\\S]+}')
}

function matchesTemplate(template: string, path: string): boolean {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '.+')}$`).test(path)
}
