import type { AbortOptions } from '../../core/abort.js'
import { lazy } from '../../core/concurrency.js'
import { onDemand } from '../../core/load-module.js'
import type { MatcherResult, MatchQuery, SkillMatch } from '../../search/match/skill-match.js'
import type { Skill, SkillId, SkillSummary } from '../../skill/skill.js'
import { readCurrent } from '../catalog/packed-files.js'
import type { LibraryBackend, RankedSkill, RankOptions } from '../create-library.js'
import type { Learning } from '../learning/learning.js'
import { filterSkills, isPlaced, keepOpened } from '../query/arguments.js'
import { decideMatches, unranked } from '../query/match-decision.js'
import type { ExplainOptions } from '../skill-library.js'
import type { LibraryIndex } from './library-index.js'
import { locationOf, sourceOf } from './state.js'

const loadPlace = onDemand(() => import('../query/place.js'))
const loadSkillFile = onDemand(() => import('../query/skill-file.js'))

/** Ranks that `explain` finds if learned messages change the ranking. */
const EXPLAINED = 50

/** Finds, opens and reads the skills of an index. */
export function createLocalBackend(
  index: LibraryIndex,
  learning: Learning | undefined,
  { refresh, close }: Pick<LibraryBackend, 'refresh' | 'close'>,
): LibraryBackend {
  const summaryOf = (id: SkillId): SkillSummary | undefined =>
    index.state.snapshot.skills.find(skill => skill.id === id)
  const search = async (query: MatchQuery, options: RankOptions): Promise<MatcherResult> => {
    const ranked: LibraryBackend['search'] = (query, options) => rank(index, learning, query, options)
    return isPlaced(query)
      ? (await loadPlace()).searchInPlace(query, options, ranked, summaryOf)
      : ranked(query, options)
  }
  /** Whether a writer has replaced the skills that are shown. */
  const renew = async ({ signal }: AbortOptions): Promise<boolean> => {
    const { revision } = index.state.snapshot
    await refresh(signal)
    return index.state.snapshot.revision !== revision
  }
  return {
    get snapshot() {
      return index.state.snapshot
    },
    get: (name, options) =>
      readCurrent(
        () => get(index, name, options),
        () => renew(options),
      ),
    async read(name, path, options) {
      const { readSkillFile } = await loadSkillFile()
      return readCurrent(
        () => readSkillFile(index.state, name, path, options),
        () => renew(options),
      )
    },
    search,
    match: decideMatches(
      async (query, options) => ({ result: await search(query, options), summaryOf }),
      index.options.rerank,
    ),
    async explain(query, name, { wait, ...options }) {
      const modelTimeout = await index.model.wait(query.message, { wait, signal: options.signal })
      const { state } = index
      const summary = state.lookup.find(name)
      const changed = isPlaced(query)
        ? await (await loadPlace()).explainInPlace(query, summary, options, search)
        : learning && (await explainLearned(search, query, summary.id, options))
      if (changed) return changed
      const vector = await index.embedder?.embed(query.message, options.signal)
      const found = await index.matcher.explain(query, summary.id, { ...options, vector, modelTimeout })
      return found ?? unranked(summary, state.shadowed.has(summary.id) ? 'shadowed' : 'nothing', options.language)
    },
    refresh,
    close,
  }
}

async function get({ state }: LibraryIndex, name: string, { signal }: AbortOptions): Promise<Skill> {
  const summary = state.lookup.find(name)
  const cached = state.cache.get(summary.id)
  if (cached) return cached
  const { source, entry } = sourceOf(state, summary)
  // Not needed for matching, so loaded here.
  const [{ current, ...opened }, { createSkill }] = await Promise.all([
    source.loaded.open(entry, signal),
    loadSkillFile(),
  ])
  const skill = createSkill(summary, opened, locationOf(source, entry.path))
  // A file that changed after the last refresh is read again next time.
  if (current) keepOpened(state.cache, skill.id, skill)
  return skill
}

async function rank(
  index: LibraryIndex,
  learning: Learning | undefined,
  query: MatchQuery,
  { limit, language, wait, signal, ...filter }: RankOptions,
): Promise<MatcherResult> {
  const modelTimeout = await index.model.wait(query.message, { wait, signal })
  const { state, embedder, matcher, model } = index
  const { isComplete } = model
  const isFiltered = filter.tags !== undefined || filter.origins !== undefined
  const only = isFiltered ? new Set(filterSkills(state.snapshot.skills, filter).map(({ id }) => id)) : undefined
  const vector = await embedder?.embed(query.message, signal)
  const options = { language, vector, modelTimeout, signal }
  const matched = await matcher.match(query, { ...options, limit, only })
  const nameOf = lazy(() => new Map(state.snapshot.skills.map(({ id, name }) => [id, name])))
  const result = learning
    ? await learning.raise(matched, {
        message: query.message,
        limit,
        model: model.current,
        nameOf: id => (only && !only.has(id) ? undefined : nameOf().get(id)),
        explain: id => matcher.explain(query, id, options),
        language,
        modelTimeout,
        signal,
      })
    : matched
  const failed =
    result.abstained === 'empty-library' && state.sources.some(({ failure }) => failure?.code === 'source-unreadable')
  const complete = isComplete && result.complete
  return { ...result, complete, ...(failed ? { abstained: 'source-failed' } : {}) }
}

/** The explanation of a skill if learned messages change the ranking. */
async function explainLearned(
  search: LibraryBackend['search'],
  query: MatchQuery,
  id: SkillId,
  options: ExplainOptions,
): Promise<RankedSkill | undefined> {
  const { matches } = await search(query, { ...options, limit: EXPLAINED })
  const position = matches.findIndex(match => match.id === id)
  if (position < 0 || !matches.some(({ signals }) => signals.learned)) return undefined
  return { ...(matches[position] as SkillMatch), rank: position + 1 }
}
