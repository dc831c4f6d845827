import { SkillshelfError } from '../../core/errors.js'
import { errorFromProblem } from '../../core/problem.js'
import type { HttpResponse } from '../../source/http/options.js'
import { mediaTypeOf } from '../../source/http/response.js'
import { parseJson, type Reply } from './request.js'

/** Error of a response that is not a success: the error of the library behind the server, or one from the status. */
export function responseError(url: string, reply: Pick<Reply, 'response' | 'bytes'>): SkillshelfError {
  const { status } = reply.response
  const problem = problemError(reply)
  if (problem) return problem
  const details = { subject: url, status }
  if (status === 401 || status === 403)
    return new SkillshelfError('not-allowed', `${url} answered ${status}`, { ...details, hint: 'pass `token`' })
  if (status === 404 || status === 405)
    return new SkillshelfError('source-failed', `${url} answered ${status}`, {
      ...details,
      hint: 'use the address of a skillshelf server; to open packed files of a static host use `openLibrary`',
    })
  return new SkillshelfError('source-failed', `${url} answered ${status}`, details)
}

/** Error in a problem document of a skillshelf server; `undefined` for any other response. */
export function problemError({ response, bytes }: Pick<Reply, 'response' | 'bytes'>): SkillshelfError | undefined {
  if (mediaTypeOf(response) !== 'application/problem+json') return undefined
  const error = errorFromProblem(parseJson(bytes), response.status)
  // The server aborted or closed something; the caller did not.
  return error?.code === 'aborted' || error?.code === 'closed'
    ? SkillshelfError.from({ ...error.toJSON(), code: 'source-failed' })
    : error
}

/** Error of a success that does not come from a skillshelf server, such as the sign-in page of a network. */
export function unexpectedResponse(url: string, response: HttpResponse): SkillshelfError {
  return new SkillshelfError(
    'source-failed',
    `${url} answered with ${mediaTypeOf(response) ?? 'bytes'} that no skillshelf server sends`,
    {
      subject: url,
      status: response.status,
      hint: 'check the address, and whether a sign-in page answers in its place',
    },
  )
}
