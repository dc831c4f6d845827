import { type Diagnostic, isSkillshelfError, openLibrary, type Progress } from 'skillshelf'
import type { Library, Place } from './desk.js'
import { droppedFolder, type Folder } from './folder.js'
import { sourceOf } from './folder-source.js'

/** What is asked to be opened; what was dropped has to be looked through first. */
export type Wanted =
  | Exclude<Place, { kind: 'folder' }>
  | { kind: 'folder'; folder: Folder }
  | { kind: 'drop'; entries: readonly FileSystemEntry[] }

/** Why skills could not be opened or kept. Plain data: it is said in whatever language the page speaks. */
export type Trouble =
  | { kind: 'no-samples' | 'empty' }
  | { kind: 'unreadable-samples'; detail: string }
  | { kind: 'not-packed' | 'no-answer' | 'cors' | 'policy' | 'bad-address'; where: string }
  | { kind: 'status'; where: string; status: number }
  | { kind: 'damaged' | 'folder-failed'; where: string; detail: string }
  | { kind: 'archive-broken' | 'archive-locked' | 'archive-large'; where: string; detail: string }
  | { kind: 'no-room' | 'no-store' | 'not-kept' | 'not-done'; where: string; detail: string }
  | { kind: 'folder-gone'; where: string }
  | { kind: 'no-skills'; where: string; amount: number; diagnostics: readonly Diagnostic[] }

export type Opened = { place: Place; library: Library } | { trouble: Trouble }

export interface OpenOptions {
  signal: AbortSignal
  /** How many files of a dropped folder were found so far. */
  onFound(amount: number): void
  onProgress(done: number, total: number): void
}

/**
 * Opens what a person asked for.
 * @throws SkillshelfError `aborted`, or the signal's reason
 */
export async function openPlace(wanted: Wanted, options: OpenOptions): Promise<Opened> {
  if (wanted.kind === 'samples') throw new Error('The page opens the samples by itself')
  if (wanted.kind === 'address') return openAddress(wanted.address, options)
  if (wanted.kind === 'folder') return openFolder(wanted.folder, options)
  const folder = await lookThrough(wanted.entries, options)
  return 'trouble' in folder ? folder : openFolder(folder, options)
}

/** What was dropped, as a folder. */
export async function lookThrough(
  entries: readonly FileSystemEntry[],
  options: Pick<OpenOptions, 'signal' | 'onFound'>,
): Promise<Folder | { trouble: Trouble }> {
  try {
    return await droppedFolder(entries, options)
  } catch (error) {
    options.signal.throwIfAborted()
    return { trouble: { kind: 'folder-failed', where: entries[0]?.name ?? '', detail: messageOf(error) } }
  }
}

async function openFolder(folder: Folder, options: OpenOptions): Promise<Opened> {
  const source = sourceOf(folder)
  let amount: number
  try {
    amount = (await source.list({ signal: options.signal })).length
  } catch (error) {
    options.signal.throwIfAborted()
    return { trouble: archiveTrouble(error, folder.name) }
  }
  const library = await openLibrary(source, openingOptions(options))
  const { skills, diagnostics } = library.snapshot
  const failed = diagnostics.find(({ code }) => code === 'source-unreadable')
  if (skills.length > 0 && !failed) return { place: { kind: 'folder', folder, source }, library }
  await library.close()
  if (failed) return { trouble: { kind: 'folder-failed', where: folder.name, detail: failed.message } }
  return { trouble: { kind: 'no-skills', where: folder.name, amount, diagnostics } }
}

/** Why an archive could not be unpacked. */
export function archiveTrouble(error: unknown, where: string): Trouble {
  const kind = isSkillshelfError(error, 'too-large')
    ? 'archive-large'
    : isSkillshelfError(error, 'unsupported')
      ? 'archive-locked'
      : isSkillshelfError(error, 'format')
        ? 'archive-broken'
        : 'folder-failed'
  return { kind, where, detail: messageOf(error) }
}

async function openAddress(address: string, options: OpenOptions): Promise<Opened> {
  const url = addressOf(address)
  if (!url) return { trouble: { kind: 'bad-address', where: address } }
  // Known before anything is asked: a page served over https may not, and the policy of this page does not either.
  if (url.protocol === 'http:' && url.origin !== location.origin && !/^(?:localhost|127\.0\.0\.1)$/.test(url.hostname))
    return { trouble: { kind: 'policy', where: url.href } }
  let stopped = false
  const notice = ({ blockedURI }: SecurityPolicyViolationEvent): void => {
    stopped ||= blockedURI.startsWith(url.origin)
  }
  document.addEventListener('securitypolicyviolation', notice)
  try {
    const library = await openLibrary(url, { strict: true, ...openingOptions(options) })
    if (library.snapshot.skills.length > 0) return { place: { kind: 'address', address: url.href }, library }
    await library.close()
    return { trouble: { kind: 'empty' } }
  } catch (error) {
    options.signal.throwIfAborted()
    if (!isNetworkFailure(error)) return { trouble: troubleOf(error, url.href) }
    if (stopped) return { trouble: { kind: 'policy', where: url.href } }
    return { trouble: { kind: (await answers(url, options.signal)) ? 'cors' : 'no-answer', where: url.href } }
  } finally {
    document.removeEventListener('securitypolicyviolation', notice)
  }
}

function openingOptions({ signal, onProgress }: OpenOptions) {
  return {
    signal,
    onProgress: ({ done, total = done }: Progress) => onProgress(done, total),
  }
}

/** An address as people write it: a bare host is taken for one too. */
function addressOf(text: string): URL | undefined {
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

/** A host that cannot be reached, and one that keeps its answer from other pages, look the same: `fetch` gives a `TypeError`. */
function isNetworkFailure(error: unknown): boolean {
  return isSkillshelfError(error, 'source-failed') && error.cause instanceof TypeError
}

/** Whether a host answers at all, even where its answer may not be read. */
async function answers(url: URL, signal: AbortSignal): Promise<boolean> {
  try {
    await fetch(url, { mode: 'no-cors', credentials: 'omit', signal })
    return true
  } catch {
    signal.throwIfAborted()
    return false
  }
}

/** Why the library beside the page could not be opened. */
export function samplesTrouble(error: unknown): Trouble {
  if (isSkillshelfError(error, 'source-not-found')) return { kind: 'no-samples' }
  return { kind: 'unreadable-samples', detail: messageOf(error) }
}

function troubleOf(error: unknown, where: string): Trouble {
  if (isSkillshelfError(error, 'source-not-found')) return { kind: 'not-packed', where }
  const status = isSkillshelfError(error) ? error.details.status : undefined
  if (status !== undefined) return { kind: 'status', where, status }
  return { kind: 'damaged', where, detail: messageOf(error) }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
