import { fromBase64, toBase64 } from '../../../core/base64.js'
import { invalidInput, SkillshelfError } from '../../../core/errors.js'
import { parseUrl } from '../../../core/parse-url.js'
import { isRecord } from '../../../core/plain-data.js'
import { checkOptionNames, type OptionNames } from '../../../core/text/option-names.js'
import type { SkillSummary } from '../../../skill/skill.js'
import {
  type EngineCandidate,
  type EngineFilter,
  type EngineListed,
  type EngineLookup,
  type EngineQuery,
  type EngineRow,
  type EngineRowState,
  type EngineSkill,
  MAX_FOUND,
  type SkillEngine,
} from '../skill-engine.js'
import { type QdrantConnection, type QdrantRequest, requestQdrant } from './request.js'

/** Options of `qdrant`. */
export interface QdrantOptions {
  /** Address of the REST API, such as `https://xyz.cloud.qdrant.io:6333`. */
  url: string
  /** Sent as `api-key`. A key for reads is enough to open a library. @default undefined */
  apiKey?: string | undefined
  /** Name of the library. Every request is limited to it, so libraries of many tenants share a collection. */
  library: string
  /** Name of the collection. The first publish creates it. @default 'skillshelf' */
  collection?: string | undefined
  /** Milliseconds that a search may take. Writes have a minute, and are repeated after temporary failures. @default 2_000 */
  timeout?: number | undefined
  /** Shards and replicas of a collection that is created. @default those of the server */
  shards?: number | undefined
  replicas?: number | undefined
  /** @default globalThis.fetch */
  fetch?: typeof fetch | undefined
}

/** `until` of a row that is not retired. */
const NEVER = Number.MAX_SAFE_INTEGER
const TIMEOUT = 2_000
const WRITE_RETRIES = 4
/** Form of a cursor: the id of a row. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
/** Dimensions of a collection whose first library has no vectors: those of the bundled model. */
const DIMENSIONS = 128
/** Payload fields that rows are filtered by. Names and ids are rarely read, so their index stays on disk. */
const INDEXES = {
  library: { type: 'keyword', is_tenant: true },
  since: { type: 'integer', lookup: false, range: true },
  until: { type: 'integer', lookup: false, range: true },
  tags: { type: 'keyword' },
  origin: { type: 'keyword' },
  id: { type: 'keyword', on_disk: true },
  keys: { type: 'keyword', on_disk: true },
} as const
/** Fields that every answer has, so that rows of another library or revision are noticed. */
const OWNER = ['library', 'since', 'until', 'attempt']

interface Payload {
  library: string
  since: number
  until: number
  attempt: string
  version: string
  skill: SkillSummary
  details: string
  /** In base64. */
  ranking: string
}

interface Point {
  id: string
  payload: Payload
}

const OPTIONS = {
  url: 1,
  apiKey: 1,
  library: 1,
  collection: 1,
  timeout: 1,
  shards: 1,
  replicas: 1,
  fetch: 1,
} satisfies OptionNames<QdrantOptions>

/**
 * Stores the rows of a library in a Qdrant collection, by its REST API.
 *
 * The collection has a sparse vector `words`, a dense vector `meaning` and the payload on disk. Ranking does not depend on it: Qdrant
 * finds a hundred candidates.
 * @returns An engine. Its methods throw `source-failed` if the server is unreachable, slow or answers with an error.
 * @throws SkillshelfError `invalid-input`
 * @example
 * ```ts
 * import { qdrant } from 'skillshelf/engine'
 *
 * const engine = qdrant({ url: 'http://localhost:6333', library: 'registry' })
 * ```
 */
export function qdrant(options: QdrantOptions): SkillEngine {
  checkOptionNames(options, OPTIONS)
  const {
    apiKey,
    library,
    collection = 'skillshelf',
    timeout = TIMEOUT,
    shards,
    replicas,
  } = options
  const address = parseUrl(options.url)
  if (!address) {
    throw invalidInput(`"url" is not an address: ${JSON.stringify(options.url)}`)
  }
  const { host, protocol, pathname, origin } = address
  if (!['http:', 'https:'].includes(protocol)) {
    throw invalidInput(`"url" must be an http or https address, not ${protocol}`)
  }
  if (typeof library !== 'string' || library === '') throw invalidInput('"library" must be a name')
  const connection: QdrantConnection = {
    name: host,
    url: origin + pathname.replace(/\/$/, ''),
    apiKey,
    // Called without a receiver: a Worker's fetch refuses any other.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeout,
  }
  const base = `/collections/${encodeURIComponent(collection)}`
  const send = (request: QdrantRequest): Promise<unknown> => requestQdrant(connection, request)
  const write = (
    path: string,
    body: unknown,
    signal: AbortSignal | undefined,
    method: 'POST' | 'PUT' = 'POST',
  ) => send({ method, path: `${base}${path}?wait=true`, body, retries: WRITE_RETRIES, signal })
  const malformed = (): SkillshelfError =>
    new SkillshelfError('source-failed', `${host} gave an answer that is not one of Qdrant`, {
      subject: host,
    })

  const own = { key: 'library', match: { value: library } }
  const inRevision = (revision: number, filter: EngineFilter = {}) => [
    own,
    { key: 'since', range: { lte: revision } },
    { key: 'until', range: { gt: revision } },
    ...(filter.tags ? [isAny('tags', filter.tags)] : []),
    ...(filter.origins ? [isAny('origin', filter.origins)] : []),
    ...(filter.ids ? [isAny('id', filter.ids)] : []),
  ]
  const byName = (revision: number, { ids, keys }: EngineLookup) => ({
    must: [...inRevision(revision), { should: [isAny('id', ids), isAny('keys', keys)] }],
  })
  /** Rows of another library or revision are dropped: a server or proxy in between may ignore a filter. */
  const readPoints = (points: unknown, revision: number | undefined): Point[] => {
    if (!Array.isArray(points)) throw malformed()
    return points.filter((point): point is Point => {
      if (!isRecord(point) || typeof point['id'] !== 'string' || !isRecord(point['payload'])) {
        throw malformed()
      }
      const { since, until } = point['payload']
      const isOwn = point['payload']['library'] === library
      return (
        isOwn && (revision === undefined || (Number(since) <= revision && Number(until) > revision))
      )
    })
  }
  const scroll = async (
    body: {
      filter: unknown
      limit: number
      cursor?: string | undefined
      fields: readonly string[]
    },
    revision: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ points: Point[]; next: string | undefined }> => {
    const { filter, limit, cursor, fields } = body
    const result = await send({
      method: 'POST',
      path: `${base}/points/scroll`,
      body: {
        filter,
        limit,
        offset: cursor,
        with_payload: [...OWNER, ...fields],
        with_vector: false,
      },
      signal,
    })
    if (!isRecord(result)) throw malformed()
    const next = result['next_page_offset']
    return {
      points: readPoints(result['points'], revision),
      next: typeof next === 'string' ? next : undefined,
    }
  }

  return {
    name: host,
    library,
    async prepare({ dimensions, signal }) {
      const found = await send({ method: 'GET', path: `${base}/exists`, signal })
      if (!isRecord(found) || !found['exists']) {
        await send({
          method: 'PUT',
          path: base,
          body: {
            vectors: {
              meaning: { size: dimensions || DIMENSIONS, distance: 'Dot', datatype: 'float16' },
            },
            sparse_vectors: { words: { index: { on_disk: true, datatype: 'uint8' } } },
            on_disk_payload: true,
            shard_number: shards,
            replication_factor: replicas,
          },
          retries: WRITE_RETRIES,
          signal,
        })
      }
      // Creating an index that exists changes nothing, and an interrupted publish may have created some.
      for (const [field_name, field_schema] of Object.entries(INDEXES)) {
        await write('/index', { field_name, field_schema }, signal, 'PUT')
      }
    },
    async candidates({ revision, words, vector, filter, limit, also }, { signal } = {}) {
      const must = { must: inRevision(revision, filter) }
      const with_payload = [...OWNER, 'skill', 'ranking']
      const nearest = [
        ...(words.hashes.length > 0 ? [{ using: 'words', query: sparse(words) }] : []),
        ...(vector ? [{ using: 'meaning', query: [...vector] }] : []),
      ].map(one => ({ ...one, filter: must, limit }))
      // The fusion sends a row that both find once. Its order does not matter.
      const fused = {
        prefetch: nearest,
        query: { fusion: 'rrf' },
        limit: limit * nearest.length,
        with_payload,
      }
      const searches = [
        ...(nearest.length > 1 ? [fused] : nearest.map(one => ({ ...one, with_payload }))),
        ...(also ? [{ filter: byName(revision, also), limit: MAX_FOUND, with_payload }] : []),
      ]
      if (searches.length === 0) return { candidates: [], also: [] }
      const result = await send({
        method: 'POST',
        path: `${base}/points/query/batch`,
        body: { searches },
        signal,
      })
      if (!Array.isArray(result) || result.length !== searches.length) throw malformed()
      const lists = result.map(one =>
        readPoints(isRecord(one) ? one['points'] : undefined, revision),
      )
      const named = (also && lists.pop()) ?? []
      const [found = []] = lists
      return { candidates: found.map(toCandidate), also: named.map(toCandidate) }
    },
    async find(lookup, revision, { signal } = {}) {
      const body = {
        filter: byName(revision, lookup),
        limit: MAX_FOUND,
        fields: ['version', 'skill', 'details'],
      }
      const { points } = await scroll(body, revision, signal)
      return points.map((point): EngineSkill => {
        const { version, details } = point.payload
        return { ...toListed(point), version, details }
      })
    },
    async page({ revision, filter, limit, cursor }, { signal } = {}) {
      // Qdrant would refuse it as if the server were at fault.
      if (cursor !== undefined && !UUID.test(cursor)) {
        throw invalidInput(
          `The cursor ${JSON.stringify(cursor.slice(0, 80))} is not one of this library`,
          'pass `nextCursor` of the previous page, or none for the first page',
        )
      }
      const must = inRevision(revision, filter)
      const { points, next } = await scroll(
        { filter: { must }, limit, cursor, fields: ['skill'] },
        revision,
        signal,
      )
      return { rows: points.map(toListed), next }
    },
    async scan({ limit, cursor }, { signal } = {}) {
      const body = { filter: { must: [own] }, limit, cursor, fields: ['version'] }
      const { points, next } = await scroll(body, undefined, signal)
      const rows = points.map(
        ({ id, payload: { version, attempt, since, until } }): EngineRowState => {
          return { row: id, version, attempt, since, until: until === NEVER ? undefined : until }
        },
      )
      return { rows, next }
    },
    async put(rows, revision, { signal } = {}) {
      if (rows.length === 0) return
      await write(
        '/points',
        { points: rows.map(row => toPoint(row, library, revision)) },
        signal,
        'PUT',
      )
    },
    async retire(rows, revision = NEVER, { signal } = {}) {
      if (rows.length === 0) return
      const filter = { must: [own, { has_id: rows }] }
      await write('/points/payload', { payload: { until: revision }, filter }, signal)
    },
    async remove(rows, { signal } = {}) {
      if (rows.length === 0) return
      await write('/points/delete', { filter: { must: [own, { has_id: rows }] } }, signal)
    },
    async sweep(revision, { signal } = {}) {
      const filter = { must: [own, { key: 'until', range: { lte: revision } }] }
      await write('/points/delete', { filter }, signal)
    },
  }
}

function isAny(key: string, values: readonly string[]) {
  return { key, match: { any: values } }
}

function sparse({ hashes, weights }: EngineQuery['words'] | EngineRow['words']) {
  return { indices: [...hashes], values: [...weights] }
}

function toPoint(row: EngineRow, library: string, revision: number): unknown {
  const { version, attempt, summary, details, keys, words, vector, ranking } = row
  const { id, origin, tags } = summary
  return {
    id: row.row,
    vector: {
      words: words.hashes.length > 0 ? sparse(words) : undefined,
      meaning: vector && [...vector],
    },
    payload: {
      library,
      since: revision,
      until: NEVER,
      attempt,
      version,
      id,
      origin,
      tags: tags.map(tag => tag.toLowerCase()),
      keys,
      skill: summary,
      details,
      ranking: toBase64(ranking),
    },
  }
}

function toListed({ id, payload: { attempt, skill } }: Point): EngineListed {
  return { row: id, attempt, summary: skill }
}

/** Without bytes for invalid base64: the row is left out. */
function toCandidate(point: Point): EngineCandidate {
  let ranking = new Uint8Array(0)
  try {
    ranking = fromBase64(point.payload.ranking)
  } catch {
    // The row is damaged.
  }
  return { ...toListed(point), ranking }
}
