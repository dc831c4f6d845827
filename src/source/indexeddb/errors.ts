import { SkillshelfError } from '../../core/errors.js'
import { storageQuota } from './quota.js'

/** Why a database could not be opened or removed: `what`. */
export async function openError(error: unknown, database: string, what: string): Promise<SkillshelfError> {
  const unsupported = (message: string, hint: string): SkillshelfError =>
    new SkillshelfError('unsupported', message, { subject: database, hint }, error)
  if (!(globalThis as { indexedDB?: unknown }).indexedDB)
    return unsupported('There is no IndexedDB here', 'use it in a page or in a Web Worker')
  switch (errorName(error)) {
    // As browsers have it for blocked cookies, for frames without an origin, for private windows.
    case 'SecurityError':
    case 'InvalidStateError':
      return unsupported(
        `The browser lets this page keep no data: ${messageOf(error)}`,
        'allow the site to store data, or leave the private window',
      )
    case 'VersionError':
      return unsupported(`The database ${database} is of a newer version, and was left as it is`, 'reload the page')
    default:
      return storageError(error, database, what)
  }
}

/** Why a database could not be read or written: `what`. `size`: bytes that were to be put there, where known. */
export async function storageError(error: unknown, database: string, what: string, size = 0): Promise<SkillshelfError> {
  if (error instanceof SkillshelfError) return error
  const failed = (code: 'source-failed' | 'storage-full', message: string, hint: string): SkillshelfError =>
    new SkillshelfError(code, message, { subject: database, hint }, error)
  // Not `asSkillshelfError`: an AbortError of IndexedDB is the browser's doing, not the caller's.
  if (errorName(error) !== 'QuotaExceededError')
    return failed(
      'source-failed',
      `The database ${database} could not be ${what}: ${messageOf(error)}`,
      'try again, or reload the page',
    )
  const { quota, free } = await storageQuota()
  // Chromium tells sites of ten gigabytes more, whatever there is. What is left is not said: the failed write may still be counted in.
  const known = quota !== undefined && free !== undefined && free < size
  return failed(
    'storage-full',
    `The browser has no room for ${size > 0 ? formatBytes(size) : 'anything'} more in ${database}${known ? `: the site is given ${formatBytes(quota)} in all` : ''}`,
    'remove what is not needed, or free space on the device; what was there is as it was',
  )
}

export function foreignDatabaseError(database: string): SkillshelfError {
  return new SkillshelfError('format', `The database ${database} holds something else, and was left as it is`, {
    subject: database,
    hint: 'use another name',
  })
}

/** What was wanted waits for another page, of older code or another program's, to let go of the database. */
export function blockedError(database: string, what: string): SkillshelfError {
  return new SkillshelfError('source-failed', `The database ${database} could not be ${what}: another tab holds it`, {
    subject: database,
    hint: 'close or reload the other tabs of this site',
  })
}

export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}

function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
