import { SkillshelfError } from '../core/errors.js'
import { errorOf } from '../server/http/problem.js'
import { type HttpResponse, typeOf } from '../source/http/http.js'

/** What an answer that is no success says: the error that the library behind it threw, or that there was none. */
export function failureOf(url: string, response: HttpResponse, bytes: Uint8Array): SkillshelfError {
  const { status } = response
  const told = typeOf(response) === 'application/problem+json' ? errorOf(parsed(bytes), status) : undefined
  // What was stopped or closed there was neither stopped nor closed here.
  if (told?.code === 'aborted' || told?.code === 'closed')
    return SkillshelfError.from({ ...told.toJSON(), code: 'source-failed' })
  if (told) return told
  const details = { subject: url, status }
  if (status === 401 || status === 403)
    return new SkillshelfError('not-allowed', `${url} answered ${status}`, { ...details, hint: 'give a token' })
  return new SkillshelfError('source-failed', `${url} answered ${status}`, {
    ...details,
    ...(status === 404 || status === 405
      ? { hint: 'give the address of a library behind HTTP; what stands on a static host is opened by openLibrary' }
      : {}),
  })
}

/** A success of somebody else's: the sign-in page of a network, another server. */
export function noShelf(url: string, response: HttpResponse): SkillshelfError {
  return new SkillshelfError('source-failed', `${url} answered ${typeOf(response) ?? 'bytes'}, not as a library does`, {
    subject: url,
    status: response.status,
    hint: 'is a library behind HTTP at this address, and no sign-in page before it?',
  })
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
