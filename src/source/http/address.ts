import { SkillshelfError } from '../../core/errors.js'
import { CATALOG_FILE } from '../catalog-file.js'

/** What the address of a file of its own ends in: an archive, a bundle or index, a SKILL.md. */
const FILE = /\.(?:zip|skill|tar|tgz|tar\.gz|json|md)$/i
/** Files that are called as what they stand in is called. */
const NAMELESS = /\/(?:skillshelf\.json|index\.json|skill\.md)$/i
const WELL_KNOWN = /\/\.well-known\/(?:agent-)?skills\/?$/i

/** What an address says before anything is asked. */
export interface Place {
  /** As it was given, without a fragment. */
  given: URL
  /** The folder that paths are relative to. */
  base: URL
  name: string
}

/**
 * Whether an address names one file, which is all that may be meant by it: by the end of its path. `skillshelf.json` stands for its
 * folder.
 */
export function isFileAddress(pathname: string): boolean {
  return FILE.test(pathname) && !pathname.endsWith(`/${CATALOG_FILE}`)
}

/** @throws SkillshelfError `invalid-input` */
export function placeOf(address: string | URL): Place {
  const given = parse(address)
  given.hash = ''
  const base = new URL(given)
  base.search = ''
  const file = isFileAddress(base.pathname) || base.pathname.endsWith(`/${CATALOG_FILE}`)
  base.pathname = file ? base.pathname.replace(/[^/]*$/, '') : base.pathname.replace(/\/?$/, '/')
  return { given, base, name: nameOf(given) }
}

function parse(address: string | URL): URL {
  try {
    const url = new URL(address, globalThis.location?.href)
    // `C:\\skills` is read as a scheme; what `fetch` does with files is nothing, or not the same anywhere.
    if (!url.pathname.startsWith('/') || url.protocol === 'file:') throw new TypeError(`${url.protocol} has no folders`)
    return url
  } catch (error) {
    throw new SkillshelfError(
      'invalid-input',
      `Not an address: ${String(address)}`,
      {
        subject: String(address),
        hint: 'give an absolute URL; to open a folder in Node use directory() from skillshelf/node',
      },
      error,
    )
  }
}

/** The last part of the address's path as people read it, without what its kind is called, or the host. */
function nameOf({ pathname, host }: URL): string {
  const path = pathname.replace(NAMELESS, '/').replace(WELL_KNOWN, '/')
  const last = path.replace(FILE, '').split('/').filter(Boolean).at(-1)
  if (!last) return host || 'http'
  try {
    const name = decodeURIComponent(last)
    return name.includes('/') ? last : name
  } catch {
    return last
  }
}
