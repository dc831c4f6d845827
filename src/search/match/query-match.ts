import type { CorpusStatistics } from './corpus-statistics.js'
import type { AnalyzedQuery } from './query.js'
import type { QueryEmbeddings } from './query-embedding.js'
import type { WeighedTerms } from './query-terms.js'
import type { Segments, SkillPredicate } from './searched-segment.js'

/** Where a message is searched, and with which knowledge. */
export interface SearchContext {
  segments: Segments
  /** Knowledge of words beyond the library. */
  corpus: CorpusStatistics
  /** The message as models embed it. Empty if words alone rank. */
  embeddings: QueryEmbeddings
  /** Restricts the search to some skills. Default: all live ones. */
  only?: SkillPredicate | undefined
}

/** One message that is matched with the skills of a library: what the steps of a ranking share. It does not change while they run. */
export interface QueryMatch extends SearchContext, WeighedTerms {
  query: AnalyzedQuery
}
