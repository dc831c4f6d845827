import type { LibraryLocation } from '../context.js'
import { isGithubUrl, type LibraryQuery, parseLibraryQuery } from '../url.js'
import type { Folder } from './folder.js'
import type { OpenRequest } from './open-library.js'

/** Begins the address of a repository in the page's URL. */
const GITHUB = 'github:'
/** Between the addresses of several libraries. */
const SEVERAL = ' '

/**
 * The library that the page's URL names; `undefined` for a folder that the page can no longer read.
 * @param lastFolder The last folder that was opened: the browser's back button can return to it.
 */
export function requestOfUrl(
  search: string,
  lastFolder: Folder | undefined,
): OpenRequest | undefined {
  const { address, folder } = parseLibraryQuery(search)
  const requests = (address ?? '').split(SEVERAL).filter(Boolean).map(requestOf)
  if (requests.length > 1) return { kind: 'all', requests }
  if (requests[0]) return requests[0]
  if (folder === undefined) return { kind: 'samples' }
  return lastFolder?.name === folder ? { kind: 'folder', folder: lastFolder } : undefined
}

/** What opens an address of the page's URL. */
function requestOf(address: string): OpenRequest {
  return address.startsWith(GITHUB)
    ? { kind: 'github', repository: address.slice(GITHUB.length) }
    : { kind: 'address', address }
}

/** What names a library in the page's URL. Of several, those that a link can open. */
export function queryOf(location: LibraryLocation | undefined): LibraryQuery {
  if (location?.kind === 'several') {
    const queries = location.parts.map(queryOf)
    const addresses = queries.flatMap(({ address }) => address ?? [])
    if (addresses.length > 0) return { address: addresses.join(SEVERAL) }
    return { folder: queries.flatMap(({ folder }) => folder ?? []).join(', ') }
  }
  if (location?.kind === 'address') return { address: location.address }
  if (location?.kind === 'github') {
    return {
      address: isGithubUrl(location.repository)
        ? location.repository
        : GITHUB + location.repository,
    }
  }
  return { folder: location?.kind === 'folder' ? location.folder.name : undefined }
}
