import type { AbortOptions } from '../../core/abort.js'
import { createQueue, lazy } from '../../core/concurrency.js'
import { invalidInput, isSkillshelfError } from '../../core/errors.js'
import { allPages } from '../../core/paging.js'
import { joinPath, relativePath, safePath } from '../../core/paths.js'
import { deepFreeze } from '../../core/plain-data.js'
import { foldText } from '../../core/text/fold.js'
import type { Reranker } from '../../search/decide/rerank.js'
import { explainRanking, toResult } from '../../search/match/matcher.js'
import type { MatcherResult, MatchQuery } from '../../search/match/skill-match.js'
import { decodeText } from '../../skill/decode.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { splitFrontmatter } from '../../skill/frontmatter.js'
import type { FileInfo, Skill, SkillFile, SkillId, SkillSummary } from '../../skill/skill.js'
import type { SkillSource } from '../../source/source.js'
import type { LibraryBackend, ReadFileOptions } from '../api/backend.js'
import type { Lifetime } from '../api/lifetime.js'
import type { SkillFilter } from '../api/skill-library.js'
import type { LibraryChange, LibrarySnapshot } from '../catalog/catalog-entry.js'
import { createLookup } from '../catalog/lookup.js'
import { packedFile, readPackedFile } from '../catalog/packed-files.js'
import {
  explainSkill,
  matchSkills,
  type RankedMessage,
  type Ranker,
  type RankerOptions,
  searchSkills,
} from '../query/answer.js'
import { keepOpened } from '../query/arguments.js'
import { listPages, type ReadPage } from '../query/pages.js'
import { createSkill, createSkillFile, fileNotFound, readFile } from '../query/skill-file.js'
import type {
  FoundSkill,
  PagedFilter,
  PagedIndex,
  PagedRanking,
  SkillLookup,
} from './paged-index.js'

const MAX_SEEN = 10_000
const PAGE_SIZE = 1_000
/** Longer names come from a model or a request. */
const MAX_NAME = 1_024

export interface PagedParts {
  /** Where the files of the skills are. */
  files: SkillSource
  rerank: Reranker | undefined
  /** A library of at most this many skills is in the snapshot. */
  listUpTo: number
  lifetime: Lifetime
  /** Problems of the model, in every snapshot. */
  problems: readonly Diagnostic[]
  /** Reads the published revision again. `undefined`: it is the same. */
  readNext(current: PagedIndex, signal: AbortSignal | undefined): Promise<PagedIndex | undefined>
}

/** An open library whose skills are read as they are needed. A refresh replaces its index, and with it everything but the parts. */
interface PagedState {
  readonly parts: PagedParts
  index: PagedIndex
  /** Opened skills. The version changes with any file of a skill. */
  opened: Map<SkillId, { skill: Skill; version: string }>
  /** All skills of a small library, else those that were returned. */
  seen: Map<SkillId, SkillSummary>
  snapshot: LibrarySnapshot
}

/** The backend of a library that reads its skills in pages. */
export interface PagedBackend extends LibraryBackend {
  readonly page: ReadPage
}

export async function createPagedBackend(
  parts: PagedParts,
  index: PagedIndex,
  signal: AbortSignal | undefined,
): Promise<PagedBackend> {
  const seen = toMap(await listAll(parts, index, signal))
  const state: PagedState = {
    parts,
    index,
    opened: new Map(),
    seen,
    snapshot: snapshotOf(parts, index, seen),
  }
  const queue = createQueue()
  const ranker: Ranker = { rank: (query, options) => rankMessage(state, query, options) }
  const page: PagedBackend['page'] = async ({ limit, cursor, signal, ...filter }) => {
    const { index } = state
    const found = await index.page({ filter: toFilter(filter), limit, cursor }, { signal })
    addSeen(state, index, [])
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

/** Asks the index once for a message. */
async function rankMessage(
  state: PagedState,
  query: MatchQuery,
  { skill: name, language, wait, signal, ...filter }: RankerOptions,
): Promise<RankedMessage> {
  const { index, parts } = state
  const also = name === undefined ? undefined : toLookup(name)
  const options = { wait, signal, filter: toFilter(filter), also }
  const ranked = await index.rank(query, options)
  parts.lifetime.check({ signal })
  const skill = name === undefined ? undefined : byName(state, name, ranked.also)
  const byId = toMap(skill ? [...ranked.found, skill] : ranked.found)
  if (skill) addSeen(state, index, [skill])
  return {
    async nearest(limit) {
      const found = resultOf(ranked, index, { revision: index.content, limit, language })
      const skills = found.matches.flatMap(({ id }) => byId.get(id) ?? [])
      addSeen(state, index, skills)
      return { ...found, complete: found.complete && parts.problems.length === 0 }
    },
    explain: async id => {
      const { ranking, segments, rankAlone } = ranked
      return explainRanking(ranking, segments, { id, language, rankAlone: () => rankAlone(id) })
    },
    summaryOf: id => byId.get(id),
    skill,
  }
}

function resultOf(
  { ranking, segments }: PagedRanking,
  { total }: PagedIndex,
  options: Parameters<typeof toResult>[2],
): MatcherResult {
  const result = toResult(ranking, segments, options)
  // No row was found; that does not say why.
  if (result.abstained === 'empty-library' && total > 0) {
    return { ...result, abstained: ranking.emptyMessage ? 'empty-message' : 'no-common-word' }
  }
  return result
}

async function open(state: PagedState, name: string, { signal }: AbortOptions): Promise<Skill> {
  const known = state.opened.get(name)
  if (known) return known.skill
  const { parts, index } = state
  let rows: readonly FoundSkill[]
  try {
    rows = await index.find(toLookup(name), { signal })
  } catch (error) {
    const skill = isSkillshelfError(error, 'source-failed') && openedByName(state, name)
    if (!skill) throw error
    parts.lifetime.check({ signal })
    return skill
  }
  parts.lifetime.check({ signal })
  addSeen(state, index, [])
  const summary = byName(
    state,
    name,
    rows.map(row => row.summary),
  )
  const row = rows.find(({ summary: { id } }) => id === summary.id) as FoundSkill
  const { digest } = summary
  const [details, bytes] = await Promise.all([
    row.details({ signal }),
    readPackedFile(parts.files, packedFile(digest, '.md'), digest, signal),
  ])
  const { text } = decodeText(bytes)
  const { body } = splitFrontmatter(text)
  const skill = createSkill(summary, { digest, text, body, details }, `skill://${summary.id}`)
  const { version } = row
  if (index === state.index) keepOpened(state.opened, skill.id, { skill, version })
  addSeen(state, index, [summary])
  return skill
}

/** An opened skill, which stays readable by name while the engine is down. */
function openedByName({ opened }: PagedState, name: string): Skill | undefined {
  const skills = [...opened.values()].map(({ skill }) => skill)
  try {
    return opened.get(createLookup(skills, new Map()).find(name).id)?.skill
  } catch {
    return undefined
  }
}

async function read(
  state: PagedState,
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
  state: PagedState,
  outer: Skill,
  path: string,
  { signal }: AbortOptions,
) {
  const folders = path.split('/').slice(0, -1)
  if (path === outer.file || outer.files.some(file => file.path === path) || folders.length === 0) {
    return undefined
  }
  const ids = folders.map((_, index) => `${outer.id}/${folders.slice(0, index + 1).join('/')}`)
  const rows = await state.index.find({ ids, keys: [] }, { signal })
  const [id] = rows.map(({ summary }) => summary.id).sort((a, b) => b.length - a.length)
  return id === undefined ? undefined : open(state, id, { signal })
}

async function refresh(state: PagedState, signal: AbortSignal | undefined): Promise<LibraryChange> {
  const { parts, index: before, seen: old } = state
  const { lifetime } = parts
  lifetime.check({ signal })
  const next = await parts.readNext(before, signal)
  if (!next || next.revision === before.revision) {
    lifetime.check({ signal })
    state.index = next ?? before
    return { revision: state.snapshot.revision, added: [], changed: [], removed: [] }
  }
  const known = [...state.opened.keys()]
  const rows = known.length === 0 ? [] : await next.find({ ids: known, keys: [] }, { signal })
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
  const isListed = seen.size === next.total && old.size === before.total
  const removed = (isListed ? [...old.keys()] : known).filter(id => !seen.has(id)).sort()
  const changed = [...seen.keys()].filter(id => old.has(id) && isChanged(id)).sort()
  const added = isListed ? [...seen.keys()].filter(id => !old.has(id)).sort() : []
  for (const id of [...changed, ...removed]) state.opened.delete(id)
  Object.assign(state, { index: next, seen, snapshot: snapshotOf(parts, next, seen) })
  const change = deepFreeze({ revision: next.content, added, changed, removed })
  lifetime.emit(change)
  return change
}

/** The skills of a small library. */
async function listAll(
  { listUpTo }: PagedParts,
  index: PagedIndex,
  signal: AbortSignal | undefined,
) {
  if (index.total === 0 || index.total > listUpTo) return []
  const skills: SkillSummary[] = []
  const read = (cursor: string | undefined) =>
    index.page({ filter: {}, limit: PAGE_SIZE, cursor }, { signal })
  for await (const page of allPages('The library', read)) skills.push(...page.skills)
  return skills
}

function snapshotOf(
  { problems }: PagedParts,
  { content, total, diagnostics }: PagedIndex,
  seen: ReadonlyMap<SkillId, SkillSummary>,
): LibrarySnapshot {
  const skills = [...seen.values()]
  const sorted = lazy(() => Object.freeze(skills.sort((a, b) => (a.id < b.id ? -1 : 1))))
  return Object.freeze({
    revision: content,
    get skills() {
      return sorted()
    },
    total,
    diagnostics: deepFreeze([...problems, ...diagnostics]),
  })
}

/** Adds returned skills to the snapshot, unless they are of an older revision, and new diagnostics of the index. */
function addSeen(state: PagedState, searched: PagedIndex, skills: readonly SkillSummary[]): void {
  const { parts, index, opened, seen } = state
  const added = searched === index ? skills.filter(({ id }) => !seen.has(id)) : []
  const known = parts.problems.length + index.diagnostics.length
  if (added.length === 0 && known === state.snapshot.diagnostics.length) return
  for (const skill of added) seen.set(skill.id, deepFreeze(skill))
  for (const id of seen.keys()) {
    if (seen.size <= MAX_SEEN) break
    if (!opened.has(id)) seen.delete(id)
  }
  state.snapshot = snapshotOf(parts, index, seen)
}

function byName({ seen }: PagedState, name: string, rows: readonly SkillSummary[]): SkillSummary {
  const find = (skills: Iterable<SkillSummary>) => createLookup([...skills], new Map()).find(name)
  try {
    return find(rows)
  } catch (error) {
    // Similar names come from the known skills.
    if (isSkillshelfError(error, 'skill-not-found')) return find(seen.values())
    throw error
  }
}

function toMap(skills: readonly SkillSummary[]): Map<SkillId, SkillSummary> {
  return new Map(skills.map(skill => [skill.id, deepFreeze(skill)]))
}

function toFilter({ tags, origins, ids }: SkillFilter): PagedFilter {
  return {
    ...(tags ? { tags: tags.map(tag => tag.toLowerCase()) } : {}),
    ...(origins ? { origins } : {}),
    ...(ids ? { ids } : {}),
  }
}

/** @throws SkillshelfError `invalid-input` */
function toLookup(name: string): SkillLookup {
  if (typeof name !== 'string') {
    throw invalidInput(`The name of a skill must be a string, but is ${typeof name}`)
  }
  const key = name.length > MAX_NAME ? '' : foldText(name)
  return { ids: [name.slice(0, MAX_NAME * 4)], keys: key === '' ? [] : [key] }
}
