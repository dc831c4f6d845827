import { SkillshelfError } from '../../core/errors.js'
import { storageQuota } from './quota.js'

/** The error of a database that could not be opened or removed. `verb` completes "could not be ...". */
export async function openError(
  error: unknown,
  database: string,
  verb: string,
): Promise<SkillshelfError> {
  const unsupported = (message: string, hint: string): SkillshelfError =>
    new SkillshelfError('unsupported', message, { subject: database, hint }, error)
  if (!(globalThis as { indexedDB?: unknown }).indexedDB) {
    return unsupported('IndexedDB is not available', 'use it in a page or in a Web Worker')
  }
  if (isDenied(error)) {
    return unsupported(
      `The browser does not let this page store data: ${messageOf(error)}`,
      'allow the site to store data, or leave the private window',
    )
  }
  if (errorName(error) === 'VersionError') {
    return unsupported(
      `The database ${database} has a newer version and was not changed`,
      'reload the page',
    )
  }
  return storageError(error, database, verb)
}

/** Whether a page may not store data: with blocked cookies, in frames without an origin and in some private windows. */
export function isDenied(error: unknown): boolean {
  return ['SecurityError', 'InvalidStateError'].includes(errorName(error))
}

/** The error of a failed read or write. `verb` completes "could not be ...". @param size Bytes to write. */
export async function storageError(
  error: unknown,
  database: string,
  verb: string,
  size = 0,
): Promise<SkillshelfError> {
  if (error instanceof SkillshelfError) return error
  // Not `asSkillshelfError`: an AbortError of IndexedDB comes from the browser, not from the caller's signal.
  if (errorName(error) !== 'QuotaExceededError') {
    const details = { subject: database, hint: 'try again, or reload the page' }
    const message = `The database ${database} could not be ${verb}: ${messageOf(error)}`
    return new SkillshelfError('source-failed', message, details, error)
  }
  const { quota, free } = await storageQuota()
  // Chromium may report a quota beyond the real one. `free` is not shown: it may still include the failed write.
  const isQuotaReliable = quota !== undefined && free !== undefined && free < size
  const limit = isQuotaReliable ? `: the quota of the site is ${formatBytes(quota)}` : ''
  const message = `The browser has no room for ${size > 0 ? formatBytes(size) : 'anything'} more in ${database}${limit}`
  const details = {
    subject: database,
    hint: 'remove skills, or free space on the device; nothing was changed',
  }
  return new SkillshelfError('storage-full', message, details, error)
}

export function foreignDatabaseError(database: string): SkillshelfError {
  return new SkillshelfError(
    'format',
    `The database ${database} belongs to another program and was not changed`,
    {
      subject: database,
      hint: 'use another name',
    },
  )
}

/** The error of an upgrade or removal that another page blocks with an open connection. */
export function blockedError(database: string, verb: string): SkillshelfError {
  return new SkillshelfError(
    'source-failed',
    `The database ${database} could not be ${verb}: another tab uses it`,
    {
      subject: database,
      hint: 'close or reload the other tabs of this site',
    },
  )
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
