import type { AbortOptions } from '../core/abort.js'
import { lazy } from '../core/concurrency.js'
import { onDemand } from '../core/load-module.js'
import { noReason } from '../search/match/reason.js'
import { MATCH_LIMIT, SEARCH_LIMIT, THRESHOLD } from '../search/match/score.js'
import type { MatcherResult, MatchQuery, SkillMatch } from '../search/match/types.js'
import type { Skill, SkillFile, SkillId, SkillSummary } from '../skill/skill.js'
import type { ByteRange } from '../source/source.js'
import { checkLimit, checkRatio, filterSkills, toQuery } from './arguments.js'
import { candidateCount, decide } from './match-decision.js'
import { createSkill } from './skill.js'
import { checkOpen, locationOf, type OpenLibrary, sourceOf } from './state.js'
import type { ExplainOptions, Explanation, MatchOptions, SearchOptions, SkillFilter } from './types.js'

const loadMediaTypes = onDemand(() => import('../skill/media-types.js'))
const loadSkillFile = onDemand(() => import('./skill-file.js'))

/** Ranks that `explain` finds if learned messages change the ranking. */
const EXPLAINED = 50
const MAX_CACHED_SKILLS = 64

export async function list(
  library: OpenLibrary,
  options: SkillFilter & AbortOptions = {},
): Promise<readonly SkillSummary[]> {
  checkOpen(library, options)
  return filterSkills(library.state.snapshot.skills, options)
}

export async function get(library: OpenLibrary, name: string, options: AbortOptions = {}): Promise<Skill> {
  checkOpen(library, options)
  const { state } = library
  const { cache } = state
  const summary = state.lookup.find(name)
  const cached = cache.get(summary.id)
  if (cached) return cached
  const { source, entry } = sourceOf(state, summary)
  // Media types are not needed for matching, so they are loaded here.
  const [{ digest, current, tokens = summary.tokens, text, body, details }, { describeFile }] = await Promise.all([
    source.loaded.open(entry, options.signal),
    loadMediaTypes(),
  ])
  const skill = createSkill(
    summary,
    { digest, tokens, text, body, details },
    { root: locationOf(source, entry.path), describeFile },
  )
  // A file that changed after the last refresh is read again next time.
  if (current) cache.set(summary.id, skill)
  if (cache.size > MAX_CACHED_SKILLS) cache.delete(cache.keys().next().value as SkillId)
  return skill
}

export async function read(
  library: OpenLibrary,
  name: string,
  path: string,
  options: AbortOptions & { range?: ByteRange | undefined } = {},
): Promise<SkillFile> {
  checkOpen(library, options)
  const { readSkillFile } = await loadSkillFile()
  return readSkillFile(library.state, name, path, options)
}

export async function match(
  library: OpenLibrary,
  query: string | MatchQuery,
  { limit = MATCH_LIMIT, threshold = THRESHOLD, margin, candidates, ...options }: MatchOptions = {},
): Promise<MatcherResult> {
  checkRatio('threshold', threshold)
  if (margin !== undefined) checkRatio('margin', margin)
  checkLimit(limit)
  if (candidates !== undefined) checkLimit(candidates, 'candidates')
  const { snapshot } = library.state
  const result = await search(library, query, {
    ...options,
    limit: candidateCount({ limit, candidates, rerank: library.options.rerank }),
  })
  // The user's own choice stays first.
  const rerank = result.matches[0]?.signals.learned?.exact ? undefined : library.options.rerank
  return decide(toQuery(query), result, {
    limit,
    threshold,
    margin,
    candidates,
    rerank,
    summaryOf: id => snapshot.skills.find(skill => skill.id === id),
    language: options.language,
    signal: options.signal,
  })
}

export async function search(
  library: OpenLibrary,
  query: string | MatchQuery,
  { limit = SEARCH_LIMIT, language, signal, ...filter }: SearchOptions = {},
): Promise<MatcherResult> {
  checkOpen(library, { signal })
  const only = filteredIds(library, filter)
  const asked = toQuery(query)
  const vector = await library.upgrade?.embed(asked.message, signal)
  const matched = await library.matcher.match(asked, { limit: checkLimit(limit), only, language, vector, signal })
  const result = library.learning
    ? await library.learning.raise(matched, {
        message: asked.message,
        limit,
        model: library.embedder,
        nameOf: nameOfListed(library, only),
        explain: id => library.matcher.explain(asked, id, { language, vector, signal }),
        language,
        signal,
      })
    : matched
  const failed =
    result.abstained === 'empty-library' &&
    library.state.sources.some(({ failure }) => failure?.code === 'source-unreadable')
  return failed ? { ...result, abstained: 'source-failed' } : result
}

export async function explain(
  library: OpenLibrary,
  query: string | MatchQuery,
  name: string,
  options: ExplainOptions = {},
): Promise<Explanation> {
  checkOpen(library, options)
  const { id, name: shownName } = library.state.lookup.find(name)
  const asked = toQuery(query)
  const learned = library.learning && (await explainLearned(library, asked, id, options))
  if (learned) return learned
  const vector = await library.upgrade?.embed(asked.message, options.signal)
  const found = await library.matcher.explain(asked, id, { ...options, vector })
  if (found) return { ...found, matched: found.rank <= MATCH_LIMIT && found.score > THRESHOLD }
  return {
    id,
    name: shownName,
    score: 0,
    confidence: 0,
    reason: noReason(library.state.shadowed.has(id) ? 'shadowed' : 'nothing', options.language),
    signals: { terms: [], rules: [], missing: [], relevance: 0 },
    rank: 0,
    matched: false,
  }
}

/** The explanation of a skill if learned messages change the ranking. */
async function explainLearned(
  library: OpenLibrary,
  query: MatchQuery,
  id: SkillId,
  options: ExplainOptions,
): Promise<Explanation | undefined> {
  const { matches } = await search(library, query, { ...options, limit: EXPLAINED })
  const index = matches.findIndex(match => match.id === id)
  if (index < 0 || !matches.some(({ signals }) => signals.learned)) return undefined
  const match = matches[index] as SkillMatch
  return { ...match, rank: index + 1, matched: index < MATCH_LIMIT && match.score > THRESHOLD }
}

/** Returns the name of a listed skill that passes the filter. */
function nameOfListed(
  { state }: OpenLibrary,
  only: ReadonlySet<SkillId> | undefined,
): (id: SkillId) => string | undefined {
  const nameOf = lazy(() => new Map(state.snapshot.skills.map(({ id, name }) => [id, name])))
  return id => (only && !only.has(id) ? undefined : nameOf().get(id))
}

function filteredIds({ state }: OpenLibrary, filter: SkillFilter): ReadonlySet<SkillId> | undefined {
  if (!filter.tags && !filter.origins) return undefined
  return new Set(filterSkills(state.snapshot.skills, filter).map(({ id }) => id))
}
