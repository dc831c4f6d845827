/**
 * The page's URL: the query names the library and the language; the hash holds the open skill and file, or the view, and the message,
 * because browsers send a query to the host, but no hash.
 */

import { CHECKS, VIEWS, type View, viewHash } from './view-names.js'

const SKILL = '#/skill/'
const LIBRARY = 'library'
const FOLDER = 'folder'
const LANGUAGE = 'lang'
const MESSAGE = 'q'
const FILE = 'file'
/** Milliseconds without a keystroke before the URL gets the message. Browsers limit how often a page may change its URL. */
const PAUSE = 300
/** The state of history entries that have a message. A link of the page adds one with the state `null`. */
const OWN = { own: true }

/** The part of a {@link LibraryLocation} that fits into a URL. */
export interface LibraryQuery {
  address?: string | undefined
  /** The name of a folder. Only the page that opened it can read it. */
  folder?: string | undefined
}

/** Whether an address is of github.com: the page reads the repository, because github.com sends no files to other sites. */
export function isGithubUrl(address: string): boolean {
  return /^(?:https?:\/\/)?(?:www\.)?(?:github\.com|raw\.githubusercontent\.com)\//i.test(
    address.trim(),
  )
}

export function skillHash(id: string): string {
  return SKILL + id.split('/').map(encodeURIComponent).join('/')
}

/** The id of the skill that a hash names. */
export function parseSkillHash(hash: string): string | undefined {
  if (!hash.startsWith(SKILL)) return undefined
  const id = routeOf(hash).slice(SKILL.length)
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

/** The view that a hash names. */
export function parseViewHash(hash: string): View | undefined {
  return VIEWS.find(view => routeOf(hash) === viewHash(view))
}

export function goToSearch(): void {
  location.hash = '#/'
}

export function goToSkill(id: string): void {
  writeMessage()
  location.hash = skillHash(id)
}

/** The path of the file that a hash names, within its skill. */
export function parseFile(hash: string): string | undefined {
  return parametersOf(hash).get(FILE) ?? undefined
}

/** Puts the open file of a skill into the URL. `undefined` removes it. */
export function replaceFile(id: string, path: string | undefined): void {
  if (parseSkillHash(location.hash) === id) replaceParameter(FILE, path)
}

/** The message that a hash holds. */
export function parseMessage(hash: string): string {
  return parametersOf(hash).get(MESSAGE) ?? ''
}

let pending: { message: string; timer: ReturnType<typeof setTimeout> } | undefined

/** Puts the message into the URL after a pause, or with `writeMessage`. */
export function replaceMessage(message: string): void {
  clearTimeout(pending?.timer)
  pending = { message, timer: setTimeout(writeMessage, PAUSE) }
}

/** Puts the message into the URL now, before the page adds a history entry. */
export function writeMessage(): void {
  if (!pending) return
  const { message } = pending
  forgetMessage()
  if (message !== parseMessage(location.hash)) replaceParameter(MESSAGE, message)
}

function forgetMessage(): void {
  clearTimeout(pending?.timer)
  pending = undefined
}

/**
 * Called when the browser moves to another history entry. A new one keeps the message.
 * @returns The message of the entry.
 */
export function followMessage(message: string): string {
  forgetMessage()
  if (history.state === null && parseMessage(location.hash) === '') {
    replaceParameter(MESSAGE, message)
  }
  return parseMessage(location.hash)
}

/** Marks the entry that the page was opened with. */
export function markEntry(): void {
  history.replaceState(OWN, '')
}

/** The language that a query string names. */
export function parseLanguage(search: string): string | undefined {
  return new URLSearchParams(search).get(LANGUAGE) ?? undefined
}

/** Puts the language into the URL. */
export function replaceLanguage(language: string): void {
  const query = new URLSearchParams(location.search)
  query.set(LANGUAGE, language)
  history.replaceState(OWN, '', `?${query}${location.hash}`)
}

function routeOf(hash: string): string {
  return hash.replace(/\?.*$/, '')
}

function parametersOf(hash: string): URLSearchParams {
  return new URLSearchParams(hash.slice(routeOf(hash).length))
}

function replaceParameter(name: string, value: string | undefined): void {
  const route = routeOf(location.hash) || '#/'
  const parameters = parametersOf(location.hash)
  if (value) parameters.set(name, value)
  else parameters.delete(name)
  const hash = parameters.size > 0 ? `${route}?${parameters}` : route
  history.replaceState(OWN, '', location.pathname + location.search + hash)
}

/** The library that a query string names. */
export function parseLibraryQuery(search: string): LibraryQuery {
  const query = new URLSearchParams(search)
  const address = query.get(LIBRARY)?.trim() || undefined
  const folder = query.get(FOLDER) || undefined
  return address ? { address } : { folder }
}

/** Adds a history entry for the library that has been opened. Views that check a library stay open. */
export function goToLibrary(library: LibraryQuery): void {
  forgetMessage()
  const view = CHECKS.find(one => one === parseViewHash(location.hash))
  history.pushState(OWN, '', libraryHref(library, view ? viewHash(view) : '#/'))
}

/** A link to the open library and view that works elsewhere. */
export function publicHref(language: string): string {
  const query = new URLSearchParams(location.search)
  query.set(LANGUAGE, language)
  return new URL(`?${query}${routeOf(location.hash)}`, location.href).href
}

/** The URL of a skill in the page's own library, whichever library is open. */
export function ownSkillHref(id: string): string {
  return libraryHref({}, skillHash(id))
}

function libraryHref({ address, folder }: LibraryQuery, hash: string): string {
  const query = new URLSearchParams()
  const language = parseLanguage(location.search)
  if (language !== undefined) query.set(LANGUAGE, language)
  if (address !== undefined) query.set(LIBRARY, address)
  if (folder !== undefined) query.set(FOLDER, folder)
  return `${location.pathname}${query.size > 0 ? `?${query}` : ''}${hash}`
}
