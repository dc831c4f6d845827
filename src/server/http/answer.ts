import type { LibrarySnapshot } from '../../catalog/types.js'
import { digestOf, shortDigest } from '../../core/digest.js'

/** Raised when the same library is answered for in another way: what clients hold is asked for anew. */
const ANSWERS = 1
/** Of a few words to people. */
export const PLAIN = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }

export function json(data: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(data), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
}

export function text(content: string, type: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(content, { headers: { 'content-type': `${type}; charset=utf-8`, ...headers } })
}

const tags = new WeakMap<LibrarySnapshot, string>()

/** The tag of all that a library answers while this is its snapshot: what is wrong with its sources may be new at the same revision. */
export function snapshotTag(snapshot: LibrarySnapshot): string {
  const known = tags.get(snapshot)
  if (known) return known
  const { revision, diagnostics } = snapshot
  const tag = `"${revision}-${shortDigest(digestOf(JSON.stringify(diagnostics)))}-${ANSWERS}"`
  tags.set(snapshot, tag)
  return tag
}

/** Whether a list of tags (`If-None-Match`) has this one; those of proxies start with `W/`. */
export function names(list: string | null, tag: string): boolean {
  return list?.split(',').some(one => ['*', tag].includes(one.trim().replace(/^W\//, ''))) ?? false
}

export function notModified(headers: Readonly<Record<string, string>>): Response {
  return new Response(null, { status: 304, headers })
}

/** Bytes whole, in part, or not again where they are as they were (RFC 9110). `content-type` is among the headers. */
export function bytesAnswer(
  request: Request,
  bytes: Uint8Array<ArrayBuffer>,
  tag: string,
  headers: Readonly<Record<string, string>>,
): Response {
  const told = { ...headers, etag: tag, 'accept-ranges': 'bytes' }
  if (names(request.headers.get('if-none-match'), tag)) return notModified(told)
  const whole = request.method === 'HEAD' || (request.headers.get('if-range') ?? tag) !== tag
  const wanted = rangeOf(whole ? null : request.headers.get('range'), bytes.length)
  if (wanted === 'none')
    return new Response(`The file has ${bytes.length} bytes.\n`, {
      status: 416,
      headers: { ...PLAIN, 'content-range': `bytes */${bytes.length}` },
    })
  const part = wanted ? bytes.subarray(wanted.start, wanted.end) : bytes
  return new Response(request.method === 'HEAD' ? null : part, {
    status: wanted ? 206 : 200,
    headers: {
      ...told,
      'content-length': String(part.length),
      ...(wanted ? { 'content-range': `bytes ${wanted.start}-${wanted.end - 1}/${bytes.length}` } : {}),
    },
  })
}

/** One range of a file of this size; `none` where it lies behind the end. What is not understood is no range: the whole file will do. */
function rangeOf(range: string | null, size: number): { start: number; end: number } | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range?.trim() ?? '') ?? []
  if (first === '' && last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (last !== '' && first !== '' && Number(last) < Number(first)) return undefined
  return start < end ? { start, end } : 'none'
}
