import { createQueue } from '../../core/concurrency.js'
import { allPages } from '../../core/paging.js'
import { deepFreeze } from '../../core/plain-data.js'
import { explainRanking, toResult } from '../../search/match/matcher.js'
import type { MatcherResult, MatchQuery } from '../../search/match/skill-match.js'
import type { Skill, SkillId, SkillSummary } from '../../skill/skill.js'
import type { LibraryBackend } from '../api/backend.js'
import type { SkillFilter } from '../api/skill-library.js'
import type { LibraryChange } from '../catalog/catalog-entry.js'
import {
  explainSkill,
  matchSkills,
  type RankedMessage,
  type Ranker,
  type RankerOptions,
  searchSkills,
} from '../query/answer.js'
import { listPages, type ReadPage } from '../query/pages.js'
import { sourceDiagnostic } from '../state/problems.js'
import type { PagedFilter, PagedIndex, PagedRanking } from './paged-index.js'
import { open, read } from './paged-skills.js'
import {
  addSeen,
  byName,
  type PagedParts,
  type PagedState,
  snapshotOf,
  toLookup,
  toMap,
} from './paged-state.js'

const PAGE_SIZE = 1_000

/** The backend of a library that reads its skills in pages. */
export interface PagedBackend extends LibraryBackend {
  readonly page: ReadPage
  /** A skill that was opened before. */
  openedSkill(id: SkillId): Skill | undefined
}

export async function createPagedBackend(
  parts: PagedParts,
  index: PagedIndex,
  signal: AbortSignal | undefined,
): Promise<PagedBackend> {
  const seen = toMap(await listAll(parts, index, signal))
  const shown = { parts, index, seen, failure: undefined }
  const state: PagedState = { ...shown, opened: new Map(), snapshot: snapshotOf(shown) }
  const queue = createQueue()
  const ranker: Ranker = { rank: (query, options) => rankMessage(state, query, options) }
  const pageFrom =
    (index: PagedIndex): ReadPage =>
    async ({ limit, cursor, signal, ...filter }) => {
      const found = await index.page({ filter: toFilter(filter), limit, cursor }, { signal })
      addSeen(state, index, [])
      return found
    }
  return {
    get snapshot() {
      return state.snapshot
    },
    page: query => pageFrom(state.index)(query),
    openedSkill: id => state.opened.get(id)?.skill,
    // All pages are of one revision.
    list: filter => listPages(pageFrom(state.index), filter),
    get: (name, options) => open(state, name, options),
    read: (name, path, options) => read(state, name, path, options),
    search: (query, options) => searchSkills(ranker, query, options),
    match: (query, options) => matchSkills(ranker, query, { ...options, rerank: parts.rerank }),
    explain: (query, name, options) => explainSkill(ranker, query, name, options),
    refresh: signal => queue(() => refreshOrKeep(state, signal)),
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

/** Keeps the skills if they cannot be read again. */
async function refreshOrKeep(
  state: PagedState,
  signal: AbortSignal | undefined,
): Promise<LibraryChange> {
  const { lifetime, files, handles } = state.parts
  try {
    return await refresh(state, signal)
  } catch (error) {
    lifetime.check({ signal })
    if (handles?.(error)) throw error
    state.failure = sourceDiagnostic(files, error)
    state.snapshot = snapshotOf(state)
    return unchanged(state)
  }
}

function unchanged({ snapshot }: PagedState): LibraryChange {
  return { revision: snapshot.revision, added: [], changed: [], removed: [] }
}

async function refresh(state: PagedState, signal: AbortSignal | undefined): Promise<LibraryChange> {
  const { parts, index: before, seen: old } = state
  const { lifetime } = parts
  lifetime.check({ signal })
  const next = await parts.readNext(before, signal)
  if (!next || next.revision === before.revision) {
    lifetime.check({ signal })
    state.index = next ?? before
    if (state.failure) {
      state.failure = undefined
      state.snapshot = snapshotOf(state)
    }
    return unchanged(state)
  }
  const known = [...state.opened.keys()]
  const rows = known.length === 0 ? [] : await next.find({ ids: known, keys: [] }, { signal })
  const listed = await listAll(parts, next, signal)
  lifetime.check({ signal })
  const seen = toMap([...rows.map(({ summary }) => summary), ...listed])
  const versions = new Map(rows.map(({ summary, version }) => [summary.id, version]))
  const isChanged = (id: SkillId): boolean => {
    const skill = state.opened.get(id)
    const hasOtherFiles = skill !== undefined && skill.version !== versions.get(id)
    return hasOtherFiles || JSON.stringify(seen.get(id)) !== JSON.stringify(old.get(id))
  }
  const isListed = seen.size === next.total && old.size === before.total
  const removed = (isListed ? [...old.keys()] : known).filter(id => !seen.has(id)).sort()
  const changed = [...seen.keys()].filter(id => old.has(id) && isChanged(id)).sort()
  const added = isListed ? [...seen.keys()].filter(id => !old.has(id)).sort() : []
  for (const id of [...changed, ...removed]) state.opened.delete(id)
  Object.assign(state, { index: next, seen, failure: undefined })
  state.snapshot = snapshotOf(state)
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

function toFilter({ tags, origins, ids }: SkillFilter): PagedFilter {
  return {
    ...(tags ? { tags: tags.map(tag => tag.toLowerCase()) } : {}),
    ...(origins ? { origins } : {}),
    ...(ids ? { ids } : {}),
  }
}
