import { timingSafeEqual } from 'hono/utils/buffer'
import { SkillshelfError } from '../../core/errors.js'
import type { ServedLibrary } from './served-library.js'

/** Whether responses must not be kept by shared caches, because reads need a token. */
export function isPrivate({ readToken }: ServedLibrary): boolean {
  return Boolean(readToken)
}

/**
 * Checks the rate limit and the read token.
 * @throws SkillshelfError `not-allowed` with status 429 or 401
 */
export async function authorizeRequest(
  { readToken, token, rateLimit }: ServedLibrary,
  request: Request,
): Promise<void> {
  const key = request.headers.get('cf-connecting-ip') ?? 'anybody'
  if (rateLimit && !(await rateLimit.limit({ key })).success)
    throw new SkillshelfError('not-allowed', 'Too many requests', { status: 429, hint: 'wait a minute' })
  if (readToken && !(await hasToken(request, readToken)) && !(await hasToken(request, token))) throw unauthorized()
}

/**
 * Checks the write token. A read-only server passes: the operation itself reports that.
 * @throws SkillshelfError `not-allowed` with status 401
 */
export async function authorizeWrite({ store, token }: ServedLibrary, request: Request): Promise<void> {
  if (store && token && !(await hasToken(request, token))) throw unauthorized()
}

function unauthorized(): SkillshelfError {
  return new SkillshelfError('not-allowed', 'The bearer token is missing or wrong', {
    status: 401,
    hint: 'send it as "Authorization: Bearer <token>"',
  })
}

/** Compares in constant time. Hono's `bearerAuth` would answer 400 to other schemes and refuse tokens of other characters. */
async function hasToken(request: Request, token: string | undefined): Promise<boolean> {
  const given = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  return token !== undefined && token !== '' && given !== undefined && timingSafeEqual(given, token)
}
