/** The page's URL: the query names the library, the hash names the open skill or view. */

const SKILL = '#/skill/'
const LIBRARY = 'library'
const FOLDER = 'folder'
const MODELS = 'models'

export const VIEWS = ['tokens', 'prompts', 'tests', 'installed'] as const
export type View = (typeof VIEWS)[number]

/** The part of a {@link LibraryLocation} that fits into a URL. */
export interface LibraryQuery {
  address?: string | undefined
  /** The name of a folder. Only the page that opened it can read it. */
  folder?: string | undefined
}

export function skillHash(id: string): string {
  return SKILL + id.split('/').map(encodeURIComponent).join('/')
}

/** The id of the skill that a hash names. */
export function parseSkillHash(hash: string): string | undefined {
  if (!hash.startsWith(SKILL)) return undefined
  const id = hash.slice(SKILL.length)
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

export function viewHash(view: View): string {
  return `#/${view}`
}

/** The view that a hash names. */
export function parseViewHash(hash: string): View | undefined {
  return VIEWS.find(view => hash === viewHash(view))
}

export function goToSearch(): void {
  location.hash = '#/'
}

export function goToSkill(id: string): void {
  location.hash = skillHash(id)
}

/** The library that a query string names. */
export function parseLibraryQuery(search: string): LibraryQuery {
  const query = new URLSearchParams(search)
  const address = query.get(LIBRARY)?.trim() || undefined
  const folder = query.get(FOLDER) || undefined
  return address ? { address } : { folder }
}

/** Adds a history entry for the library that has been opened. */
export function goToLibrary(library: LibraryQuery): void {
  history.pushState(null, '', libraryHref(library, '#/'))
}

/** The URL of a skill in the page's own library, whichever library is open. */
export function ownSkillHref(id: string): string {
  return libraryHref({}, skillHash(id))
}

function libraryHref({ address, folder }: LibraryQuery, hash: string): string {
  const query = new URLSearchParams()
  const models = parseModelsQuery(location.search)
  if (models !== undefined) query.set(MODELS, models)
  if (address !== undefined) query.set(LIBRARY, address)
  if (folder !== undefined) query.set(FOLDER, folder)
  return `${location.pathname}${query.size > 0 ? `?${query}` : ''}${hash}`
}

/** The folder on this host with the model files, such as `/models/`. Without it they come from the Hugging Face Hub. */
export function parseModelsQuery(search: string): string | undefined {
  const path = new URLSearchParams(search).get(MODELS)
  // `//` would name another host.
  return path && /^\/(?!\/)/.test(path) ? path.replace(/\/?$/, '/') : undefined
}
