import type { ByteRange } from '../types.js'
import type { HttpResponse } from './types.js'

/** Headers of a conditional request. A version that is no ETag is a `Last-Modified` date. */
export function conditionalHeaders(ifVersion: string | undefined): Record<string, string> {
  if (!ifVersion) return {}
  return { [/^(?:W\/)?"/.test(ifVersion) ? 'if-none-match' : 'if-modified-since']: ifVersion }
}

/** The `Range` header of a request. HTTP cannot express an empty range, so the whole file is requested instead. */
export function rangeHeader(range: ByteRange | undefined): Record<string, string> {
  if (!range || range.length === 0) return {}
  return { range: `bytes=${range.offset}-${range.length === undefined ? '' : range.offset + range.length - 1}` }
}

/**
 * The part of a file that a response holds: `undefined` for the whole file, `'unknown'` if the range is not satisfiable, not declared, or
 * hidden by CORS.
 */
export function contentRange({
  status,
  headers,
}: HttpResponse): { offset: number; total: number } | 'unknown' | undefined {
  if (status !== 206 && status !== 416) return undefined
  const [, offset, total] =
    (status === 206 && /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '')) || []
  return offset === undefined ? 'unknown' : { offset: Number(offset), total: Number(total) }
}

/** The declared bytes of a body. `undefined` for an encoded body, whose length is that of the encoded bytes. */
export function contentLength({ headers }: Pick<HttpResponse, 'headers'>): number | undefined {
  const length = headers.get('content-encoding') ? '' : (headers.get('content-length') ?? '')
  return /^\d+$/.test(length) ? Number(length) : undefined
}

/** The declared media type in lower case, without parameters. */
export function mediaTypeOf({ headers }: HttpResponse): string | undefined {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() || undefined
}
