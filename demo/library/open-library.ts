import { type Diagnostic, isSkillshelfError, openLibrary } from 'skillshelf'
import type { Library, LibraryLocation, LibraryPart } from '../context.js'
import { messageOf } from '../dom.js'
import { isGithubUrl } from '../url.js'
import { sourceOf } from './bundled-model.js'
import { droppedFolder, type Folder } from './folder.js'
import { folderSource } from './folder-source.js'
import { onDiagnostic } from './on-diagnostic.js'
import { fetchedAhead, namesOf } from './repository-source.js'
import { partsOf } from './several.js'

/** A request to open a library. Dropped entries are read first. */
export type OpenRequest =
  | LibraryLocation
  | { kind: 'all'; requests: readonly OpenRequest[] }
  | { kind: 'github'; repository: string }
  | { kind: 'folder'; folder: Folder }
  | { kind: 'drop'; entries: readonly FileSystemEntry[] }

/** Why skills could not be opened or installed. Plain data: error-notice.ts writes it in the page's language. */
export type PageError =
  | { kind: 'samples-missing' | 'empty' }
  | { kind: 'samples-unreadable'; detail: string }
  | { kind: 'not-packed' | 'no-answer' | 'cors' | 'policy' | 'invalid-address'; where: string }
  | { kind: 'status'; where: string; status: number }
  | { kind: 'damaged' | 'folder-unreadable'; where: string; detail: string }
  | {
      kind: 'archive-damaged' | 'archive-unsupported' | 'archive-too-large'
      where: string
      detail: string
    }
  | {
      kind: 'storage-full' | 'storage-unavailable' | 'storage-failed' | 'install-failed'
      where: string
      detail: string
    }
  | {
      kind: 'github-missing' | 'github-limit' | 'github-failed' | 'invalid-repository'
      where: string
      detail: string
    }
  | { kind: 'folder-gone'; where: string }
  | { kind: 'no-skills'; where: string; files: number; diagnostics: readonly Diagnostic[] }

export type OpenResult = { location: LibraryLocation; library: Library } | { error: PageError }

export interface OpenOptions {
  signal: AbortSignal
  /** Called with the number of files found so far in a dropped folder. */
  onFound(files: number): void
  onRead(done: number, total: number): void
  /** Called with a library that finds skills by their names while their texts load. */
  onNames?(names: Library): void
}

/**
 * Opens a library at an address, in a folder, or in dropped files.
 * @throws SkillshelfError `aborted`, or the signal's reason
 */
export async function openOther(request: OpenRequest, options: OpenOptions): Promise<OpenResult> {
  if (request.kind === 'samples') throw new Error('The samples are opened by current-library.ts')
  if (request.kind === 'address') {
    return isGithubUrl(request.address)
      ? openRepository(request.address.trim(), options)
      : openAddress(request.address, options)
  }
  if (request.kind === 'all') return openSeveral(request.requests, options)
  if (request.kind === 'several') return openSeveral(request.parts, options)
  if (request.kind === 'github') return openRepository(request.repository, options)
  if (request.kind === 'folder') return openFolder(request.folder, options)
  const folder = await readDrop(request.entries, options)
  return 'error' in folder ? folder : openFolder(folder, options)
}

/**
 * Opens libraries together, as an agent has them: of skills with the same name, that of the first is used. Those that are open already are
 * not read again.
 */
async function openSeveral(
  requests: readonly OpenRequest[],
  { signal, onFound, onRead }: OpenOptions,
): Promise<OpenResult> {
  const parts: LibraryPart[] = []
  for (const request of requests) {
    if ('source' in request) {
      parts.push(request)
      continue
    }
    // Its library is not closed: the one of all shares its source.
    const result = await openOther(request, { signal, onFound, onRead })
    if ('error' in result) return result
    parts.push(...partsOf(result.location))
  }
  const library = await openLibrary(parts.map(sourceOf), { signal, embedder: false, onDiagnostic })
  return { location: { kind: 'several', parts }, library }
}

/** Lists dropped files and folders. */
export async function readDrop(
  entries: readonly FileSystemEntry[],
  options: Pick<OpenOptions, 'signal' | 'onFound'>,
): Promise<Folder | { error: PageError }> {
  try {
    return await droppedFolder(entries, options)
  } catch (error) {
    options.signal.throwIfAborted()
    return {
      error: { kind: 'folder-unreadable', where: entries[0]?.name ?? '', detail: messageOf(error) },
    }
  }
}

async function openFolder(folder: Folder, { signal, onRead }: OpenOptions): Promise<OpenResult> {
  const source = folderSource(folder)
  const where = folder.name
  let files: number
  try {
    files = (await source.list({ signal })).length
  } catch (error) {
    signal.throwIfAborted()
    return { error: archiveError(error, where) }
  }
  const library = await openLibrary(source, {
    signal,
    // The page adds the model later: see bundled-model.ts.
    embedder: false,
    onDiagnostic,
    onProgress: ({ done, total = done }) => onRead(done, total),
  })
  const { skills, diagnostics } = library.snapshot
  const failed = diagnostics.find(({ code }) => code === 'source-unreadable')
  if (skills.length > 0 && !failed) return { location: { kind: 'folder', folder, source }, library }
  await library.close()
  if (failed) return { error: { kind: 'folder-unreadable', where, detail: failed.message } }
  return { error: { kind: 'no-skills', where, files, diagnostics } }
}

async function openRepository(repository: string, options: OpenOptions): Promise<OpenResult> {
  const names = repository.split(/[\s,]+/).filter(name => name !== '')
  if (names.length > 1 && names.every(name => name.includes('/'))) {
    const requests = names.map((name): OpenRequest => ({ kind: 'github', repository: name }))
    return openSeveral(requests, options)
  }
  const { signal, onRead, onNames } = options
  const where = repository
  try {
    const { github } = await import('skillshelf/sources')
    const source = fetchedAhead(github(repository))
    const files = (await source.list({ signal })).length
    const named = onNames && (await namesOf(source, signal))
    if (named && named.snapshot.skills.length > 0) onNames(named)
    const library = await openLibrary(source, {
      signal,
      strict: true,
      embedder: false,
      onDiagnostic,
      onProgress: ({ done, total = done }) => onRead(done, total),
    })
    const { skills, diagnostics } = library.snapshot
    if (skills.length > 0) return { location: { kind: 'github', repository, source }, library }
    await library.close()
    return { error: { kind: 'no-skills', where, files, diagnostics } }
  } catch (error) {
    signal.throwIfAborted()
    const status = isSkillshelfError(error) ? error.details.status : undefined
    const kind = isSkillshelfError(error, 'source-not-found')
      ? 'github-missing'
      : isSkillshelfError(error, 'invalid-input')
        ? 'invalid-repository'
        : status === 403 || status === 429
          ? 'github-limit'
          : 'github-failed'
    return { error: { kind, where, detail: messageOf(error) } }
  }
}

/** Why an archive could not be unpacked. */
export function archiveError(error: unknown, where: string): PageError {
  const kind = isSkillshelfError(error, 'too-large')
    ? 'archive-too-large'
    : isSkillshelfError(error, 'unsupported')
      ? 'archive-unsupported'
      : isSkillshelfError(error, 'format')
        ? 'archive-damaged'
        : 'folder-unreadable'
  return { kind, where, detail: messageOf(error) }
}

async function openAddress(address: string, { signal, onRead }: OpenOptions): Promise<OpenResult> {
  const url = parseAddress(address)
  if (!url) return { error: { kind: 'invalid-address', where: address } }
  const where = url.href
  // Mixed content, and blocked by the page's own policy too: no need to try.
  if (
    url.protocol === 'http:' &&
    url.origin !== location.origin &&
    !/^(?:localhost|127\.0\.0\.1)$/.test(url.hostname)
  ) {
    return { error: { kind: 'policy', where } }
  }
  let blocked = false
  const onViolation = ({ blockedURI }: SecurityPolicyViolationEvent): void => {
    blocked ||= blockedURI.startsWith(url.origin)
  }
  document.addEventListener('securitypolicyviolation', onViolation)
  try {
    const library = await openLibrary(url, {
      strict: true,
      signal,
      embedder: false,
      onDiagnostic,
      onProgress: ({ done, total = done }) => onRead(done, total),
    })
    if (library.snapshot.skills.length > 0) {
      return { location: { kind: 'address', address: where }, library }
    }
    await library.close()
    return { error: { kind: 'empty' } }
  } catch (error) {
    signal.throwIfAborted()
    if (!isNetworkError(error)) return { error: addressError(error, where) }
    if (blocked) return { error: { kind: 'policy', where } }
    return { error: { kind: (await responds(url, signal)) ? 'cors' : 'no-answer', where } }
  } finally {
    document.removeEventListener('securitypolicyviolation', onViolation)
  }
}

/** Parses an address as people type it: the scheme may be missing. */
function parseAddress(text: string): URL | undefined {
  const scheme = /^(?:localhost|127\.0\.0\.1)(?=[:/]|$)/.test(text)
    ? 'http://'
    : /^[a-z\d-]+(?:\.[a-z\d-]+)+(?=[:/]|$)/i.test(text)
      ? 'https://'
      : ''
  try {
    const url = new URL(scheme + text, document.baseURI)
    return /^https?:$/.test(url.protocol) ? url : undefined
  } catch {
    return undefined
  }
}

/** Whether `fetch` rejected with a `TypeError`: the host is unreachable, or CORS hides its response. */
function isNetworkError(error: unknown): boolean {
  return isSkillshelfError(error, 'source-failed') && error.cause instanceof TypeError
}

/** Whether a host responds at all, even if CORS hides the response. */
async function responds(url: URL, signal: AbortSignal): Promise<boolean> {
  try {
    await fetch(url, { mode: 'no-cors', credentials: 'omit', signal })
    return true
  } catch {
    signal.throwIfAborted()
    return false
  }
}

/** Why the samples could not be opened. */
export function samplesError(error: unknown): PageError {
  if (isSkillshelfError(error, 'source-not-found')) return { kind: 'samples-missing' }
  return { kind: 'samples-unreadable', detail: messageOf(error) }
}

function addressError(error: unknown, where: string): PageError {
  if (isSkillshelfError(error, 'source-not-found')) return { kind: 'not-packed', where }
  const status = isSkillshelfError(error) ? error.details.status : undefined
  if (status !== undefined) return { kind: 'status', where, status }
  return { kind: 'damaged', where, detail: messageOf(error) }
}
