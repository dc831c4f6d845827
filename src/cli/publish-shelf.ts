import type * as z from 'zod/mini'
import { asSkillshelfError, isSkillshelfError, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { errorOf } from '../server/http/problem.js'
import { change, stored } from '../server/http/schemas.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import { writeArchive } from '../source/archive/write.js'
import { mayPass } from '../source/http/http.js'
import { type Patience, patiently, retryAfter, type TryAgain } from '../source/retry.js'
import { commandError } from './errors.js'

/** What is stored: folders, with the digests of SKILL.md and of all the rest. */
export type StoredSkill = z.output<typeof stored>['skills'][number]

/** A shelf somewhere else, that can be written to. */
export interface RemoteShelf {
  /** With a slash at the end. */
  address: string
  stored(): Promise<readonly StoredSkill[]>
  /** Puts skills, by path: each stands in its folder, or right there where `folder` says in which. Gives what the shelf has to say. */
  put(files: Readonly<Record<string, Uint8Array>>, folder?: string): Promise<readonly Diagnostic[]>
  /** Removes a skill; one that is not there any more is fine. */
  remove(folder: string): Promise<void>
}

/** A store may be busy for a while, and a megabyte takes its time on a slow line. */
const PATIENCE: Patience = { retries: 4, timeout: 120_000 }
const NO_HOST = ['ENOTFOUND', 'EAI_AGAIN']

/** @throws SkillshelfError `invalid-input` for what is no address or no token */
export function openShelf(to: string, token: string, signal: AbortSignal | undefined): RemoteShelf {
  const base = addressOf(to)
  if (!/^[\x21-\x7e]+$/.test(token))
    throw commandError('The token has characters that cannot be sent', 'set SKILLSHELF_TOKEN to the token of the shelf')

  /** Every request says the same however often it is sent, so it is sent again where that may help. */
  const ask = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<unknown> => {
    const url = new URL(path, base).href
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(body ? { 'content-type': 'application/zip' } : {}),
    }
    const attempt = async (at: AbortSignal) => {
      try {
        // Followed, it would come without the token, or as a GET.
        const response = await fetch(url, {
          method,
          headers,
          signal: at,
          redirect: 'manual',
          ...(body ? { body } : {}),
        })
        return { response, url, text: await response.text() }
      } catch (error) {
        if (NO_HOST.includes(causeOf(error).code ?? ''))
          throw commandError(`There is no host ${base.host}`, 'check --to and the network', 'source-failed')
        throw error
      }
    }
    // Somebody else wrote, again and again: they come to an end.
    const isAgain = (answer: Awaited<ReturnType<typeof attempt>>): TryAgain | undefined =>
      answer.response.status === 409
        ? { again: true, after: retryAfter(answer.response.headers.get('retry-after')) }
        : mayPass(answer)
    const { response, text } = await patiently(attempt, isAgain, PATIENCE, signal).catch(error => {
      throwIfAborted(signal)
      throw asSkillshelfError(causeOf(error), 'source-failed', `${base.href} could not be reached`, {
        hint: 'check --to and the network',
      })
    })
    const data = parsed(text)
    if (response.ok && data !== undefined) return data
    throw refusalOf(base, response, data)
  }

  const checked = <Schema extends z.ZodMiniType>(schema: Schema, data: unknown): z.output<Schema> => {
    const read = schema.safeParse(data)
    if (read.success) return read.data
    throw noShelf(base)
  }

  return {
    address: base.href,
    stored: async () => checked(stored, await ask('GET', 'v1/store')).skills,
    async put(files, folder) {
      const body = await writeArchive(files, { format: 'zip' })
      const told = await (folder === undefined ? ask('POST', 'v1/store', body) : ask('PUT', pathOf(folder), body))
      return checked(change, told).diagnostics as Diagnostic[]
    },
    async remove(folder) {
      try {
        await ask('DELETE', pathOf(folder))
      } catch (error) {
        if (!isSkillshelfError(error, 'skill-not-found')) throw error
      }
    },
  }
}

/** Whether the shelf would not have these skills, though it might have others. */
export function isRefusal(error: unknown): error is SkillshelfError {
  return isSkillshelfError(error) && [400, 404, 413, 415, 422].includes(error.details.status ?? 0)
}

function addressOf(to: string): URL {
  const url = URL.canParse(to) ? new URL(to) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw commandError(`--to ${to} is no address of a shelf`, 'give one as https://skills.example.com/')
  url.search = ''
  url.hash = ''
  url.pathname = url.pathname.replace(/\/?$/, '/')
  return url
}

function pathOf(folder: string): string {
  return `v1/store/${encodeURIComponent(folder)}`
}

/** Why something was not done, as a person can mend it. */
function refusalOf(base: URL, { ok, status, headers }: Response, data: unknown): Error {
  if (status === 401)
    return new SkillshelfError('not-allowed', `${base.href} does not take this token`, {
      status,
      hint: 'set SKILLSHELF_TOKEN to the token that the shelf was given',
    })
  const to = status >= 300 && status < 400 ? headers.get('location') : null
  if (to !== null)
    return commandError(`${base.href} leads to ${to}`, 'give the address that it leads to', 'source-failed')
  const problem = errorOf(data, status)
  if (problem) return problem
  if (ok || status === 404 || status === 405) return noShelf(base)
  return new SkillshelfError('source-failed', `${base.href} answered ${status}`, { status })
}

function noShelf(base: URL): Error {
  return commandError(
    `${base.href} is not a shelf that takes skills`,
    'give the address of a Worker of skillshelf; for a static host: skillshelf pack, and upload what it writes',
    'source-failed',
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a failed fetch was about: it says only that it failed. */
function causeOf(error: unknown): NodeJS.ErrnoException {
  const { cause } = error as { cause?: unknown }
  return !isSkillshelfError(error) && cause instanceof Error ? cause : (error as Error)
}
