const SKILL = '#/skill/'
const LIBRARY = 'library'
const FOLDER = 'folder'
const MODELS = 'models'

/** Where the skills come from that are kept in this browser: their ids begin with it. */
export const MINE = 'mine'

export const VIEWS = ['tokens', 'model', 'tests', 'mine'] as const
export type View = (typeof VIEWS)[number]

/** The address of a skill inside the page; it can be sent to others. */
export function skillHash(id: string): string {
  return SKILL + id.split('/').map(encodeURIComponent).join('/')
}

/** The skill that an address names. */
export function skillOf(hash: string): string | undefined {
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

export function viewOf(hash: string): View | undefined {
  return VIEWS.find(view => hash === viewHash(view))
}

export function goToShelf(): void {
  location.hash = '#/'
}

export function goToSkill(id: string): void {
  location.hash = skillHash(id)
}

/** The library that the address of the page names: one that can be sent to others, or a folder that only this page had. */
export function libraryOf(search: string): { address?: string; folder?: string } {
  const query = new URLSearchParams(search)
  const address = query.get(LIBRARY)?.trim()
  const folder = query.get(FOLDER)
  return { ...(address ? { address } : folder ? { folder } : {}) }
}

/** Writes into the address of the page which library is open. */
export function goToLibrary(library: { address?: string; folder?: string }): void {
  history.pushState(null, '', hrefOf(library, '#/'))
}

/** The address of a skill of the page's own library, whatever is open. */
export function ownHref(id: string): string {
  return hrefOf({}, skillHash(id))
}

function hrefOf({ address, folder }: { address?: string; folder?: string }, hash: string): string {
  const query = new URLSearchParams()
  const models = modelsOf(location.search)
  if (models !== undefined) query.set(MODELS, models)
  if (address !== undefined) query.set(LIBRARY, address)
  if (folder !== undefined) query.set(FOLDER, folder)
  return `${location.pathname}${query.size > 0 ? `?${query}` : ''}${hash}`
}

/** The folder of this host that has the files of models, such as `/models/`; by default they come from their hub. */
export function modelsOf(search: string): string | undefined {
  const path = new URLSearchParams(search).get(MODELS)
  // Of this host: `//` would name another.
  return path && /^\/(?!\/)/.test(path) ? path.replace(/\/?$/, '/') : undefined
}
