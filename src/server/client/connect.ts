import type { AbortOptions } from '../../core/abort.js'
import { coalesce } from '../../core/concurrency.js'
import { isSkillshelfError, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { deepFreeze } from '../../core/plain-data.js'
import { checkLimit, checkRatio, filterSkills, toQuery } from '../../library/arguments.js'
import type { LibraryChange } from '../../library/catalog/types.js'
import { emit, listen } from '../../library/events.js'
import type { Explanation, MatchOptions, SkillLibrary } from '../../library/types.js'
import type { MatcherResult, MatchQuery } from '../../search/match/types.js'
import type { Skill, SkillId, SkillSummary } from '../../skill/skill.js'
import { readRemoteFile } from './files.js'
import { createHttpClient } from './http-client.js'
import { listByPages } from './list.js'
import type { ConnectOptions } from './options.js'
import {
  createRemoteState,
  diffRemoteSnapshots,
  type RemoteSnapshot,
  revalidated,
  withSourceError,
} from './remote-state.js'
import { EXPLANATION, RESULT, SKILL, SNAPSHOT } from './response-shapes.js'

const MAX_CACHED_SKILLS = 64
/** Limits of the server. Longer history is cut, because only its end matters for matching. */
const MAX_HISTORY = 20
const MAX_HISTORY_MESSAGE = 10_000
const MAX_NAME = 2_000
/** A message that has no words. */
const WORDLESS = '?'

/**
 * Connects to a skill library behind HTTP, such as `createHandler` or `skillshelf serve --api`.
 *
 * The result is a `SkillLibrary` with the same calls and errors as a local one. Connecting takes one request. Later calls take one
 * request each, except `list`, `snapshot` and skills that were opened before.
 *
 * - Requests without a response, and those answered with 408, 429 or 5xx, are retried. `Retry-After` is respected.
 * - When a response has another revision, the snapshot is fetched in the background and `change` listeners are called. They are also
 *   called if only files beside a SKILL.md changed; then the lists of the change are empty.
 * - A library of more than 20,000 skills, or in a search engine, is not in the snapshot: `list` asks for its pages.
 * - Without a network the last snapshot and opened skills stay available. Other calls fail with `source-failed`, and `refresh` adds the
 *   diagnostic `source-unreadable`. To match offline, open the packed files of the server: `openLibrary(cached(http(address), store))`.
 * - The server accepts messages of up to 10,000 characters and up to 50 matches. History is cut to 20 messages.
 *
 * @param address Address of the server, including its path if it does not run at the root.
 * @param options Token, headers, timeout and retries.
 * @returns The library. Close it when it is no longer used.
 * @throws SkillshelfError `invalid-input` for an invalid address or token, `not-allowed` if the token is missing or wrong,
 *   `source-failed` if the server cannot be reached or is not a skillshelf server, `aborted`
 * @example
 * ```ts
 * import { connectLibrary } from 'skillshelf/client'
 *
 * const library = await connectLibrary('https://skills.example.com/', { token: 'read-token' })
 * const { matches } = await library.match('extract the tables of this pdf')
 * const skill = matches[0] && (await library.get(matches[0].id))
 * ```
 */
export async function connectLibrary(address: string | URL, options: ConnectOptions = {}): Promise<SkillLibrary> {
  const client = createHttpClient(address, options)
  const first = await client.json<RemoteSnapshot>('v1/library', { shape: SNAPSHOT, signal: options.signal })
  let state = createRemoteState(first.data, first.tag)
  let closed = false
  const listeners = new Set<(change: LibraryChange) => void>()

  const assertOpen = ({ signal }: AbortOptions = {}): void => {
    if (closed) throw new SkillshelfError('closed', 'The library was closed')
    throwIfAborted(signal)
  }

  const refreshTogether = coalesce(async (signal): Promise<LibraryChange> => {
    const before = state
    const { revision } = before.received
    const unchanged: LibraryChange = { revision, added: [], changed: [], removed: [] }
    try {
      const response = await client.jsonIfChanged<RemoteSnapshot>(before.tag, 'v1/library', {
        shape: SNAPSHOT,
        signal,
      })
      if (!response || response.data.revision === revision) {
        state = revalidated(before, response)
        return unchanged
      }
      state = createRemoteState(response.data, response.tag)
    } catch (error) {
      if (isSkillshelfError(error, 'aborted', 'closed')) throw error
      state = withSourceError(before, client.address, error)
      return unchanged
    }
    const change = diffRemoteSnapshots(before.received, state.received)
    emit(listeners, change)
    return change
  })

  const refreshInBackground = (): void => {
    const refreshed = refreshTogether(undefined).catch(error => {
      if (!closed) throw error
    })
    options.waitUntil?.(refreshed)
  }

  /** Resolves a skill. One that the snapshot lacks may be hidden or new, so the name goes to the server. */
  const resolve = (name: string): { id: string; path: string; summary?: SkillSummary } => {
    try {
      const summary = state.lookup.find(name)
      return { id: summary.id, path: skillPath(summary.id), summary }
    } catch (error) {
      if (!isSkillshelfError(error, 'skill-not-found') || !fitsInUrl(name)) throw error
      return { id: name, path: skillPath(name) }
    }
  }
  /** Awaits a response about a skill. If the server no longer has the skill, the snapshot is outdated. */
  const awaitSkill = async <T>(summary: SkillSummary | undefined, response: Promise<T>): Promise<T> => {
    try {
      return await response
    } catch (error) {
      if (summary && isSkillshelfError(error, 'skill-not-found')) refreshInBackground()
      throw error
    }
  }

  const request = async (
    path: string,
    query: string | MatchQuery,
    { signal, limit, tags, origins, threshold, margin, candidates, language }: MatchOptions,
  ): Promise<MatcherResult> => {
    if (limit !== undefined) checkLimit(limit)
    // Called for its argument checks.
    filterSkills([], { tags, origins })
    const body = { ...cutQuery(query), limit, threshold, margin, candidates, language, tags, origins }
    const { data } = await client.json<MatcherResult>(path, { shape: RESULT, body, signal })
    if (data.revision !== state.received.revision) refreshInBackground()
    return data
  }

  const library: SkillLibrary = {
    get snapshot() {
      return state.snapshot
    },
    async list(filter = {}) {
      assertOpen(filter)
      const listed = filterSkills(state.snapshot.skills, filter)
      return state.received.total === undefined ? listed : listByPages(client, filter)
    },
    async get(name, options = {}) {
      assertOpen(options)
      const { cache } = state
      const { id, path, summary } = resolve(name)
      const cached = cache.get(id)
      if (cached) return cached
      const response = client.json<Skill>(path, { shape: SKILL, signal: options.signal })
      const skill = deepFreeze((await awaitSkill(summary, response)).data)
      if (summary?.unread || summary?.digest === skill.digest) cache.set(id, skill)
      else if (summary) refreshInBackground()
      if (cache.size > MAX_CACHED_SKILLS) cache.delete(cache.keys().next().value as SkillId)
      return skill
    },
    async read(name, path, options = {}) {
      assertOpen(options)
      const skill = resolve(name)
      return awaitSkill(skill.summary, readRemoteFile(client, skill.path, path, options))
    },
    async match(query, options = {}) {
      assertOpen(options)
      const { threshold, margin, candidates } = options
      if (threshold !== undefined) checkRatio('threshold', threshold)
      if (margin !== undefined) checkRatio('margin', margin)
      if (candidates !== undefined) checkLimit(candidates, 'candidates')
      return request('v1/match', query, options)
    },
    async search(query, options = {}) {
      assertOpen(options)
      return request('v1/search', query, options)
    },
    async explain(query, name, { language, signal } = {}) {
      assertOpen({ signal })
      const { id, summary } = resolve(name)
      const body = { ...cutQuery(query), skill: id, language }
      const response = client.json<Explanation>('v1/explain', { shape: EXPLANATION, body, signal })
      return (await awaitSkill(summary, response)).data
    },
    async refresh(options = {}) {
      assertOpen(options)
      return refreshTogether(options.signal)
    },
    on: (event, listener) => listen(listeners, event, listener),
    async close() {
      closed = true
      listeners.clear()
      client.close()
    },
    async [Symbol.asyncDispose]() {
      await library.close()
    },
  }
  return library
}

function skillPath(skill: string): string {
  return `v1/skills/${encodeURIComponent(skill)}`
}

/** URLs normalize `.` and `..`, have no empty segments and cannot hold lone surrogates. */
function fitsInUrl(name: string): boolean {
  return name.length <= MAX_NAME && !/^\.{0,2}$/.test(name) && !/\p{Cs}/u.test(name)
}

function cutQuery(query: string | MatchQuery): MatchQuery {
  const { history, ...given } = toQuery(query)
  // The server refuses a blank message, which a local library answers without matches.
  const message = given.message.trim() === '' ? WORDLESS : given.message
  if (!history) return { message }
  return { message, history: history.slice(-MAX_HISTORY).map(text => text.slice(0, MAX_HISTORY_MESSAGE)) }
}
