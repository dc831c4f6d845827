import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { encodePath, safePath } from '../../core/paths.js'
import { rethrowCallbackError } from '../../core/progress.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { FetchableSource, FetchResult, ReadOptions, ReadResult } from '../source.js'
import { isFileAddress, parseAddress } from './address.js'
import type { HttpOptions } from './options.js'
import { conditionalHeaders, createFetcher, createNetworkError, rangeHeader } from './request.js'
import { contentRange, mediaTypeOf, readBody } from './response.js'
import { shouldRetryResponse, withRetries } from './retry.js'

const OPTIONS = {
  maxRetries: 1,
  backoff: 1,
  timeout: 1,
  name: 1,
  fetch: 1,
  headers: 1,
  credentials: 1,
  origins: 1,
  maxBytes: 1,
  onProgress: 1,
} satisfies OptionNames<HttpOptions>

/**
 * Reads skills from a URL: a folder on any static host, a skill site, or one file such as an archive or a bundle.
 *
 * Requests start with the first `read` or `fetch`. `read` throws `source-failed` if the server or the network fails, and `too-large` for a
 * file over `maxBytes`. A folder cannot be listed over HTTP, so it must hold a packed library or be a skill site.
 * @param address URL of the folder or file. Relative URLs are resolved against the page.
 * @returns A read-only source with `read` and `fetch`.
 * @throws SkillshelfError `invalid-input` if `address` is not a URL, or is a `file:` URL
 * @example
 * ```ts
 * const library = await openLibrary(http('https://example.com/skills/', { timeout: 10_000, maxRetries: 1 }))
 * ```
 */
export function http(address: string | URL, options: HttpOptions = {}): FetchableSource {
  checkOptionNames(options, OPTIONS)
  const { url: ownUrl, base, name } = parseAddress(address)
  const { maxBytes, onProgress } = options
  const send = createFetcher(base, options)
  const networkError = createNetworkError(options)
  const urlOf = (path: string): string => base.href + encodePath(safePath(path))

  const load = async (
    url: string,
    { ifVersion, range, signal }: ReadOptions,
    allowPages = false,
  ): Promise<FetchResult | 'unchanged' | undefined> => {
    throwIfAborted(signal)
    // The signal of an attempt also fires on its timeout.
    const attempt = async (signal: AbortSignal, restartTimeout: () => void) => {
      const condition = conditionalHeaders(ifVersion)
      const fetched = await send({ url, headers: rangeHeader(range), condition, signal })
      const { response } = fetched
      const part = range ? contentRange(response) : undefined
      const version =
        response.headers.get('etag') ?? response.headers.get('last-modified') ?? undefined
      // Hosts of single-page apps answer missing files with their start page.
      const isPage =
        mediaTypeOf(response) === 'text/html' && !/\.x?html?$/i.test(new URL(url).pathname)
      // The file still has the version that the caller knows.
      const unchanged =
        response.status === 304 || (response.ok && version !== undefined && version === ifVersion)
      const wanted = response.ok && !unchanged && part !== 'unknown' && (allowPages || !isPage)
      if (!wanted) await response.body?.cancel()
      const reading = {
        url: fetched.url,
        maxBytes,
        rejectPages: isPage,
        signal,
        restartTimeout,
        onProgress,
      }
      const bytes = wanted ? await readBody(response, reading) : undefined
      return { ...fetched, part, version, unchanged, bytes }
    }
    try {
      const found = await withRetries(attempt, shouldRetryResponse, options, signal)
      const { response, part, version, unchanged, bytes } = found
      if (unchanged) return 'unchanged'
      if (response.status === 404 || response.status === 410) return undefined
      if (part === 'unknown') return await load(url, { signal }, allowPages)
      if (!response.ok) {
        throw new SkillshelfError('source-failed', `${url} answered ${response.status}`, {
          subject: url,
          status: response.status,
        })
      }
      const type = mediaTypeOf(response)
      const details = {
        ...(version ? { version } : {}),
        ...(part ? { partial: part } : {}),
        ...(type ? { type } : {}),
      }
      return bytes && { bytes, url: found.url, ...details }
    } catch (error) {
      throwIfAborted(signal)
      rethrowCallbackError(error)
      if (error instanceof TypeError) throw await networkError(url, error)
      throw asSkillshelfError(error, 'source-failed', `${url} could not be read`, {
        subject: url,
        hint: 'check the address, the network and CORS',
      })
    }
  }

  return {
    name: options.name ?? name,
    timeout: Number.POSITIVE_INFINITY,
    root(path) {
      if (path !== '') return urlOf(path)
      return isFileAddress(ownUrl.pathname) ? ownUrl.href.replace(/[?#].*$/, '') : base.href
    },
    async read(path, reading = {}) {
      return toReadResult(await load(urlOf(path), reading))
    },
    fetch: async (target, reading = {}) =>
      load(target === '' ? ownUrl.href : resolveUrl(target, base), reading, true),
  }
}

/** Drops `url` and `type` of a `fetch` result. */
export function toReadResult(
  found: FetchResult | 'unchanged' | undefined,
): ReadResult | 'unchanged' | undefined {
  if (typeof found !== 'object') return found
  const { url: _, type: __, ...result } = found
  return result
}

function resolveUrl(address: string, base: URL): string {
  try {
    return new URL(address, base).href.replace(/#.*$/, '')
  } catch (error) {
    throw new SkillshelfError(
      'invalid-input',
      `Not an address: ${address.slice(0, 200)}`,
      { subject: address },
      error,
    )
  }
}
