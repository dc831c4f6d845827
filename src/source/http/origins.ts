import { SkillshelfError } from '../../core/errors.js'

/** Names and numbers of machines that only their own network reaches. Addresses come in their one canonical spelling. */
const PRIVATE = [
  /^(?:.*\.)?(?:localhost|local|internal|home\.arpa)\.?$/,
  /^(?:0|10|127)\.\d+\.\d+\.\d+$/,
  /^(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.\d+\.\d+$/,
  /^\[(?:::.*|f[cd].*|fe[89ab].*)\]$/,
]

/**
 * A check whether an address may be read from a place. Its own origin may; others as `origins` says. `any`: https, http where the place
 * is http itself, and machines of a private network only from within one.
 * @throws SkillshelfError `invalid-input` for what is no origin
 */
export function originCheck(base: URL, origins: 'any' | readonly string[]): (url: URL) => void {
  const listed = origins === 'any' ? undefined : new Set(origins.map(originOf))
  const mayRead = (url: URL): boolean => {
    if (isSameOrigin(url, base)) return true
    if (listed) return listed.has(url.origin)
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && base.protocol === 'http:')) return false
    return !isPrivate(url.hostname) || isPrivate(base.hostname)
  }
  return url => {
    if (mayRead(url)) return
    throw new SkillshelfError('source-failed', `${url.href.slice(0, 200)} may not be read from ${base.href}`, {
      subject: url.href,
      hint: `where it is to be trusted, give http() origins: [${JSON.stringify(url.origin)}]`,
    })
  }
}

/** The origin of schemes that the platform does not know is `null` for all of them. */
export function isSameOrigin(a: URL, b: URL): boolean {
  return a.protocol === b.protocol && a.host === b.host
}

function isPrivate(hostname: string): boolean {
  return PRIVATE.some(pattern => pattern.test(hostname))
}

function originOf(origin: string): string {
  try {
    return new URL(origin).origin
  } catch (error) {
    throw new SkillshelfError(
      'invalid-input',
      `origins has ${JSON.stringify(origin)}`,
      { subject: origin, hint: 'give origins such as https://cdn.example.com' },
      error,
    )
  }
}
