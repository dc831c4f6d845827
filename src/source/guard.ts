import {
  type AbortOptions,
  abortable,
  TIMED_OUT,
  timeoutError,
  withTimeout,
} from '../core/abort.js'
import { isShared } from '../core/bytes.js'
import { errorMessage, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { rethrowCallbackError } from '../core/progress.js'
import { CHECK } from './catalog-check.js'
import type { FetchResult, FileEntry, ReadResult, SkillSource } from './source.js'
import { handOnProblem } from './source-problem.js'

/** Milliseconds that a source without a `timeout` of its own may take for an answer. */
export const SOURCE_TIMEOUT = 60_000

/** Checks what a source returns, wraps its errors, makes calls abortable, with `timeout` ms if it has none. Keeps `write`. */
export function guardSource(source: SkillSource, timeout: number = SOURCE_TIMEOUT): SkillSource {
  const { name, list, fetch, root, watch } = source
  const limit = source.timeout ?? timeout
  const guard = async <T, Options extends AbortOptions>(
    subject: string,
    options: Options,
    call: (options: Options) => T | Promise<T>,
    check: (result: T) => T,
  ): Promise<T> => {
    const { signal } = options
    throwIfAborted(signal)
    const work = (inner: AbortSignal | undefined): Promise<T> =>
      abortable((async () => check(await call({ ...options, signal: inner })))(), signal)
    try {
      const isUnlimited = limit === Number.POSITIVE_INFINITY
      const result = isUnlimited ? await work(signal) : await withTimeout(limit, work, signal)
      if (result === TIMED_OUT) throw timeoutError(subject, name, limit)
      return result
    } catch (error) {
      throwIfAborted(signal)
      rethrowCallbackError(error)
      if (error instanceof SkillshelfError && error.code !== 'aborted') throw error
      const message = `${subject} could not be read: ${errorMessage(error)}`
      throw new SkillshelfError('source-failed', message, { subject: name }, error)
    }
  }
  const guarded: SkillSource = {
    name,
    read: (path, options = {}) =>
      guard(`${path} of ${name}`, options, calling => source.read(path, calling), checkRead),
    close: async () => source.close?.(),
    ...handOnProblem(source),
  }
  if (list) {
    guarded.list = (options = {}) =>
      guard(`The listing of ${name}`, options, calling => list.call(source, calling), checkList)
  }
  if (fetch) {
    guarded.fetch = (url, options = {}) =>
      guard(`${url} of ${name}`, options, calling => fetch.call(source, url, calling), checkFetch)
  }
  if (root) guarded.root = root.bind(source)
  if (watch) guarded.watch = watch.bind(source)
  if (CHECK in source) Object.assign(guarded, { [CHECK]: source[CHECK] })
  return 'write' in source ? Object.assign(guarded, { write: source.write }) : guarded
}

function checkRead<T extends ReadResult | 'unchanged' | undefined>(result: T): T | undefined {
  if (result === undefined || result === null) return undefined
  if (result === 'unchanged') return result
  if (!ArrayBuffer.isView(result.bytes)) {
    throw new TypeError('the result has no "bytes" with a Uint8Array')
  }
  return isShared(result.bytes)
    ? Object.assign({}, result, { bytes: new Uint8Array(result.bytes) })
    : result
}

function checkFetch(
  result: FetchResult | 'unchanged' | undefined,
): FetchResult | 'unchanged' | undefined {
  if (typeof result === 'object' && result !== null && typeof result.url !== 'string') {
    throw new TypeError('the result has no "url"')
  }
  return checkRead(result)
}

function checkList(entries: readonly FileEntry[]): readonly FileEntry[] {
  const isEntry = ({ path, summary }: FileEntry): boolean =>
    typeof path === 'string' &&
    (summary === undefined ||
      (typeof summary?.name === 'string' && typeof summary.description === 'string'))
  if (!Array.isArray(entries) || !entries.every(entry => entry && isEntry(entry))) {
    throw new TypeError('the result is not an array of { path }')
  }
  return entries
}
