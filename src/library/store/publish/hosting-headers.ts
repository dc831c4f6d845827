import { SANDBOX_POLICY } from '../../../core/sanitize.js'
import { mediaType } from '../../../skill/media-types.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'

/** Allows any page to read the files, and disables MIME sniffing. */
const EVERY = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Content-Range',
  'X-Content-Type-Options': 'nosniff',
}
/** For files named by digest. */
const FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' }
/** For files that change: revalidated on every request. */
const FRESH = { 'Cache-Control': 'no-cache' }
const INERT = { 'Content-Security-Policy': SANDBOX_POLICY }
const GZIP = 'application/gzip'
const BINARY = 'application/octet-stream'
const INDEX_FILE = /^[0-9a-f]{16}\.(?:seg|vec)$/

type Headers = Readonly<Record<string, string>>

/** The response headers for a file of a packed library or a folder of skills. Any file may be an SVG or a page that runs scripts. */
export function headersFor(path: string): Headers {
  const isNamedByDigest = INDEX_FILE.test(path) || path.startsWith('files/')
  return {
    ...EVERY,
    ...INERT,
    ...(isNamedByDigest ? FOREVER : FRESH),
    'Content-Type': contentType(path),
  }
}

/** The same as a `_headers` file. Hosts join the values of matching rules with a comma, so no two matching rules set one header. */
export function headersFile(indexFiles: readonly string[]): string {
  const rules: [path: string, headers: Headers][] = [
    ['/*', EVERY],
    ['/files/*', { ...FOREVER, ...INERT }],
    ['/files/*.tgz', { 'Content-Type': GZIP }],
    ...indexFiles.map((file): [string, Headers] => [
      `/${file}`,
      { ...FOREVER, 'Content-Type': BINARY },
    ]),
    [`/${CATALOG_FILE}`, FRESH],
    ['/.well-known/*', { ...FRESH, ...INERT }],
  ]
  const blocks = rules.map(([path, headers]) =>
    [path, ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`)].join('\n'),
  )
  return `# Paths start at the root of the site. If the library is in a folder, prefix them with it.\n${blocks.join('\n')}\n`
}

function contentType(path: string): string {
  const type = path.endsWith('.tgz') ? GZIP : mediaType(path)
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}
