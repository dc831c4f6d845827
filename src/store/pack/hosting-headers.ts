import { mediaType } from '../../skill/media-types.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'

/** For every file: any page may read it, and no browser takes it for what it is not. */
const EVERY = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Content-Range',
  'X-Content-Type-Options': 'nosniff',
}
/** Named by its content. */
const FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' }
/** Asked for again each time; unchanged, it is not sent again. */
const FRESH = { 'Cache-Control': 'no-cache' }
/** Files of skills are strangers': opened by their address, they run nothing. */
const INERT = { 'Content-Security-Policy': 'sandbox' }
const GZIP = 'application/gzip'
const BINARY = 'application/octet-stream'
const SEGMENT = /^[0-9a-f]{16}\.seg$/

type Headers = Readonly<Record<string, string>>

/** The headers with which a file of a packed library should be served, by its path. */
export function headersFor(path: string): Headers {
  const type = { 'Content-Type': contentType(path) }
  if (SEGMENT.test(path)) return { ...EVERY, ...type, ...FOREVER }
  if (path.startsWith('files/')) return { ...EVERY, ...type, ...FOREVER, ...INERT }
  if (path.startsWith('.well-known/')) return { ...EVERY, ...type, ...FRESH, ...INERT }
  return { ...EVERY, ...type, ...FRESH }
}

/**
 * The same for hosts that read a `_headers` file (Cloudflare Pages and Workers, Netlify). What two rules say of one path such hosts join with
 * a comma, so no two say the same header.
 */
export function headersFile(segments: readonly string[]): string {
  const rules: [path: string, headers: Headers][] = [
    ['/*', EVERY],
    ['/files/*', { ...FOREVER, ...INERT }],
    ['/files/*.tgz', { 'Content-Type': GZIP }],
    ...segments.map((file): [string, Headers] => [`/${file}`, { ...FOREVER, 'Content-Type': BINARY }]),
    [`/${CATALOG_FILE}`, FRESH],
    ['/.well-known/*', { ...FRESH, ...INERT }],
  ]
  const blocks = rules.map(([path, headers]) =>
    [path, ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`)].join('\n'),
  )
  return `# Paths start at the root of the site: where the library stands in a folder of it, put that before them.\n${blocks.join('\n')}\n`
}

function contentType(path: string): string {
  const type = path.endsWith('.tgz') ? GZIP : mediaType(path)
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}
