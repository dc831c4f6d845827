import { abortable } from '../../core/abort.js'
import type { PagedIndex, PagedRanking, PagedRankOptions } from '../../library/paged/paged-index.js'
import type { CorpusStatistics } from '../../search/match/corpus-statistics.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import type { CheckedAnswer, RowReader } from './checked-rows.js'
import type { Publication } from './publication.js'
import { planQuery, rankAnswer } from './ranking.js'

/** Rows by words and by meaning: as many as a library in memory examines. */
const CANDIDATES = 50

/** What a published revision in a search engine is read and ranked with. */
export interface EngineIndexParts {
  rows: RowReader
  model: SkillModel | undefined
  corpus: CorpusStatistics
}

/** @param published Its rows are in the engine. */
export function createEngineIndex(parts: EngineIndexParts, published: Publication): PagedIndex {
  const { rows } = parts
  const { head, counts, version } = published
  return {
    version,
    revision: head.revision,
    content: head.content,
    total: counts.skills,
    get diagnostics() {
      return [...published.diagnostics, ...rows.leftOut.values()]
    },
    rank: (query, options) => rank(parts, published, query, options),
    async find(lookup, options) {
      const found = await rows.find(lookup, head, options)
      return found.map(({ summary, version, details }) => ({
        summary,
        version,
        details: async () => details,
      }))
    },
    page: (query, options) => rows.page(query, head, options),
  }
}

/** Asks the engine once for a message, and ranks the rows that it finds. */
async function rank(
  { rows, model, corpus }: EngineIndexParts,
  published: Publication,
  query: MatchQuery,
  { wait, signal, filter, also }: PagedRankOptions,
): Promise<PagedRanking> {
  const modelTimeout = wait === false ? 0 : undefined
  const plan = await abortable(planQuery(query, published, { corpus, model, modelTimeout }), signal)
  const { words, vector } = plan
  // Without words and vector, only `also` could be found.
  const isEmpty = words.hashes.length === 0 && !vector && !also
  const search = { words, vector, filter, limit: CANDIDATES, also }
  const answer: CheckedAnswer = isEmpty
    ? { candidates: [], also: [] }
    : await rows.candidates(search, published.head, { signal })
  return {
    ...rankAnswer(plan, answer, published, corpus),
    found: answer.candidates.map(({ summary }) => summary),
    also: answer.also.map(({ summary }) => summary),
  }
}
