import { asSkillshelfError, isSkillshelfError, SkillshelfError, throwIfAborted } from '../core/errors.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import { writeArchive } from '../source/archive/write.js'
import { parseAddress } from '../source/http/address.js'
import { parseRetryAfter, type Retry, shouldRetryResponse } from '../source/http/retry.js'
import type { RetryOptions } from '../source/http/types.js'
import type { StoredSkill } from '../store/write/stored-skill.js'
import type { SweepOptions, SweepResult } from '../store/write/sweep.js'
import { bearerHeader, parseJson, type Reply, requestWithRetries } from './request.js'
import { responseError } from './response-errors.js'
import { CHANGE, matchesShape, type Shape, STORED, SWEEP } from './response-shapes.js'

/** Skill in the store of a server. */
export interface ServerSkill extends Omit<StoredSkill, 'name'> {
  /** Missing on servers without conditional writes. */
  etag?: string
}

/** Writes skills to the store of a skillshelf server. */
export interface PublishClient {
  /** Address of the server, with a trailing slash. */
  address: string
  list(): Promise<readonly ServerSkill[]>
  /**
   * Uploads files by path and returns the diagnostics of the server.
   * @param folder Folder of a single skill. Default: each skill is in its own folder of `files`.
   */
  put(files: Readonly<Record<string, Uint8Array>>, folder?: string): Promise<readonly Diagnostic[]>
  /**
   * Removes a skill. A skill that does not exist is not an error.
   * @throws SkillshelfError `conflict` if the skill has changed since `list`
   */
  remove(folder: string): Promise<void>
  /** Removes files that no skill needs any more. */
  sweep(options: Pick<SweepOptions, 'olderThan' | 'dryRun'>): Promise<SweepResult>
}

/** Another writer may hold the store for a while, and uploads on slow lines take time. */
const RETRY: RetryOptions = { maxRetries: 4, timeout: 120_000 }
const UNKNOWN_HOST = ['ENOTFOUND', 'EAI_AGAIN']
const NETWORK_HINT = 'check the address and the network'

/**
 * Creates a client for the store of a server. Every request is idempotent, so all of them are retried.
 * @throws SkillshelfError `invalid-input` for an invalid address
 */
export function createPublishClient(address: string, token: string, signal: AbortSignal | undefined): PublishClient {
  const base = serverUrl(address)
  let etags: ReadonlyMap<string, string | undefined> = new Map()

  const request = async <T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    shape: Shape,
    {
      body,
      type,
      ifMatch,
    }: { body?: Uint8Array<ArrayBuffer> | string; type?: string; ifMatch?: string | undefined } = {},
  ): Promise<T> => {
    const url = base.href + path
    const headers = {
      ...(await bearerHeader(token)),
      accept: 'application/json',
      ...(type ? { 'content-type': type } : {}),
      ...(ifMatch ? { 'if-match': ifMatch } : {}),
    }
    const send = async (attempt: AbortSignal): Promise<Pick<Reply, 'response' | 'url'>> => {
      try {
        // `fetch` would follow a redirect without the token, or with GET.
        const init = { method, headers, signal: attempt, redirect: 'manual' as const, ...(body ? { body } : {}) }
        return { response: await fetch(url, init), url }
      } catch (error) {
        if (UNKNOWN_HOST.includes((fetchCause(error) as { code?: string }).code ?? ''))
          throw new SkillshelfError('source-failed', `Host ${base.host} not found`, { hint: NETWORK_HINT })
        throw error
      }
    }
    return requestWithRetries({
      send,
      accepts: response => response.ok,
      read({ bytes }) {
        const data = parseJson(bytes)
        if (matchesShape(data, shape)) return data as T
        throw notWritable(base)
      },
      error: reply => publishError(base, reply),
      shouldRetry,
      retry: RETRY,
      signal,
    }).catch((error: unknown) => {
      throwIfAborted(signal)
      throw asSkillshelfError(fetchCause(error), 'source-failed', `${base.href} could not be reached`, {
        hint: NETWORK_HINT,
      })
    })
  }

  return {
    address: base.href,
    async list() {
      const { skills } = await request<{ skills: ServerSkill[] }>('GET', 'v1/store', STORED)
      etags = new Map(skills.map(({ folder, etag }) => [folder, etag]))
      return skills
    },
    async put(files, folder) {
      const body = await writeArchive(files, { format: 'zip' })
      const [method, path] =
        folder === undefined ? (['POST', 'v1/store'] as const) : (['PUT', folderPath(folder)] as const)
      return (await request<{ diagnostics: Diagnostic[] }>(method, path, CHANGE, { body, type: 'application/zip' }))
        .diagnostics
    },
    async remove(folder) {
      try {
        await request('DELETE', folderPath(folder), CHANGE, { ifMatch: etags.get(folder) })
      } catch (error) {
        if (!isSkillshelfError(error, 'skill-not-found')) throw error
      }
    },
    sweep: ({ olderThan, dryRun }) =>
      request('POST', 'v1/sweep', SWEEP, { body: JSON.stringify({ olderThan, dryRun }), type: 'application/json' }),
  }
}

/** Whether the server refused these skills but may accept others. */
export function isRefusal(error: unknown): error is SkillshelfError {
  return isSkillshelfError(error) && [400, 404, 413, 415, 422].includes(error.details.status ?? 0)
}

function serverUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new SkillshelfError('invalid-input', `"${address}" is not the address of a server`, {
      hint: 'use an address such as https://skills.example.com/',
    })
  return parseAddress(url).base
}

function folderPath(folder: string): string {
  return `v1/store/${encodeURIComponent(folder)}`
}

/** A conflict means that another writer is active: it ends. */
function shouldRetry(reply: Reply): Retry | undefined {
  const { status, headers } = reply.response
  return status === 409 ? { delay: parseRetryAfter(headers.get('retry-after')) } : shouldRetryResponse(reply)
}

function publishError(base: URL, reply: Reply): SkillshelfError {
  const { status, headers } = reply.response
  if (status === 401)
    return new SkillshelfError('not-allowed', `${base.href} rejected the token`, {
      status,
      hint: 'use the write token of the server',
    })
  const location = status >= 300 && status < 400 ? headers.get('location') : null
  if (location !== null)
    return new SkillshelfError('source-failed', `${base.href} redirects to ${location}`, {
      hint: 'use that address instead',
    })
  const error = responseError(base.href, reply)
  return error.code === 'source-failed' && (status === 404 || status === 405) ? notWritable(base) : error
}

function notWritable(base: URL): SkillshelfError {
  return new SkillshelfError('source-failed', `${base.href} is not a skillshelf server that accepts uploads`, {
    hint: 'use the address of a skillshelf Worker; for a static host run `skillshelf pack` and upload its output',
  })
}

/** `fetch` reports only that it failed; its cause has the reason. */
function fetchCause(error: unknown): unknown {
  const { cause } = error as { cause?: unknown }
  return !isSkillshelfError(error) && cause instanceof Error ? cause : error
}
