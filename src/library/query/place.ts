import { applyPlace, placeOf } from '../../search/match/place.js'
import type { MatcherResult, MatchQuery } from '../../search/match/skill-match.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import type { LibraryBackend, RankedSkill, RankOptions } from '../create-library.js'
import type { ExplainOptions } from '../skill-library.js'

/** Skills among which a place chooses. */
const PLACED = 50
const ELSEWHERE = { en: 'none of its required paths is here', zh: '这里没有它所需的路径' }

const NO_SIGNALS = { terms: [], rules: [], missing: [], relevance: 0 }

/** Finds the nearest skills for a user who works on files or a page. */
export async function searchInPlace(
  query: MatchQuery,
  options: RankOptions,
  search: LibraryBackend['search'],
  summaryOf: (id: SkillId) => SkillSummary | undefined,
): Promise<MatcherResult> {
  const place = placeOf(query)
  const result = await search(query, { ...options, limit: Math.max(options.limit, PLACED) })
  return applyPlace(result, place, ({ id }) => summaryOf(id), options)
}

/** Explains the rank of a skill for a user who works on files or a page. `undefined` if it is not among the nearest ones. */
export async function explainInPlace(
  query: MatchQuery,
  { id, name, ...paths }: SkillSummary,
  options: ExplainOptions,
  search: LibraryBackend['search'],
): Promise<RankedSkill | undefined> {
  const { language = 'en' } = options
  if (placeOf(query).weigh(paths).weight === 0)
    return { id, name, score: 0, reason: ELSEWHERE[language], signals: NO_SIGNALS, rank: 0 }
  const { matches } = await search(query, { ...options, limit: PLACED })
  const rank = matches.findIndex(match => match.id === id)
  const match = matches[rank]
  return match && { ...match, rank: rank + 1 }
}
