import type { AbortOptions } from '../../core/abort.js'
import { coalesce } from '../../core/concurrency.js'
import { digestOfLarge } from '../../core/digest.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { safePath } from '../../core/paths.js'
import { deepFreeze } from '../../core/plain-data.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { LibraryBackend, PageQuery, ReadFileOptions } from '../../library/api/backend.js'
import { createLifetime, type Lifetime } from '../../library/api/lifetime.js'
import type { MatchResult, SearchResult } from '../../library/api/match-result.js'
import type {
  Explanation,
  SearchOptions,
  SkillFilter,
  SkillLibrary,
  SkillPage,
} from '../../library/api/skill-library.js'
import type { LibraryChange } from '../../library/catalog/catalog-entry.js'
import { createLibrary } from '../../library/create-library.js'
import { keepOpened } from '../../library/query/arguments.js'
import { checkRange, cutRange } from '../../library/query/byte-range.js'
import { createPage, listPages, type ReadPage } from '../../library/query/pages.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import { decodeUtf8 } from '../../skill/decode.js'
import { describeFile } from '../../skill/media-types.js'
import type { Skill, SkillFile, SkillId, SkillSummary } from '../../skill/skill.js'
import { type ConnectOptions, createHttpClient, type HttpClient } from './http-client.js'
import {
  createRemoteState,
  diffRemoteSnapshots,
  type RemoteSnapshot,
  type RemoteState,
  revalidated,
  withFound,
  withoutFound,
  withSourceError,
} from './remote-state.js'
import {
  EXPLANATION,
  FOUND,
  MATCHED,
  PAGE,
  type Shape,
  SKILL,
  SNAPSHOT,
} from './response-shapes.js'

/** Limits of the server. Longer history is cut, because only its end matters for matching. */
const MAX_HISTORY = 20
const MAX_TEXT = 10_000
const MAX_FILES = 200
/** Ids that the address of a page has. */
const MAX_IDS = 20
const MAX_NAME = 2_000
const WORDLESS = '?'
const MATCH = { path: 'v1/match', shape: MATCHED }
const SEARCH = { path: 'v1/search', shape: FOUND }

/** `skills` has the matches of a library that is not in the snapshot. */
type FoundSkills<Result> = Result & { skills?: readonly SkillSummary[] }

const OPTIONS = {
  maxRetries: 1,
  backoff: 1,
  timeout: 1,
  signal: 1,
  fetch: 1,
  headers: 1,
  credentials: 1,
  maxBytes: 1,
  token: 1,
  waitUntil: 1,
} satisfies OptionNames<ConnectOptions>

/**
 * Connects to a skill library behind HTTP, such as `createHandler` or `skillshelf serve --api`.
 *
 * The result is a `SkillLibrary` with the same calls and errors as a local one. Connecting takes one request. Later calls take one
 * request each, except `list`, `snapshot` and skills that were opened before.
 *
 * - Requests without a response, and those answered with 408, 429 or 5xx, are retried, unless `Retry-After` asks for more than ten seconds.
 * - When a response has another revision, the snapshot is fetched in the background and `change` listeners are called. They are also
 *   called if only files beside a SKILL.md changed; then the lists of the change are empty.
 * - A library of more than 20,000 skills, or in a search engine, is not in the snapshot: `list` asks for its pages. Skills that
 *   were matched are added to the snapshot.
 * - Without a network the last snapshot and opened skills stay available. Other calls fail with `source-failed`, and `refresh` adds the
 *   diagnostic `source-unreadable`. To match offline, open the packed files of the server: `openLibrary(cached(http(address), store))`.
 * - The server accepts messages of up to 10,000 characters and up to 50 matches. History is cut to 20 messages.
 * @param address Address of the server, including its path if it does not run at the root.
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
export async function connectLibrary(
  address: string | URL,
  options: ConnectOptions = {},
): Promise<SkillLibrary> {
  checkOptionNames(options, OPTIONS)
  const client = createHttpClient(address, options)
  const first = await client.json<RemoteSnapshot>('v1/library', {
    shape: SNAPSHOT,
    signal: options.signal,
  })
  const lifetime = createLifetime()
  const connection: Connection = {
    client,
    lifetime,
    waitUntil: options.waitUntil,
    state: createRemoteState(first.data, first.tag),
    refresh: coalesce(signal => refresh(connection, signal)),
  }
  const page = createPage(lifetime, query => readPage(client, query))
  return createLibrary(createRemoteBackend(connection), lifetime, {
    get page() {
      return connection.state.isPartial ? page : undefined
    },
  })
}

/** An open library behind HTTP. */
interface Connection {
  readonly client: HttpClient
  readonly lifetime: Lifetime
  readonly waitUntil: ConnectOptions['waitUntil']
  /** What the server sent so far. Every change of it is a new object. */
  state: RemoteState
  /** Asks for the snapshot again. Calls that arrive before a request starts share it. */
  readonly refresh: (signal: AbortSignal | undefined) => Promise<LibraryChange>
}

/** A skill as requests name it. */
interface ResolvedSkill {
  id: SkillId
  /** Its path on the server, encoded. */
  path: string
  /** Absent if the snapshot lacks the skill: it may be hidden or new. */
  summary?: SkillSummary
}

function createRemoteBackend(connection: Connection): LibraryBackend {
  const { client } = connection
  return {
    get snapshot() {
      return connection.state.snapshot
    },
    list: filter => (connection.state.isPartial ? listRemote(client, filter) : undefined),
    get: (name, options) => get(connection, name, options),
    async read(name, path, options) {
      const resolved = resolve(connection, name)
      return awaitSkill(connection, resolved, readRemoteFile(client, resolved.path, path, options))
    },
    match: (query, options) => find<MatchResult>(connection, MATCH, query, options),
    search: (query, options) => find<SearchResult>(connection, SEARCH, query, options),
    async explain(query, name, { language, signal }) {
      const resolved = resolve(connection, name)
      const body = { ...cutQuery(query), skill: resolved.id, language }
      const response = client.json<Explanation>('v1/explain', { shape: EXPLANATION, body, signal })
      return (await awaitSkill(connection, resolved, response)).data
    },
    refresh: connection.refresh,
    close: client.close,
  }
}

async function refresh(connection: Connection, signal: AbortSignal): Promise<LibraryChange> {
  const { client, state: before } = connection
  const { revision } = before.received
  const unchanged: LibraryChange = { revision, added: [], changed: [], removed: [] }
  try {
    const response = await client.jsonIfChanged<RemoteSnapshot>(before.tag, 'v1/library', {
      shape: SNAPSHOT,
      signal,
    })
    if (!response || response.data.revision === revision) {
      connection.state = revalidated(before, response)
      return unchanged
    }
    connection.state = createRemoteState(response.data, response.tag, before)
  } catch (error) {
    if (isSkillshelfError(error, 'aborted', 'closed')) throw error
    connection.state = withSourceError(before, client.address, error)
    return unchanged
  }
  const change = diffRemoteSnapshots(before.received, connection.state.received)
  connection.lifetime.emit(change)
  return change
}

function refreshInBackground({ refresh, lifetime, waitUntil }: Connection): void {
  const refreshed = refresh(undefined).catch(error => {
    if (!lifetime.isClosed) throw error
  })
  waitUntil?.(refreshed)
}

/** Resolves a skill. One that the snapshot lacks may be hidden or new, so the name goes to the server. */
function resolve({ state }: Connection, name: string): ResolvedSkill {
  try {
    const summary = state.lookup.find(name)
    return { id: summary.id, path: skillPath(summary.id), summary }
  } catch (error) {
    if (!isSkillshelfError(error, 'skill-not-found') || !fitsInUrl(name)) throw error
    return { id: name, path: skillPath(name) }
  }
}

/** Awaits a response about a skill. If the server no longer has the skill, the snapshot is outdated. */
async function awaitSkill<T>(
  connection: Connection,
  { id, summary }: ResolvedSkill,
  response: Promise<T>,
): Promise<T> {
  try {
    return await response
  } catch (error) {
    if (isSkillshelfError(error, 'skill-not-found')) {
      connection.state = withoutFound(connection.state, id)
      if (summary) refreshInBackground(connection)
    }
    throw error
  }
}

async function get(connection: Connection, name: string, { signal }: AbortOptions): Promise<Skill> {
  const { cache } = connection.state
  const resolved = resolve(connection, name)
  const { id, path, summary } = resolved
  const known = cache.get(id)
  if (known) return known
  const response = connection.client.json<Skill>(path, { shape: SKILL, signal })
  const skill = deepFreeze((await awaitSkill(connection, resolved, response)).data)
  if (summary?.unread || summary?.digest === skill.digest) keepOpened(cache, skill.id, skill)
  else if (summary) refreshInBackground(connection)
  return skill
}

/** Asks for a match or a search. A revision that the snapshot does not have means that it is outdated. */
async function find<Result extends SearchResult | MatchResult>(
  connection: Connection,
  { path, shape }: { path: string; shape: Shape },
  query: MatchQuery,
  { signal, wait: _, ...options }: SearchOptions,
): Promise<Result> {
  const body = { ...cutQuery(query), ...options }
  const { data } = await connection.client.json<FoundSkills<Result>>(path, { shape, body, signal })
  const { skills = [], ...result } = data as FoundSkills<Result & SearchResult>
  connection.state = withFound(connection.state, skills)
  if (result.revision !== connection.state.received.revision) refreshInBackground(connection)
  return result as Result
}

/** Lists the skills of a filter, of which an address has room for few ids. */
async function listRemote(
  client: HttpClient,
  { ids, ...filter }: SkillFilter & AbortOptions,
): Promise<SkillSummary[]> {
  const read: ReadPage = query => readPage(client, query)
  if (ids === undefined) return listPages(read, filter)
  const wanted = [...new Set(ids)].sort()
  const skills: SkillSummary[] = []
  for (let from = 0; from < wanted.length; from += MAX_IDS) {
    const some = wanted.slice(from, from + MAX_IDS)
    skills.push(...(await listPages(read, { ...filter, ids: some })))
  }
  return skills
}

async function readPage(
  client: HttpClient,
  { tags = [], origins = [], ids, limit, cursor, signal }: PageQuery,
): Promise<SkillPage> {
  if (ids?.length === 0) return { skills: [] }
  const query = new URLSearchParams([
    ['limit', String(limit)],
    ...tags.map(tag => ['tag', tag]),
    ...origins.map(origin => ['origin', origin]),
    ...(ids ?? []).map(id => ['id', id]),
    ...(cursor === undefined ? [] : [['cursor', cursor]]),
  ])
  const { data } = await client.json<{ skills: SkillSummary[]; nextCursor?: string }>(
    `v1/skills?${query}`,
    {
      shape: PAGE,
      signal,
    },
  )
  const { skills, nextCursor } = data
  return { skills, ...(nextCursor === undefined ? {} : { next: nextCursor }) }
}

function skillPath(skill: string): string {
  return `v1/skills/${encodeURIComponent(skill)}`
}

/** URLs normalize `.` and `..`, have no empty segments and cannot hold lone surrogates. */
function fitsInUrl(name: string): boolean {
  return name.length <= MAX_NAME && !/^\.{0,2}$/.test(name) && !/\p{Cs}/u.test(name)
}

function cutQuery({ history, pasted, files, ...given }: MatchQuery): MatchQuery {
  // The server refuses a blank message, which a local library answers without matches.
  const message = given.message.trim() === '' ? WORDLESS : given.message
  return {
    ...given,
    message,
    ...(history && {
      history: history.slice(-MAX_HISTORY).map(text => text.slice(0, MAX_TEXT)),
    }),
    ...(pasted && { pasted: pasted.slice(0, MAX_TEXT) }),
    ...(files && { files: files.slice(0, MAX_FILES) }),
  }
}

/** Reads a file of a skill, or a range of it. @param skillPath Encoded path of the skill on the server. */
async function readRemoteFile(
  client: HttpClient,
  skillPath: string,
  path: string,
  { range, signal }: ReadFileOptions,
): Promise<SkillFile> {
  safePath(path)
  checkRange(range)
  // Encoded as one segment, because URLs normalize `.//` and `//` and the server must see the path that was asked for.
  const address = `${skillPath}/files/${encodeURIComponent(path)}`
  const requested = await client.bytes(address, { range, signal })
  // A range past the end is cut from the whole file.
  const { part, bytes, header, url } =
    requested.part === 'unknown' ? await client.bytes(address, { signal }) : requested
  const fail = (message: string): SkillshelfError =>
    new SkillshelfError('source-failed', message, { subject: path, hint: 'try again' })
  if (part === 'unknown') throw fail(`${url} sent a part of the file without a valid Content-Range`)
  const digest = header('skill-digest')
  if (!part && digest !== undefined && (await digestOfLarge(bytes)) !== digest) {
    throw fail(`${url} sent bytes that do not match the digest`)
  }
  const cut = range && cutRange(part ? { bytes, partial: part } : { bytes }, range)
  const isOther = range ? cut === undefined : part
  if (isOther) throw fail(`${url} sent another range than was asked for`)
  const content = cut ?? { bytes }
  const text = decodeUtf8(content.bytes)
  const size = cut?.range.total ?? bytes.length
  const info = {
    path: header('skill-path') ?? safePath(path),
    size,
    ...(digest === undefined ? {} : { digest }),
  }
  return {
    ...describeFile(info),
    skill: header('skill-id') ?? '',
    location: header('skill-location') ?? '',
    ...content,
    ...(text === undefined ? {} : { text }),
  }
}
