import { timingSafeEqual } from 'hono/utils/buffer'
import { SkillshelfError } from '../../core/errors.js'
import type { Shelf } from './shelf.js'

/** @throws SkillshelfError `not-allowed`, with the status to answer with */
export async function admit({ readToken, token, rateLimit }: Shelf, request: Request): Promise<void> {
  const key = request.headers.get('cf-connecting-ip') ?? 'anybody'
  if (rateLimit && !(await rateLimit.limit({ key })).success)
    throw new SkillshelfError('not-allowed', 'Too many requests', { status: 429, hint: 'wait a minute' })
  if (readToken && !(await shows(request, readToken)) && !(await shows(request, token))) throw unknown()
}

export async function admitWriter({ store, token }: Shelf, request: Request): Promise<void> {
  // Where writing is off, the operation itself says so.
  if (store && token && !(await shows(request, token))) throw unknown()
}

function unknown(): SkillshelfError {
  return new SkillshelfError('not-allowed', 'The token is missing or wrong', {
    status: 401,
    hint: 'send it as Authorization: Bearer …',
  })
}

/** Takes the same time however much of the token is right. */
async function shows(request: Request, token: string | undefined): Promise<boolean> {
  const given = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  return token !== undefined && token !== '' && given !== undefined && timingSafeEqual(given, token)
}
