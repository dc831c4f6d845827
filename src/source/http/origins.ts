import { SkillshelfError } from '../../core/errors.js'

/** Hosts of private networks. `URL` has normalized every IP address. */
const PRIVATE_HOSTS = [
  /^(?:.*\.)?(?:localhost|local|internal|home\.arpa)\.?$/,
  /^(?:0|10|127)\.\d+\.\d+\.\d+$/,
  /^(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.\d+\.\d+$/,
  /^\[(?:::.*|f[cd].*|fe[89ab].*)\]$/,
]

/**
 * Creates the allowlist check of a source. It throws `source-failed` for a URL that the source must not read.
 * @param base The source's own URL. Its origin is always allowed.
 * @param origins Other allowed origins. `'any'`: https, http if `base` is http, private hosts only if `base` is private.
 * @throws SkillshelfError `invalid-input` for a malformed origin
 */
export function createOriginCheck(base: URL, origins: 'any' | readonly string[]): (url: URL) => void {
  const allowlist = origins === 'any' ? undefined : new Set(origins.map(parseOrigin))
  const isAllowed = (url: URL): boolean => {
    if (isSameOrigin(url, base)) return true
    if (allowlist) return allowlist.has(url.origin)
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && base.protocol === 'http:')) return false
    return !isPrivate(url.hostname) || isPrivate(base.hostname)
  }
  return url => {
    if (isAllowed(url)) return
    throw new SkillshelfError('source-failed', `${url.href.slice(0, 200)} may not be read from ${base.href}`, {
      subject: url.href,
      hint: `if you trust it, pass origins: [${JSON.stringify(url.origin)}] to http()`,
    })
  }
}

/** Compares scheme and host: `URL.origin` is `null` for every unknown scheme. */
export function isSameOrigin(a: URL, b: URL): boolean {
  return a.protocol === b.protocol && a.host === b.host
}

function isPrivate(hostname: string): boolean {
  return PRIVATE_HOSTS.some(pattern => pattern.test(hostname))
}

function parseOrigin(origin: string): string {
  try {
    return new URL(origin).origin
  } catch (error) {
    throw new SkillshelfError(
      'invalid-input',
      `\`origins\` contains ${JSON.stringify(origin)}, which is not an origin`,
      { subject: origin, hint: 'give origins such as https://cdn.example.com' },
      error,
    )
  }
}
