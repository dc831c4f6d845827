import { Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { LinearRouter } from 'hono/router/linear-router'
import { lazy } from '../../core/concurrency.js'
import { asSkillshelfError, isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { TIMED_OUT, withTimeout } from '../../core/timeout.js'
import type { SkillLibrary } from '../../library/types.js'
import { names, notModified, snapshotTag, text } from './answer.js'
import { DOCS_POLICY, docsPage } from './docs-page.js'
import { checked, type Endpoint, queryOf } from './endpoint.js'
import { admit, admitWriter } from './guard.js'
import { matching } from './matching.js'
import { openApi } from './openapi.js'
import { packedAnswer, pathOf } from './packed-files.js'
import { problemOf } from './problem.js'
import { publishedOf } from './published.js'
import { reading } from './reading.js'
import { type ExecutionLike, type Shelf, shelfKeeper } from './shelf.js'
import { writing } from './writing.js'

/** Answers requests: a Cloudflare Worker exports it, `@hono/node-server` and service workers call it. */
export interface ShelfHandler<Env> {
  fetch(request: Request, env?: Env, execution?: ExecutionLike): Promise<Response>
}

interface Setting<Env> {
  Bindings: { env: Env; execution: ExecutionLike | undefined }
  Variables: { shelf: Shelf; library: SkillLibrary; signal: AbortSignal }
}

const ENDPOINTS = [...reading, ...matching, ...writing]
const TIMEOUT = 30_000
const MOST_JSON = 1_048_576
const MOST_UPLOAD = 16 * 1_048_576
/** What pages of other origins may send, and see of an answer. */
const CORS = {
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  allowHeaders: [
    'Authorization',
    'Content-Type',
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
 * A library behind HTTP: REST under `/v1` (described at `/openapi.json`, for people at `/docs`), MCP at `/mcp`, well-known v0.2 and v0.1, and
 * the packed files where `files` are given. Errors are `application/problem+json` with the codes of the library.
 * @param shelf What is served, or a function of the environment that gives it: called with the first request.
 */
export function createHandler<Env = unknown>(shelf: Shelf | ((env: Env) => Shelf | Promise<Shelf>)): ShelfHandler<Env> {
  // Whoever asks is told that it could not be opened; until then nobody hears of it.
  if (typeof shelf !== 'function') Promise.resolve(shelf.library).catch(() => undefined)
  const keeper = shelfKeeper<Env>(typeof shelf === 'function' ? shelf : () => shelf)
  // Ready at once: others compile their routes within the first request, which is what a fresh isolate is short of.
  const app = new Hono<Setting<Env>>({ router: new LinearRouter() })

  app.use(cors(CORS))
  app.use(async (c, next) => {
    const { env, execution } = c.env
    const { raw: request } = c.req
    const opened = await keeper.open(env, execution, request.signal)
    await admit(opened.shelf, request)
    c.set('shelf', opened.shelf)
    c.set('library', opened.library)
    const { timeout = TIMEOUT } = opened.shelf
    const done = await withTimeout(
      timeout,
      async signal => {
        c.set('signal', signal)
        await next()
      },
      request.signal,
    )
    keeper.follow(opened, execution)
    if (opened.shelf.readToken) keepPrivate(c.res.headers)
    if (done !== TIMED_OUT) return undefined
    throw new SkillshelfError('source-failed', `There was no answer within ${timeout} ms`, { hint: 'try again' })
  })
  for (const one of ENDPOINTS) app.on(one.method.toUpperCase(), routeOf(one.path), bounded(one), answerOf(one))

  const document = lazy(() => JSON.stringify(openApi(ENDPOINTS)))
  app.get('/openapi.json', () => text(document(), 'application/json', { 'cache-control': 'no-cache' }))
  const page = lazy(() => docsPage(ENDPOINTS))
  app.get('/docs', () =>
    text(page(), 'text/html', { 'cache-control': 'no-cache', 'content-security-policy': DOCS_POLICY }),
  )

  app.all('/mcp', bodyLimit({ maxSize: MOST_JSON, onError: tooLarge(MOST_JSON) }), async (c, next) => {
    const { shelf: open, library } = c.var
    const { mcp = {} } = open
    if (mcp === false) return next()
    const { mcpAnswer } = await import('./mcp.js')
    return mcpAnswer(library, mcp, c.req.raw)
  })

  const published = new WeakMap<SkillLibrary, ReturnType<typeof publishedOf>>()
  app.get('*', async (c, next) => {
    const { shelf: open, library, signal } = c.var
    const path = pathOf(c.req.raw)
    if (path === undefined) return next()
    const packed = open.files && (await packedAnswer(open.files, c.req.raw, path, signal))
    if (packed) return packed
    if (!path.startsWith('.well-known/')) return next()
    const sites = published.get(library) ?? publishedOf(library)
    published.set(library, sites)
    return (await sites.answer(c.req.raw, path, signal)) ?? next()
  })

  app.notFound(async c => {
    const { otherwise } = c.var.shelf
    if (otherwise) return otherwise(c.req.raw)
    const { method, path } = c.req
    const allowed = ENDPOINTS.filter(one => matches(one.path, path)).map(one => one.method.toUpperCase())
    if (allowed.length > 0)
      return problemOf(new SkillshelfError('unsupported', `${method} is not for ${path}`, { subject: method }), 405, {
        allow: [...new Set(allowed)].join(', '),
      })
    return problemOf(
      new SkillshelfError('resource-not-found', `There is nothing at ${path}`, { subject: path, hint: 'see /docs' }),
    )
  })
  app.onError(error => problemOf(asSkillshelfError(error, 'source-failed', 'The request failed')))
  return { fetch: async (request, env, execution) => app.fetch(request, { env: env as Env, execution }) }

  function answerOf(one: Endpoint): MiddlewareHandler<Setting<Env>> {
    return async c => {
      const { library, shelf: open, signal } = c.var
      const request = c.req.raw
      const call = {
        params: checked(one.params, c.req.param(), 'the path'),
        query: checked(one.query, queryOf(one.query, new URL(request.url).searchParams), 'the query'),
        body: one.body ? checked(one.body, await bodyOf(request), 'the body') : {},
        request,
        library,
        shelf: open,
        signal,
      }
      const run = async (): Promise<Response> => {
        const { snapshot } = library
        const tag = one.byRevision ? snapshotTag(snapshot) : ''
        const isHeld = one.byRevision && names(request.headers.get('if-none-match'), tag)
        const same = isHeld ? notModified({ etag: tag, 'cache-control': 'no-cache' }) : undefined
        // What an address names may not be there, which is known when it was read.
        if (same && !one.params) return same
        const response = await one.run(call)
        // One that changed meanwhile has no tag that is right.
        if (!one.byRevision || library.snapshot !== snapshot) return response
        response.headers.set('etag', tag)
        return same ?? response
      }
      return one.writes ? run() : upToDate(library, signal, run)
    }
  }

  /** Before a body is read: of who may not write nothing is, and of others no more than is allowed. */
  function bounded({ uploads, body, writes }: Endpoint): MiddlewareHandler<Setting<Env>> {
    return async (c, next) => {
      if (writes) await admitWriter(c.var.shelf, c.req.raw)
      const maxSize = uploads ? (c.var.shelf.maxUpload ?? MOST_UPLOAD) : MOST_JSON
      return uploads || body ? bodyLimit({ maxSize, onError: tooLarge(maxSize) })(c, next) : next()
    }
  }
}

/** What fails because a file is gone succeeds by the catalog of now, where that is another one. */
async function upToDate<T>(library: SkillLibrary, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
  const { revision } = library.snapshot
  try {
    return await read()
  } catch (error) {
    if (!isSkillshelfError(error, 'source-failed')) throw error
    await library.refresh({ signal }).catch(() => undefined)
    if (library.snapshot.revision === revision) throw error
    return read()
  }
}

const tooLarge = (most: number) => (): never => {
  throw new SkillshelfError('too-large', `A body has at most ${most} bytes here`, { figures: { most } })
}

/** What was answered to one who showed a token is nobody else's. */
function keepPrivate(headers: Headers): void {
  const kept = headers.get('cache-control') ?? ''
  if (kept !== 'no-store') headers.set('cache-control', `private, ${kept.replace('public, ', '') || 'no-cache'}`)
  headers.append('vary', 'Authorization')
}

/** As Hono has it; a file's path may hold slashes. */
function routeOf(path: string): string {
  return path.replace('/{path}', '/:path{[\\s\\S]+}').replace(/\{(\w+)\}/g, ':$1')
}

function matches(template: string, path: string): boolean {
  const parts = template.split('/').map(part => (part === '{path}' ? '.+' : part.startsWith('{') ? '[^/]+' : part))
  return new RegExp(`^${parts.join('/')}$`).test(path)
}

async function bodyOf(request: Request): Promise<unknown> {
  try {
    return JSON.parse(await request.text())
  } catch (error) {
    throw new SkillshelfError('invalid-input', 'The body is not JSON', { subject: 'the body' }, error)
  }
}
