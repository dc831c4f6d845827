import { type AbortOptions, abortable } from '../../core/abort.js'
import { createQueue, lazy } from '../../core/concurrency.js'
import { invalidInput, isSkillshelfError } from '../../core/errors.js'
import { allPages } from '../../core/paging.js'
import { joinPath, relativePath, safePath } from '../../core/paths.js'
import { deepFreeze } from '../../core/plain-data.js'
import { foldText } from '../../core/text/fold.js'
import type { LibraryBackend, ReadFileOptions } from '../../library/api/backend.js'
import type { Lifetime } from '../../library/api/lifetime.js'
import type { ExplainOptions, SkillFilter } from '../../library/api/skill-library.js'
import type { LibraryChange, LibrarySnapshot } from '../../library/catalog/catalog-entry.js'
import { createLookup } from '../../library/catalog/lookup.js'
import { packedFile, readPackedFile } from '../../library/catalog/packed-files.js'
import {
  explainSkill,
  matchSkills,
  type RankedMessage,
  type Ranker,
  type RankerOptions,
  searchSkills,
} from '../../library/query/answer.js'
import { keepOpened } from '../../library/query/arguments.js'
import { listPages, type ReadPage } from '../../library/query/pages.js'
import {
  createSkill,
  createSkillFile,
  fileNotFound,
  readFile,
} from '../../library/query/skill-file.js'
import type { Reranker } from '../../search/decide/rerank.js'
import type { CorpusStatistics } from '../../search/match/corpus-statistics.js'
import { explainRanking } from '../../search/match/matcher.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import { decodeText } from '../../skill/decode.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { splitFrontmatter } from '../../skill/frontmatter.js'
import type { FileInfo, Skill, SkillFile, SkillId, SkillSummary } from '../../skill/skill.js'
import type { SkillSource } from '../../source/source.js'
import type { CheckedAnswer, CheckedSkill, RowReader } from './checked-rows.js'
import type { Publication } from './publication.js'
import { type EngineRanking, planQuery, rankAnswer, resultOf } from './ranking.js'
import type { EngineFilter, EngineLookup } from './skill-engine.js'

/** Rows by words and by meaning: as many as a library in memory examines. */
const CANDIDATES = 50
const MAX_SEEN = 10_000
const PAGE_SIZE = 1_000
/** Longer names come from a model or a request. */
const MAX_NAME = 1_024

export interface EngineParts {
  rows: RowReader
  files: SkillSource
  model: SkillModel | undefined
  corpus: CorpusStatistics
  rerank: Reranker | undefined
  /** A library of at most this many skills is in the snapshot. */
  listUpTo: number
  lifetime: Lifetime
  /** Problems of the model, in every snapshot. */
  problems: readonly Diagnostic[]
  /** Reads the published revision again. `undefined`: it is the same. */
  readNext(
    version: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Publication | undefined>
}

/** An open library of an engine. A refresh replaces the published revision, and with it everything but the parts. */
interface EngineState {
  readonly parts: EngineParts
  published: Publication
  /** Opened skills. The version changes with any file of a skill. */
  opened: Map<SkillId, { skill: Skill; version: string }>
  /** All skills of a small library, else those that were returned. */
  seen: Map<SkillId, SkillSummary>
  snapshot: LibrarySnapshot
}

/** The backend of a library in a search engine, which reads its skills in pages. */
export interface EngineBackend extends LibraryBackend {
  readonly page: ReadPage
}

export async function createEngineBackend(
  parts: EngineParts,
  published: Publication,
  signal: AbortSignal | undefined,
): Promise<EngineBackend> {
  const seen = toMap(await listAll(parts, published, signal))
  const state: EngineState = {
    parts,
    published,
    opened: new Map(),
    seen,
    snapshot: snapshotOf(parts, published, seen),
  }
  const queue = createQueue()
  const ranker: Ranker = { rank: (query, options) => rankMessage(state, query, options) }
  const page: EngineBackend['page'] = async ({ limit, cursor, signal, ...filter }) => {
    const { published } = state
    const found = await parts.rows.page(
      { filter: toFilter(filter), limit, cursor },
      published.head,
      { signal },
    )
    addSeen(state, published, [])
    return found
  }
  return {
    get snapshot() {
      return state.snapshot
    },
    page,
    list: filter => listPages(page, filter),
    get: (name, options) => open(state, name, options),
    read: (name, path, options) => read(state, name, path, options),
    search: (query, options) => searchSkills(ranker, query, options),
    match: (query, options) => matchSkills(ranker, query, { ...options, rerank: parts.rerank }),
    explain: (query, name, options) => explainSkill(ranker, query, name, options),
    refresh: signal => queue(() => refresh(state, signal)),
    close: () => parts.files.close?.(),
  }
}

/** Asks the engine once for a message, and ranks the rows that it finds. */
async function rankMessage(
  state: EngineState,
  query: MatchQuery,
  { skill: name, language, ...options }: RankerOptions,
): Promise<RankedMessage> {
  const also = name === undefined ? undefined : toLookup(name)
  const { searched, answer, ranked } = await rankRows(state, query, options, also)
  const { content: revision } = searched.head
  const skill = name === undefined ? undefined : byName(state, name, answer.also)
  const found = answer.candidates.map(({ summary }) => summary)
  const byId = toMap(skill ? [...found, skill] : found)
  if (skill) addSeen(state, searched, [skill])
  return {
    async nearest(limit) {
      const found = resultOf(ranked, searched.counts.skills, { revision, limit, language })
      const skills = found.matches.flatMap(({ id }) => byId.get(id) ?? [])
      addSeen(state, searched, skills)
      return { ...found, complete: found.complete && state.parts.problems.length === 0 }
    },
    explain: async id => {
      const { ranking, segments, rankAlone } = ranked
      return explainRanking(ranking, segments, { id, language, rankAlone: () => rankAlone(id) })
    },
    summaryOf: id => byId.get(id),
    skill,
  }
}

/** The answer of an engine to one message. */
interface RankedRows {
  /** The revision that was searched: a refresh may replace it meanwhile. */
  searched: Publication
  answer: CheckedAnswer
  ranked: EngineRanking
}

/** The rows that an engine finds for a message, ranked as in memory. @param also Rows that it adds, whatever the message says. */
async function rankRows(
  { parts: { rows, model, corpus, lifetime }, published: searched }: EngineState,
  query: MatchQuery,
  { wait, signal, ...filter }: SkillFilter & Omit<ExplainOptions, 'language'>,
  also: EngineLookup | undefined,
): Promise<RankedRows> {
  const modelTimeout = wait === false ? 0 : undefined
  const plan = await abortable(planQuery(query, searched, { corpus, model, modelTimeout }), signal)
  const { words, vector } = plan
  // Without words and vector, only `also` could be found.
  const isEmpty = words.hashes.length === 0 && !vector && !also
  const search = { words, vector, filter: toFilter(filter), limit: CANDIDATES, also }
  const answer = isEmpty
    ? { candidates: [], also: [] }
    : await rows.candidates(search, searched.head, { signal })
  lifetime.check({ signal })
  return { searched, answer, ranked: rankAnswer(plan, answer, searched, corpus) }
}

async function open(state: EngineState, name: string, { signal }: AbortOptions): Promise<Skill> {
  const known = state.opened.get(name)
  if (known) return known.skill
  const { parts, published } = state
  let rows: readonly CheckedSkill[]
  try {
    rows = await parts.rows.find(toLookup(name), published.head, { signal })
  } catch (error) {
    const skill = isSkillshelfError(error, 'source-failed') && openedByName(state, name)
    if (!skill) throw error
    parts.lifetime.check({ signal })
    return skill
  }
  parts.lifetime.check({ signal })
  addSeen(state, published, [])
  const summary = byName(state, name, rows)
  const { details, version } = rows.find(({ summary: { id } }) => id === summary.id) as CheckedSkill
  const { digest } = summary
  const bytes = await readPackedFile(parts.files, packedFile(digest, '.md'), digest, signal)
  const { text } = decodeText(bytes)
  const { body } = splitFrontmatter(text)
  const skill = createSkill(summary, { digest, text, body, details }, `skill://${summary.id}`)
  if (published === state.published) keepOpened(state.opened, skill.id, { skill, version })
  addSeen(state, published, [summary])
  return skill
}

/** An opened skill, which stays readable by name while the engine is down. */
function openedByName({ opened }: EngineState, name: string): Skill | undefined {
  const skills = [...opened.values()].map(({ skill }) => skill)
  try {
    return opened.get(createLookup(skills, new Map()).find(name).id)?.skill
  } catch {
    return undefined
  }
}

async function read(
  state: EngineState,
  name: string,
  path: string,
  options: ReadFileOptions,
): Promise<SkillFile> {
  const outer = await open(state, name, options)
  const fullPath = safePath(path)
  const skill = (await nestedSkill(state, outer, fullPath, options)) ?? outer
  const inner = relativePath(skill.path, joinPath(outer.path, fullPath))
  const own = { path: skill.file, digest: skill.digest }
  const info = inner === skill.file ? own : skill.files.find(file => file.path === inner)
  if (!info) throw fileNotFound(outer, path, outer.files)
  const locate = ({ path, digest = '' }: FileInfo) => ({ path: packedFile(digest, path), digest })
  const content = await readFile({ source: state.parts.files, locate }, info, options)
  const location = `skill://${outer.id}/${fullPath}`
  return createSkillFile(info, content, { path: fullPath, skill: outer.id, location })
}

/** The innermost nested skill that has a file which the outer one does not have. */
async function nestedSkill(
  state: EngineState,
  outer: Skill,
  path: string,
  { signal }: AbortOptions,
) {
  const folders = path.split('/').slice(0, -1)
  if (path === outer.file || outer.files.some(file => file.path === path) || folders.length === 0) {
    return undefined
  }
  const ids = folders.map((_, index) => `${outer.id}/${folders.slice(0, index + 1).join('/')}`)
  const rows = await state.parts.rows.find({ ids, keys: [] }, state.published.head, { signal })
  const [id] = rows.map(({ summary }) => summary.id).sort((a, b) => b.length - a.length)
  return id === undefined ? undefined : open(state, id, { signal })
}

async function refresh(
  state: EngineState,
  signal: AbortSignal | undefined,
): Promise<LibraryChange> {
  const { parts, published: before, seen: old } = state
  const { lifetime } = parts
  lifetime.check({ signal })
  const next = await parts.readNext(before.version, signal)
  if (!next || next.head.revision === before.head.revision) {
    lifetime.check({ signal })
    state.published = next ?? before
    return { revision: state.snapshot.revision, added: [], changed: [], removed: [] }
  }
  const known = [...state.opened.keys()]
  parts.rows.leftOut.clear()
  const rows =
    known.length === 0 ? [] : await parts.rows.find({ ids: known, keys: [] }, next.head, { signal })
  const listed = await listAll(parts, next, signal)
  lifetime.check({ signal })
  const seen = toMap([...rows.map(({ summary }) => summary), ...listed])
  const versions = new Map(rows.map(({ summary, version }) => [summary.id, version]))
  const isChanged = (id: SkillId): boolean => {
    const skill = state.opened.get(id)
    return skill
      ? skill.version !== versions.get(id)
      : JSON.stringify(seen.get(id)) !== JSON.stringify(old.get(id))
  }
  const isListed = seen.size === next.head.skills && old.size === before.head.skills
  const removed = (isListed ? [...old.keys()] : known).filter(id => !seen.has(id)).sort()
  const changed = [...seen.keys()].filter(id => old.has(id) && isChanged(id)).sort()
  const added = isListed ? [...seen.keys()].filter(id => !old.has(id)).sort() : []
  for (const id of [...changed, ...removed]) state.opened.delete(id)
  Object.assign(state, { published: next, seen, snapshot: snapshotOf(parts, next, seen) })
  const change = deepFreeze({ revision: next.head.content, added, changed, removed })
  lifetime.emit(change)
  return change
}

/** The skills of a small library. */
async function listAll(
  { rows, listUpTo }: EngineParts,
  { head }: Publication,
  signal: AbortSignal | undefined,
) {
  if (head.skills === 0 || head.skills > listUpTo) return []
  const skills: SkillSummary[] = []
  const read = (cursor: string | undefined) =>
    rows.page({ filter: {}, limit: PAGE_SIZE, cursor }, head, { signal })
  for await (const page of allPages('The engine', read)) skills.push(...page.skills)
  return skills
}

function snapshotOf(
  { problems, rows }: EngineParts,
  { head, counts, diagnostics }: Publication,
  seen: ReadonlyMap<SkillId, SkillSummary>,
): LibrarySnapshot {
  const skills = [...seen.values()]
  const sorted = lazy(() => Object.freeze(skills.sort((a, b) => (a.id < b.id ? -1 : 1))))
  return Object.freeze({
    revision: head.content,
    get skills() {
      return sorted()
    },
    total: counts.skills,
    diagnostics: deepFreeze([...problems, ...diagnostics, ...rows.leftOut.values()]),
  })
}

/** Adds returned skills to the snapshot, unless they are of an older revision, and the diagnostics of rows left out. */
function addSeen(state: EngineState, searched: Publication, skills: readonly SkillSummary[]): void {
  const { parts, published, opened, seen } = state
  const added = searched === published ? skills.filter(({ id }) => !seen.has(id)) : []
  const known = parts.problems.length + published.diagnostics.length + parts.rows.leftOut.size
  if (added.length === 0 && known === state.snapshot.diagnostics.length) return
  for (const skill of added) seen.set(skill.id, deepFreeze(skill))
  for (const id of seen.keys()) {
    if (seen.size <= MAX_SEEN) break
    if (!opened.has(id)) seen.delete(id)
  }
  state.snapshot = snapshotOf(parts, published, seen)
}

function byName(
  { seen }: EngineState,
  name: string,
  rows: readonly { summary: SkillSummary }[],
): SkillSummary {
  const find = (skills: Iterable<SkillSummary>) => createLookup([...skills], new Map()).find(name)
  try {
    return find(rows.map(({ summary }) => summary))
  } catch (error) {
    // Similar names come from the known skills.
    if (isSkillshelfError(error, 'skill-not-found')) return find(seen.values())
    throw error
  }
}

function toMap(skills: readonly SkillSummary[]): Map<SkillId, SkillSummary> {
  return new Map(skills.map(skill => [skill.id, deepFreeze(skill)]))
}

function toFilter({ tags, origins }: SkillFilter): EngineFilter {
  return {
    ...(tags ? { tags: tags.map(tag => tag.toLowerCase()) } : {}),
    ...(origins ? { origins } : {}),
  }
}

/** @throws SkillshelfError `invalid-input` */
function toLookup(name: string): EngineLookup {
  if (typeof name !== 'string') {
    throw invalidInput(`The name of a skill must be a string, but is ${typeof name}`)
  }
  const key = name.length > MAX_NAME ? '' : foldText(name)
  return { ids: [name.slice(0, MAX_NAME * 4)], keys: key === '' ? [] : [key] }
}
