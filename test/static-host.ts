import { digestOf } from '../src/core/digest.js'
import type { Files } from './packed-files.js'

const MODIFIED = 'Wed, 21 Oct 2015 07:28:00 GMT'

/** What a static host answers below `/skills/`: with ETags or dates, conditional requests and ranges. */
export function staticHost(files: Files, { dates = false, ranges = true } = {}) {
  return (url: string, headers: Readonly<Record<string, string>>): Response => {
    const content = files[decodeURIComponent(new URL(url).pathname).replace('/skills/', '')]
    if (content === undefined)
      return new Response('<h1>404</h1>', { status: 404, headers: { 'content-type': 'text/html' } })
    const bytes = new Uint8Array(
      typeof content === 'string' ? new TextEncoder().encode(content) : content,
    )
    const etag = `"${digestOf(bytes).slice(7, 23)}"`
    const version: Record<string, string> = dates ? { 'last-modified': MODIFIED } : { etag }
    const known = headers['if-none-match'] ?? headers['if-modified-since']
    if (known !== undefined && Object.values(version).includes(known))
      return new Response(null, { status: 304, headers: version })
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers['range'] ?? '') ?? []
    if (!ranges || from === undefined) return new Response(bytes, { headers: version })
    if (Number(from) >= bytes.length)
      return new Response('no such range', {
        status: 416,
        headers: { 'content-range': `bytes */${bytes.length}` },
      })
    const part = bytes.slice(Number(from), to ? Number(to) + 1 : undefined)
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`
    return new Response(part, { status: 206, headers: { ...version, 'content-range': range } })
  }
}
