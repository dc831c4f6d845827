import type { LibraryChange, LibrarySnapshot } from '../catalog/types.js'
import { coalesce } from '../core/concurrency.js'
import { isSkillshelfError, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { deepFreeze } from '../core/freeze.js'
import { checkLimit, filterSkills, toQuery } from '../library/arguments.js'
import { checkShare } from '../library/decide.js'
import { emit } from '../library/events.js'
import type { AbortOptions, Explanation, MatchOptions, SkillLibrary } from '../library/types.js'
import type { MatcherResult, MatchQuery } from '../match/types.js'
import type { Skill, SkillId, SkillSummary } from '../skill/types.js'
import { readRemoteFile } from './files.js'
import type { ConnectOptions } from './options.js'
import { EXPLANATION, RESULT, SKILL, SNAPSHOT } from './shape.js'
import { changeOf, createState, toldAgain, unreadable } from './state.js'
import { createWire } from './wire.js'

/** Opened skills that are kept. */
const CACHED_SKILLS = 64
/** What a server takes of what was said before: the last of it is read, and none of it whole when it is long. */
const MOST_HISTORY = 20
const MOST_SAID = 10_000
/** Of a name, on its way. */
const MOST_NAME = 2_000

/**
 * Connects to a library behind HTTP (`createHandler` of `skillshelf/server`, a Worker, `skillshelf serve --api`): a `SkillLibrary` as one in
 * this process, with the same errors. One request; a later call is one too, or none: `list` and skills that were opened are at hand.
 *
 * - Tries again where that may help, as reading changes nothing: no answer, 429, 5xx, `Retry-After` honoured.
 * - `snapshot` is the server's. Where an answer tells of another revision, it is fetched behind that answer, and listeners are told; also of
 *   a change in files beside a SKILL.md alone, which is in none of the lists of the change.
 * - Without the network the last snapshot and the skills that were opened stay; other calls fail with `source-failed`, and `refresh` leaves
 *   the diagnostic `source-unreadable`. To match offline open the packed files of the server instead, which stand at the same address:
 *   `openLibrary(cached(http(address), store))`.
 * - A server takes messages of 10,000 characters and 50 matches at most, and says `invalid-input` beyond; history is cut to what it takes.
 *
 * @param address Of the server, with a path where it stands under one.
 * @throws SkillshelfError `invalid-input`, `source-failed`, `not-allowed` (the token is missing or wrong), `aborted`
 */
export async function connectLibrary(address: string | URL, options: ConnectOptions = {}): Promise<SkillLibrary> {
  const wire = createWire(address, options)
  const at = { shape: SNAPSHOT, signal: options.signal }
  const { data: first, tag } = await wire.json<LibrarySnapshot>('v1/library', at)
  let state = createState(first, tag)
  let closed = false
  const listeners = new Set<(change: LibraryChange) => void>()

  const open = ({ signal }: AbortOptions = {}): void => {
    if (closed) throw new SkillshelfError('closed', 'The library was closed')
    throwIfAborted(signal)
  }

  const refreshTogether = coalesce(async (signal): Promise<LibraryChange> => {
    const before = state
    const { revision } = before.told
    const nothing: LibraryChange = { revision, added: [], changed: [], removed: [] }
    try {
      const found = await wire.jsonUnless<LibrarySnapshot>(before.tag, 'v1/library', { shape: SNAPSHOT, signal })
      if (!found || found.data.revision === revision) {
        state = toldAgain(before, found)
        return nothing
      }
      state = createState(found.data, found.tag)
    } catch (error) {
      if (isSkillshelfError(error, 'aborted', 'closed')) throw error
      state = unreadable(before, wire.address, error)
      return nothing
    }
    const change = changeOf(before.told, state.told)
    emit(listeners, change)
    return change
  })

  /** What an answer said does not fit the snapshot: it is an old one. */
  const follow = (): void => {
    const refreshed = refreshTogether(undefined).catch(error => {
      if (!closed) throw error
    })
    options.waitUntil?.(refreshed)
  }

  /** A skill, and what its address has for it. One that is not in the snapshot may be hidden, or new: the server knows. */
  const named = (name: string): { id: string; address: string; summary?: SkillSummary } => {
    try {
      const summary = state.lookup.find(name)
      return { id: summary.id, address: addressOf(summary.id), summary }
    } catch (error) {
      if (!isSkillshelfError(error, 'skill-not-found') || !canBeSent(name)) throw error
      return { id: name, address: addressOf(name) }
    }
  }
  /** What is asked of a skill. One that is gone there tells that the snapshot is old. */
  const ofSkill = async <T>(summary: SkillSummary | undefined, answer: Promise<T>): Promise<T> => {
    try {
      return await answer
    } catch (error) {
      if (summary && isSkillshelfError(error, 'skill-not-found')) follow()
      throw error
    }
  }

  const ask = async (
    path: string,
    query: string | MatchQuery,
    { signal, limit, ...filter }: MatchOptions,
  ): Promise<MatcherResult> => {
    const { language, tags, origins, threshold, margin } = filter
    if (limit !== undefined) checkLimit(limit)
    filterSkills([], filter)
    const body = { ...sent(query), limit, threshold, margin, language, tags, origins }
    const { data } = await wire.json<MatcherResult>(path, { shape: RESULT, body, signal })
    if (data.revision !== state.told.revision) follow()
    return data
  }

  const library: SkillLibrary = {
    get snapshot() {
      return state.snapshot
    },
    async list(filter = {}) {
      open(filter)
      return filterSkills(state.snapshot.skills, filter)
    },
    async get(name, at = {}) {
      open(at)
      const { cache } = state
      const { id, address, summary } = named(name)
      const held = cache.get(id)
      if (held) return held
      const { data } = await ofSkill(summary, wire.json<Skill>(address, { shape: SKILL, signal: at.signal }))
      const skill = deepFreeze(data)
      if (summary?.unread || summary?.digest === skill.digest) cache.set(id, skill)
      else if (summary) follow()
      if (cache.size > CACHED_SKILLS) cache.delete(cache.keys().next().value as SkillId)
      return skill
    },
    async read(name, path, at = {}) {
      open(at)
      const { address, summary } = named(name)
      return ofSkill(summary, readRemoteFile(wire, address, path, at))
    },
    async match(query, options = {}) {
      open(options)
      const { threshold, margin } = options
      if (threshold !== undefined) checkShare('threshold', threshold)
      if (margin !== undefined) checkShare('margin', margin)
      return ask('v1/match', query, options)
    },
    async search(query, options = {}) {
      open(options)
      return ask('v1/search', query, options)
    },
    async explain(query, name, at = {}) {
      open(at)
      const { id, summary } = named(name)
      const body = { ...sent(query), skill: id, language: at.language }
      const answer = wire.json<Explanation>('v1/explain', { shape: EXPLANATION, body, signal: at.signal })
      return (await ofSkill(summary, answer)).data
    },
    async refresh(at = {}) {
      open(at)
      return refreshTogether(at.signal)
    },
    on(_event, listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      closed = true
      listeners.clear()
      wire.close()
    },
    async [Symbol.asyncDispose]() {
      await library.close()
    },
  }
  return library
}

function addressOf(skill: string): string {
  return `v1/skills/${encodeURIComponent(skill)}`
}

/** An address folds dots, has no empty part, and no half characters. */
function canBeSent(name: string): boolean {
  return name.length <= MOST_NAME && !/^\.{0,2}$/.test(name) && !/\p{Cs}/u.test(name)
}

function sent(query: string | MatchQuery): MatchQuery {
  const { message, history } = toQuery(query)
  return history
    ? { message, history: history.slice(-MOST_HISTORY).map(said => said.slice(0, MOST_SAID)) }
    : { message }
}
