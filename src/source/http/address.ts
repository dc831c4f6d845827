import { SkillshelfError } from '../../core/errors.js'
import { tryDecode } from '../../core/paths.js'
import { CATALOG_FILE } from '../catalog-file.js'

/** Extensions of a URL that names one file: an archive, a bundle, an index or a SKILL.md. */
const FILE = /\.(?:zip|skill|tar|tgz|tar\.gz|json|md)$/i
/** File names that say nothing about the source, so its folder gives the name. */
const GENERIC_FILE = /\/(?:skillshelf\.json|index\.json|skill\.md)$/i
const WELL_KNOWN = /\/\.well-known\/(?:agent-)?skills\/?$/i

/** Whether a URL path names a single file rather than a folder. `skillshelf.json` counts as its folder. */
export function isFileAddress(pathname: string): boolean {
  return FILE.test(pathname) && !pathname.endsWith(`/${CATALOG_FILE}`)
}

/**
 * @returns The URL as given, without its fragment; the folder that paths are relative to; the default name of the source.
 * @throws SkillshelfError `invalid-input`
 */
export function parseAddress(address: string | URL): { url: URL; base: URL; name: string } {
  const url = parseUrl(address)
  url.hash = ''
  const base = new URL(url)
  base.search = ''
  base.pathname = FILE.test(base.pathname)
    ? base.pathname.slice(0, base.pathname.lastIndexOf('/') + 1)
    : base.pathname.replace(/\/?$/, '/')
  return { url, base, name: sourceName(url) }
}

function parseUrl(address: string | URL): URL {
  try {
    const url = new URL(address, globalThis.location?.href)
    // `C:\\skills` parses as a scheme. `fetch` of file URLs differs between platforms.
    if (!url.pathname.startsWith('/') || url.protocol === 'file:') {
      throw new TypeError(`${url.protocol} has no folders`)
    }
    return url
  } catch (error) {
    const subject = String(address)
    const hint =
      'give an absolute URL; to open a folder in Node use directory() from skillshelf/node'
    throw new SkillshelfError(
      'invalid-input',
      `Not an address: ${subject}`,
      { subject, hint },
      error,
    )
  }
}

/** The last part of the path without its file extension, or the host. */
function sourceName({ pathname, host }: URL): string {
  const path = pathname.replace(GENERIC_FILE, '/').replace(WELL_KNOWN, '/')
  const last = path.replace(FILE, '').split('/').filter(Boolean).at(-1)
  if (!last) return host || 'http'
  const name = tryDecode(last)
  return name === undefined || name.includes('/') ? last : name
}
