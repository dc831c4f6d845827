import { type ErrorCode, type ErrorDetails, SkillshelfError } from '../../core/errors.js'

const STATUS: Readonly<Record<ErrorCode, number>> = {
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
  'thread-failed': 503,
  'too-large': 413,
  unsupported: 415,
}

/** Where a client has to wait, or to show who it is. */
const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer' },
  429: { 'retry-after': '60' },
  503: { 'retry-after': '2' },
}

/**
 * An error as `application/problem+json` (RFC 9457), with the library's code and details.
 * @param status Default: what belongs to the code.
 */
export function problemOf(
  error: SkillshelfError,
  status = statusOf(error),
  headers: Record<string, string> = {},
): Response {
  const { code, message, details } = error
  // The status of the place behind is nobody's business here.
  const { status: _, ...told } = details
  const body = { type: `urn:skillshelf:error:${code}`, title: code, status, detail: message, ...told, code }
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...HEADERS[status],
      ...headers,
    },
  })
}

function statusOf({ code, details }: SkillshelfError): number {
  return code === 'not-allowed' ? (details.status ?? STATUS[code]) : STATUS[code]
}

/** The error that a problem tells of; `undefined` where it is none of ours. */
export function errorOf(problem: unknown, status: number): SkillshelfError | undefined {
  if (typeof problem !== 'object' || problem === null) return undefined
  const { code, detail, subject, candidates, figures, hint } = problem as Record<string, unknown>
  if (typeof code !== 'string' || !Object.hasOwn(STATUS, code) || typeof detail !== 'string') return undefined
  const details: ErrorDetails = {
    status,
    ...(typeof subject === 'string' ? { subject } : {}),
    ...(Array.isArray(candidates) ? { candidates: candidates.map(String) } : {}),
    ...(typeof figures === 'object' && figures !== null ? { figures: figures as Record<string, number> } : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
  }
  return SkillshelfError.from({ ...details, code: code as ErrorCode, message: detail })
}
