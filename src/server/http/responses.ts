import { digestOf, shortDigest } from '../../core/digest.js'
import { UNTRUSTED } from '../../core/sanitize.js'
import type { LibrarySnapshot } from '../../library/catalog/catalog-entry.js'

/** Part of every ETag. Raise it when the same library is answered differently, so that clients drop cached responses. */
const RESPONSE_VERSION = 1
export const PLAIN_TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8', ...UNTRUSTED }

export function json(data: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(data), {
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...UNTRUSTED,
      ...headers,
    },
  })
}

export function text(
  content: string,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(content, {
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  })
}

const tags = new WeakMap<LibrarySnapshot, string>()

/** ETag of a snapshot. It includes the diagnostics: they may change while the revision stays. */
export function snapshotTag(snapshot: LibrarySnapshot): string {
  const cached = tags.get(snapshot)
  if (cached) return cached
  const { revision, diagnostics } = snapshot
  const tag = `"${revision}-${shortDigest(digestOf(JSON.stringify(diagnostics)))}-${RESPONSE_VERSION}"`
  tags.set(snapshot, tag)
  return tag
}

/** Whether an `If-None-Match` list contains a tag. Proxies prefix `W/`. */
export function matchesTag(list: string | null, tag: string): boolean {
  return list?.split(',').some(one => ['*', tag].includes(one.trim().replace(/^W\//, ''))) ?? false
}

export function notModified(headers: Readonly<Record<string, string>>): Response {
  return new Response(null, { status: 304, headers })
}

/** Answers with bytes: 200, 206 for one range, 304 if unchanged, 416 for a range past the end (RFC 9110). */
export function bytesResponse(
  request: Request,
  bytes: Uint8Array<ArrayBuffer>,
  tag: string,
  headers: Readonly<Record<string, string>>,
): Response {
  const common = { ...headers, etag: tag, 'accept-ranges': 'bytes' }
  if (matchesTag(request.headers.get('if-none-match'), tag)) return notModified(common)
  const ignoresRange = request.method === 'HEAD' || (request.headers.get('if-range') ?? tag) !== tag
  const range = parseRange(ignoresRange ? null : request.headers.get('range'), bytes.length)
  if (range === 'unsatisfiable') {
    return new Response(`The file has ${bytes.length} bytes.\n`, {
      status: 416,
      headers: { ...PLAIN_TEXT_HEADERS, 'content-range': `bytes */${bytes.length}` },
    })
  }
  const part = range ? bytes.subarray(range.start, range.end) : bytes
  return new Response(request.method === 'HEAD' ? null : part, {
    status: range ? 206 : 200,
    headers: {
      ...common,
      'content-length': String(part.length),
      ...(range
        ? { 'content-range': `bytes ${range.start}-${range.end - 1}/${bytes.length}` }
        : {}),
    },
  })
}

/** Parses a single range. `undefined` for anything else: the whole file is a valid answer. */
function parseRange(
  range: string | null,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range?.trim() ?? '') ?? []
  if (first === '' && last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (last !== '' && first !== '' && Number(last) < Number(first)) return undefined
  return start < end ? { start, end } : 'unsatisfiable'
}
