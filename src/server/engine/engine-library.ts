import type { AbortOptions } from '../../core/abort.js'
import { createQueue, lazy } from '../../core/concurrency.js'
import { errorMessage, isSkillshelfError, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { joinPath, relativePath, safePath } from '../../core/paths.js'
import { deepFreeze } from '../../core/plain-data.js'
import { foldText } from '../../core/text/fold.js'
import { checkLimit, checkRatio, filterSkills, toQuery } from '../../library/arguments.js'
import { createLookup } from '../../library/catalog/lookup.js'
import { packedFile, readPackedFile } from '../../library/catalog/packed-files.js'
import type { LibraryChange, LibrarySnapshot } from '../../library/catalog/types.js'
import { emit, listen } from '../../library/events.js'
import { candidateCount, decide } from '../../library/match-decision.js'
import { checkEmbedder } from '../../library/options.js'
import { createSkill } from '../../library/skill.js'
import { fileNotFound, readFile } from '../../library/skill-file.js'
import type { SearchOptions, SkillFilter, SkillLibrary } from '../../library/types.js'
import { loadBackground } from '../../search/match/background.js'
import { noReason } from '../../search/match/reason.js'
import type { Reranker } from '../../search/match/rerank.js'
import { MATCH_LIMIT, SEARCH_LIMIT, THRESHOLD } from '../../search/match/score.js'
import type { MatcherResult, MatchQuery } from '../../search/match/types.js'
import type { SkillModel } from '../../search/model/types.js'
import { decodeText, decodeUtf8 } from '../../skill/decode.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { splitFrontmatter } from '../../skill/frontmatter.js'
import { describeFile } from '../../skill/media-types.js'
import type { FileInfo, Skill, SkillDetails, SkillId, SkillSummary } from '../../skill/skill.js'
import type { SkillSource } from '../../source/source.js'
import { countsFile, noCounts, openCounts } from './counts.js'
import { checkLibrary, type EngineHead, readHead, skipUnpublished, UNPUBLISHED } from './head.js'
import { explanationOf, planQuery, type RankedLibrary, rankAnswer, resultOf } from './ranking.js'
import type { EngineFilter, EngineLookup, SkillEngine } from './types.js'

/** Options of `openEngineLibrary`. */
export interface EngineLibraryOptions extends AbortOptions {
  /** Stores the rows. */
  engine: SkillEngine
  /** Stores the files, the counts and the head: the `files` of `publishToEngine`. */
  files: SkillSource
  /**
   * The model that the library was published with, such as `await bundled()`. If it cannot be loaded, or the library has vectors of
   * another model, skills are found by keywords only, with a diagnostic in `snapshot.diagnostics`.
   * @default undefined (keywords only)
   */
  embedder?: SkillModel | Promise<SkillModel> | false | undefined
  /**
   * Reorders the best matches of `match`: see `LibraryOptions.rerank`.
   * @default undefined
   */
  rerank?: Reranker | undefined
  /**
   * A library of at most this many skills is listed when it opens, with one more request, so that `snapshot.skills` has all skills.
   * @default 1_000
   */
  listUpTo?: number | undefined
  /**
   * Opens a library without skills if nothing is published yet. `refresh` finds the first revision.
   * @default false (`source-not-found`)
   */
  allowEmpty?: boolean | undefined
}

/** Options of `EngineLibrary.page`. */
export interface PageOptions extends SkillFilter, AbortOptions {
  /**
   * Maximum number of skills.
   * @default 100
   */
  limit?: number | undefined
  /** `next` of the page before. */
  cursor?: string | undefined
}

/**
 * A library whose skills are in a search engine. It differs from a library in memory in three points:
 *
 * - `snapshot.skills` has all skills if there are at most `listUpTo`, otherwise those that this object has returned, 10,000 at most.
 *   `page` lists all, `list` up to 10,000.
 * - Similar names of a skill that is not found come from `snapshot.skills`, and so do the skills that `on('change')` reports.
 * - Files of nested skills are read through the nested skill only. Disabled and hidden skills are not published.
 */
export interface EngineLibrary extends SkillLibrary {
  /** Number of skills of the revision that is searched. */
  readonly count: number
  /**
   * Lists skills in an order of the engine.
   * @returns The skills; `next` continues and is absent on the last page.
   * @throws SkillshelfError `invalid-input`, `source-failed`, `aborted`, `closed`
   * @example
   * ```ts
   * const { skills, next } = await library.page({ tags: ['pdf'], limit: 50 })
   * ```
   */
  page(options?: PageOptions): Promise<{ skills: readonly SkillSummary[]; next?: string | undefined }>
}

interface OpenHead extends RankedLibrary {
  head: EngineHead
  version: string | undefined
  diagnostics: readonly Diagnostic[]
}

/** Rows by words and by meaning: as many as a library in memory examines. */
const CANDIDATES = 50
const PAGE_LIMIT = 100
const MAX_PAGE = 1_000
const LIST_UP_TO = 1_000
const MAX_LISTED = 10_000
const MAX_OPENED = 64
/** Longer names come from a model or a request. */
const MAX_NAME = 1_024

/**
 * Opens a library that was published with `publishToEngine`.
 *
 * It reads the head and the counts. Each `match`, `search` and `explain` is one request to the engine; `get` is one to the engine and one
 * for the file. `refresh` reads the head again: call it at least once an hour, because rows of older revisions are deleted.
 *
 * @param options Engine, files and model.
 * @returns The library. Close it with `close()` or `await using`.
 * @throws SkillshelfError `source-not-found` if nothing is published, `format`, `source-failed`, `invalid-input`, `aborted`
 * @example
 * ```ts
 * import { openEngineLibrary } from 'skillshelf/server'
 * import { qdrant } from 'skillshelf/server'
 * import { bundled } from 'skillshelf/model'
 *
 * const library = await openEngineLibrary({
 *   engine: qdrant({ url: 'https://xyz.cloud.qdrant.io', apiKey, library: 'registry' }),
 *   files: r2(env.SKILLS, { prefix: 'registry/' }),
 *   embedder: bundled(),
 * })
 * const { matches } = await library.match('Summarize this PDF')
 * ```
 */
export async function openEngineLibrary(options: EngineLibraryOptions): Promise<EngineLibrary> {
  const { files, rerank, listUpTo = LIST_UP_TO, allowEmpty = false, signal } = options
  const engine = skipUnpublished(options.engine)
  const { model, failure } = await loadModel(options.embedder)
  const background = await loadBackground()
  const openNext = (version: string | undefined, signal: AbortSignal | undefined) =>
    openHead({ files, engine: options.engine, ifVersion: version, model, signal })
  const found = (await openNext(undefined, signal)) ?? (allowEmpty ? noHead() : undefined)
  if (!found)
    throw new SkillshelfError('source-not-found', `Nothing is published in ${files.name}`, {
      subject: files.name,
      hint: 'publish with publishToEngine',
    })
  let current = found
  let closed = false
  const listeners = new Set<(change: LibraryChange) => void>()
  const queue = createQueue()
  const opened = new Map<SkillId, Skill>()
  const details = new WeakMap<Skill, SkillDetails>()
  const seen = new Map<SkillId, SkillSummary>()
  const createSnapshot = (): LibrarySnapshot => {
    const skills = [...seen.values()]
    const sorted = lazy(() => Object.freeze(skills.sort((a, b) => (a.id < b.id ? -1 : 1))))
    const { head, diagnostics } = current
    return Object.freeze({
      revision: head.content,
      get skills() {
        return sorted()
      },
      diagnostics: Object.freeze([...(failure ? [failure] : []), ...diagnostics]),
    })
  }
  /** The skills of a small library. */
  const listAll = async ({ head }: OpenHead, signal: AbortSignal | undefined): Promise<readonly SkillSummary[]> => {
    if (head.skills === 0 || head.skills > listUpTo) return []
    const { skills } = await engine.page({ revision: head.revision, filter: {}, limit: head.skills }, { signal })
    return skills
  }
  for (const skill of await listAll(current, signal)) seen.set(skill.id, deepFreeze(skill))
  let snapshot = createSnapshot()

  const see = (skills: readonly SkillSummary[], isCurrent: boolean): void => {
    const added = isCurrent ? skills.filter(({ id }) => !seen.has(id)) : []
    if (added.length === 0) return
    for (const skill of added) seen.set(skill.id, deepFreeze(skill))
    for (const id of seen.keys()) {
      if (seen.size <= MAX_LISTED) break
      if (!opened.has(id)) seen.delete(id)
    }
    snapshot = createSnapshot()
  }
  const byName = (name: string, rows: readonly { summary: SkillSummary }[]): SkillSummary => {
    const found = rows.map(({ summary }) => summary)
    try {
      return createLookup(found, new Map()).find(name)
    } catch (error) {
      // Similar names come from the known skills.
      if (isSkillshelfError(error, 'skill-not-found')) return createLookup([...seen.values()], new Map()).find(name)
      throw error
    }
  }
  const checkOpen = ({ signal }: AbortOptions = {}): void => {
    if (closed) throw new SkillshelfError('closed', 'The library was closed')
    throwIfAborted(signal)
  }
  const revisionOf = ({ head }: OpenHead): number => head.revision

  /** Searches the engine and ranks what it found. */
  const rank = async (
    query: MatchQuery,
    { tags, origins, signal }: SkillFilter & AbortOptions,
    also?: EngineLookup,
  ) => {
    const searched = current
    filterSkills([], { tags, origins })
    const plan = await planQuery(query, searched, background, model)
    // Without words and vector, only `also` could be found.
    const isEmpty = plan.words.hashes.length === 0 && !plan.vector
    const answer =
      isEmpty && !also
        ? { candidates: [], also: [] }
        : await engine.candidates(
            {
              revision: revisionOf(searched),
              words: plan.words,
              vector: plan.vector,
              filter: toFilter({ tags, origins }),
              limit: CANDIDATES,
              also,
            },
            { signal },
          )
    checkOpen({ signal })
    return { searched, answer, ranked: rankAnswer(plan, answer, searched, background) }
  }

  const search = async (
    query: MatchQuery,
    { limit = SEARCH_LIMIT, language, ...options }: SearchOptions,
  ): Promise<{ result: MatcherResult; summaryOf(id: SkillId): SkillSummary | undefined }> => {
    checkOpen(options)
    checkLimit(limit)
    const { searched, answer, ranked } = await rank(query, options)
    const { skills } = searched.counts
    const result = resultOf(ranked, skills, { revision: searched.head.content, limit, language })
    const byId = new Map(answer.candidates.map(({ summary }) => [summary.id, summary]))
    see(
      result.matches.flatMap(({ id }) => byId.get(id) ?? []),
      searched === current,
    )
    return { result, summaryOf: id => byId.get(id) }
  }

  const open = async (name: string, { signal }: AbortOptions): Promise<Skill> => {
    const known = opened.get(name)
    if (known) return known
    const searched = current
    const rows = await engine.find(toLookup(name), revisionOf(searched), { signal })
    checkOpen({ signal })
    const summary = byName(name, rows)
    const skillDetails = (rows.find(row => row.summary.id === summary.id) as (typeof rows)[0]).details
    const { digest } = summary
    const bytes = await readPackedFile(files, packedFile(digest, '.md'), digest, signal)
    checkOpen({ signal })
    const { text } = decodeText(bytes)
    const skill = createSkill(
      summary,
      { digest, text, body: splitFrontmatter(text).body, details: skillDetails },
      { root: `skill://${summary.id}`, describeFile },
    )
    details.set(skill, skillDetails)
    if (searched === current) {
      opened.set(skill.id, skill)
      if (opened.size > MAX_OPENED) opened.delete(opened.keys().next().value as SkillId)
    }
    see([summary], searched === current)
    return skill
  }

  /** The nested skill that has a file which the outer one does not have. */
  const innermost = async (outer: Skill, path: string, options: AbortOptions): Promise<Skill | undefined> => {
    const folders = path.split('/').slice(0, -1)
    if (path === outer.file || outer.files.some(file => file.path === path) || folders.length === 0) return undefined
    const ids = folders.map((_, index) => `${outer.id}/${folders.slice(0, index + 1).join('/')}`)
    const rows = await engine.find({ ids, keys: [] }, revisionOf(current), options)
    const [id] = rows.map(({ summary }) => summary.id).sort((a, b) => b.length - a.length)
    return id === undefined ? undefined : open(id, options)
  }

  const library: EngineLibrary = {
    get snapshot() {
      return snapshot
    },
    get count() {
      return current.counts.skills
    },
    async page({ limit = PAGE_LIMIT, cursor, tags, origins, signal } = {}) {
      checkOpen({ signal })
      filterSkills([], { tags, origins })
      const searched = current
      const page = await engine.page(
        {
          revision: revisionOf(searched),
          filter: toFilter({ tags, origins }),
          limit: Math.min(checkLimit(limit), MAX_PAGE),
          cursor,
        },
        { signal },
      )
      checkOpen({ signal })
      return page
    },
    async list(options = {}) {
      const skills: SkillSummary[] = []
      let cursor: string | undefined
      do {
        const page = await library.page({ ...options, limit: MAX_PAGE, cursor })
        skills.push(...page.skills)
        cursor = page.next
        if (skills.length > MAX_LISTED || (cursor !== undefined && skills.length === MAX_LISTED))
          throw new SkillshelfError('too-large', `The list has more than ${MAX_LISTED} skills`, {
            hint: 'use page(), or filter by tags or origins',
          })
      } while (cursor !== undefined)
      return skills.sort((a, b) => (a.id < b.id ? -1 : 1))
    },
    async get(skill, options = {}) {
      checkOpen(options)
      return open(skill, options)
    },
    async read(name, path, options = {}) {
      checkOpen(options)
      const outer = await open(name, options)
      const fullPath = safePath(path)
      const skill = (await innermost(outer, fullPath, options)) ?? outer
      const inner = relativePath(skill.path, joinPath(outer.path, fullPath))
      const own = { path: skill.file, digest: skill.digest }
      const info = inner === skill.file ? own : skill.files.find(file => file.path === inner)
      if (!info) throw fileNotFound(outer, path, outer.files)
      const locate = (file: FileInfo) => {
        const digest = file.digest as string
        return { path: packedFile(digest, file.path), digest }
      }
      const { bytes, range, total } = await readFile({ source: files, locate }, info, options)
      const text = decodeUtf8(bytes)
      return {
        ...describeFile({ ...info, path: fullPath, size: total }),
        skill: outer.id,
        location: `skill://${outer.id}/${fullPath}`,
        bytes,
        ...(text === undefined ? {} : { text }),
        ...(range ? { range } : {}),
      }
    },
    async match(query, { limit = MATCH_LIMIT, threshold = THRESHOLD, margin, candidates, ...options } = {}) {
      checkRatio('threshold', threshold)
      if (margin !== undefined) checkRatio('margin', margin)
      checkLimit(limit)
      if (candidates !== undefined) checkLimit(candidates, 'candidates')
      const asked = toQuery(query)
      const needed = candidateCount({ limit, candidates, rerank })
      const { result, summaryOf } = await search(asked, { ...options, limit: needed })
      const { language, signal } = options
      return decide(asked, result, { limit, threshold, margin, candidates, rerank, summaryOf, language, signal })
    },
    async search(query, options = {}) {
      return (await search(toQuery(query), options)).result
    },
    async explain(query, name, { language, signal } = {}) {
      checkOpen({ signal })
      const { searched, answer, ranked } = await rank(toQuery(query), { signal }, toLookup(name))
      const summary = byName(name, answer.also)
      see([summary], searched === current)
      const { id } = summary
      const found = await explanationOf(ranked, id, language)
      if (found) return { ...found, matched: found.rank <= MATCH_LIMIT && found.score > THRESHOLD }
      return {
        id,
        name: summary.name,
        score: 0,
        confidence: 0,
        reason: noReason('nothing', language),
        signals: { terms: [], rules: [], missing: [], relevance: 0 },
        rank: 0,
        matched: false,
      }
    },
    refresh: ({ signal } = {}) =>
      queue(async () => {
        checkOpen({ signal })
        const unchanged = { revision: snapshot.revision, added: [], changed: [], removed: [] }
        const next = await openNext(current.version, signal)
        if (!next || next.head.revision === current.head.revision) {
          checkOpen({ signal })
          current = next ?? current
          return unchanged
        }
        const known = [...opened.keys()]
        const rows = known.length === 0 ? [] : await engine.find({ ids: known, keys: [] }, revisionOf(next), { signal })
        const listed = await listAll(next, signal)
        checkOpen({ signal })
        const before = new Map(seen)
        const now = new Map([...rows.map(({ summary }) => summary), ...listed].map(skill => [skill.id, skill]))
        const versions = new Map(rows.map(row => [row.summary.id, versionOf(row.summary, row.details)]))
        const isChanged = (id: SkillId): boolean => {
          const skill = opened.get(id)
          if (skill) return versionOf(skill, details.get(skill)) !== versions.get(id)
          return JSON.stringify(now.get(id)) !== JSON.stringify(before.get(id))
        }
        const isListed = now.size === next.head.skills && before.size === current.head.skills
        const removed = (isListed ? [...before.keys()] : known).filter(id => !now.has(id)).sort()
        const changed = [...now.keys()].filter(id => before.has(id) && isChanged(id)).sort()
        const added = isListed ? [...now.keys()].filter(id => !before.has(id)).sort() : []
        for (const id of [...changed, ...removed]) opened.delete(id)
        current = next
        seen.clear()
        for (const [id, skill] of now) seen.set(id, deepFreeze(skill))
        snapshot = createSnapshot()
        const change = deepFreeze({ revision: snapshot.revision, added, changed, removed })
        emit(listeners, change)
        return change
      }),
    on: (event, listener) => listen(listeners, event, listener),
    async close() {
      if (closed) return
      closed = true
      listeners.clear()
      opened.clear()
      await files.close?.()
    },
    [Symbol.asyncDispose]: () => library.close(),
  }
  return library
}

/** Reads the head and the counts. `undefined` if nothing is published, or nothing changed. */
async function openHead({
  files,
  engine,
  ifVersion,
  model,
  signal,
}: {
  files: SkillSource
  engine: SkillEngine
  ifVersion: string | undefined
  model: SkillModel | undefined
  signal: AbortSignal | undefined
}): Promise<OpenHead | undefined> {
  const found = await readHead(files, { ifVersion, signal })
  if (found === undefined && ifVersion === undefined) return undefined
  if (found === 'unchanged') return undefined
  if (!found)
    throw new SkillshelfError('source-not-found', `Nothing is published in ${files.name} any more`, {
      subject: files.name,
    })
  const { head, version } = found
  if (head.revision === 0) return undefined
  checkLibrary(head, engine, files)
  const bytes = await readPackedFile(files, countsFile(head.counts), head.counts, signal)
  const counts = openCounts(bytes)
  if (!counts)
    throw new SkillshelfError('format', `The counts of ${head.library} cannot be read by this version`, {
      subject: countsFile(head.counts),
      hint: 'publish again with this version',
    })
  const diagnostics: Diagnostic[] =
    model && model.space !== head.space
      ? [
          {
            code: 'vectors-missing',
            severity: 'warning',
            message: `${head.library} has no vectors of this embedder; its skills are matched by keywords only`,
            path: head.library,
            hint: 'publish again with this embedder',
          },
        ]
      : []
  return { head, version, counts, space: head.space, dimensions: head.dimensions, diagnostics }
}

/** A library before its first publish. */
function noHead(): OpenHead {
  return {
    head: UNPUBLISHED,
    version: undefined,
    counts: noCounts(),
    space: undefined,
    dimensions: 0,
    diagnostics: [],
  }
}

async function loadModel(
  embedder: EngineLibraryOptions['embedder'],
): Promise<{ model: SkillModel | undefined; failure?: Diagnostic }> {
  try {
    return { model: checkEmbedder(await embedder) }
  } catch (error) {
    if (error instanceof SkillshelfError && error.code === 'invalid-input') throw error
    const failure: Diagnostic = {
      code: 'model-unavailable',
      severity: 'warning',
      message: `The model could not be loaded: ${errorMessage(error)}`,
    }
    return { model: undefined, failure }
  }
}

/** Changes with any file of a skill. */
function versionOf({ digest }: Pick<SkillSummary, 'digest'>, details: SkillDetails | undefined): string {
  return `${digest} ${JSON.stringify(details)}`
}

function toFilter({ tags, origins }: SkillFilter): EngineFilter {
  return {
    ...(tags ? { tags: tags.map(tag => tag.toLowerCase()) } : {}),
    ...(origins ? { origins } : {}),
  }
}

/** @throws SkillshelfError `invalid-input` */
function toLookup(name: string): EngineLookup {
  if (typeof name !== 'string')
    throw new SkillshelfError('invalid-input', `The name of a skill must be a string, but is ${typeof name}`)
  const key = name.length > MAX_NAME ? '' : foldText(name)
  return { ids: [name.slice(0, MAX_NAME * 4)], keys: key === '' ? [] : [key] }
}
