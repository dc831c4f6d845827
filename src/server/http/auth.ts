import { timingSafeEqual } from 'hono/utils/buffer'
import { SkillshelfError } from '../../core/errors.js'
import { decodePart } from './endpoint.js'
import type { ServedLibrary } from './served-library.js'

const LINK_PREFIX = '/s/'

/** @throws SkillshelfError `not-allowed` with status 429 */
export async function checkRateLimit(
  { rateLimit }: ServedLibrary,
  request: Request,
): Promise<void> {
  const key = request.headers.get('cf-connecting-ip') ?? 'anybody'
  if (rateLimit && !(await rateLimit.limit({ key })).success) {
    throw new SkillshelfError('not-allowed', 'Too many requests', {
      status: 429,
      hint: 'wait a minute',
    })
  }
}

/** Checks the read token. @throws SkillshelfError `not-allowed` with status 401 */
export async function authorizeRead(
  { readToken, token }: ServedLibrary,
  request: Request,
): Promise<void> {
  if (readToken && !(await hasToken(request, readToken)) && !(await hasToken(request, token))) {
    throw unauthorized()
  }
}

/** Opens `/s/<linkToken>/path` as `/path` without a read token, if there is such a link. @throws `resource-not-found` if it is wrong */
export async function openPrivateLink(
  { linkToken }: ServedLibrary,
  request: Request,
): Promise<Request | undefined> {
  const url = new URL(request.url)
  if (!linkToken || !url.pathname.startsWith(LINK_PREFIX)) return undefined
  const [given = '', ...path] = url.pathname.slice(LINK_PREFIX.length).split('/')
  if (!(await timingSafeEqual(decodePart(given), linkToken))) {
    throw new SkillshelfError('resource-not-found', `No route matches ${LINK_PREFIX}`, {
      subject: LINK_PREFIX,
    })
  }
  url.pathname = `/${path.join('/')}`
  return new Request(url, request)
}

/** Checks the write token. A read-only server passes: the operation reports that. @throws SkillshelfError `not-allowed` with status 401 */
export async function authorizeWrite(
  { store, engine, token }: ServedLibrary,
  request: Request,
): Promise<void> {
  if ((store || engine) && token && !(await hasToken(request, token))) throw unauthorized()
}

function unauthorized(): SkillshelfError {
  return new SkillshelfError('not-allowed', 'The bearer token is missing or wrong', {
    status: 401,
    hint: 'send it as "Authorization: Bearer <token>"',
  })
}

/** S8: no write without the token. Compares in constant time. Hono's `bearerAuth` would answer 400 to other schemes and refuse tokens of other characters. */
async function hasToken(request: Request, token: string | undefined): Promise<boolean> {
  const given = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  return token !== undefined && token !== '' && given !== undefined && timingSafeEqual(given, token)
}
