import { type ErrorCode, type ErrorDetails, SkillshelfError } from './errors.js'
import { isRecord } from './plain-data.js'
import { UNTRUSTED } from './sanitize.js'

export const PROBLEM_STATUS: Readonly<Record<ErrorCode, number>> = {
  aborted: 503,
  'ambiguous-name': 409,
  closed: 503,
  conflict: 409,
  format: 503,
  'invalid-input': 400,
  'invalid-path': 400,
  'model-failed': 503,
  'not-allowed': 403,
  'not-loaded': 409,
  'resource-not-found': 404,
  'skill-not-found': 404,
  'source-failed': 503,
  'source-not-found': 503,
  'storage-full': 507,
  'module-failed': 503,
  'thread-failed': 503,
  'too-large': 413,
  unsupported: 415,
  untrusted: 503,
}

const STATUS_HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer' },
  429: { 'retry-after': '60' },
  503: { 'retry-after': '2' },
}

/** An `application/problem+json` response (RFC 9457). `status` defaults to that of the error, which may carry its own, such as 429. */
export function problemResponse(
  error: SkillshelfError,
  status = statusOf(error),
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { code, message, details } = error
  // The status that a source behind this server answered with is not for clients.
  const { status: _, ...publicDetails } = details
  const body = {
    type: `urn:skillshelf:error:${code}`,
    title: code,
    status,
    detail: message,
    ...publicDetails,
    code,
  }
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...UNTRUSTED,
      ...STATUS_HEADERS[status],
      ...headers,
    },
  })
}

function statusOf({ code, details }: SkillshelfError): number {
  const hasOwn = code === 'not-allowed' || code === 'conflict'
  return (hasOwn ? details.status : undefined) ?? PROBLEM_STATUS[code]
}

/** Restores the error from a problem document; `undefined` if the document is not one of this library. */
export function errorFromProblem(problem: unknown, status: number): SkillshelfError | undefined {
  if (!isRecord(problem)) return undefined
  const { code, detail, subject, candidates, figures, hint } = problem
  if (
    typeof code !== 'string' ||
    !Object.hasOwn(PROBLEM_STATUS, code) ||
    typeof detail !== 'string'
  ) {
    return undefined
  }
  const details: ErrorDetails = {
    status,
    ...(typeof subject === 'string' ? { subject } : {}),
    ...(Array.isArray(candidates) ? { candidates: candidates.map(String) } : {}),
    ...(typeof figures === 'object' && figures !== null
      ? { figures: figures as Record<string, number> }
      : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
  }
  return SkillshelfError.from({ ...details, code: code as ErrorCode, message: detail })
}
