import type { Vectors } from '../../src/search/index/vectors.js'
import type { CorpusStatistics } from '../../src/search/match/corpus-statistics.js'
import { evidenceOf, rankHybrid } from '../../src/search/match/hybrid.js'
import type { QueryEmbeddings } from '../../src/search/match/query-embedding.js'
import type { Evidence } from '../../src/search/match/score.js'
import {
  openSearchedSegment,
  type SearchedSegment,
} from '../../src/search/match/searched-segment.js'

/** The ranking of one message. */
export interface RankedEvidence {
  evidence: Evidence
  /** Best first. */
  ranked: readonly { skill: number; relevance: number }[]
}

/** Opens a single segment without ids. */
export function openSingleSegment(
  bytes: Uint8Array<ArrayBuffer>,
  vectors?: Vectors,
): SearchedSegment {
  return openSearchedSegment(
    { key: 'segment', bytes, ids: [], dead: [], ...(vectors ? { vectors } : {}) },
    undefined,
  )
}

/** Ranks the skills of one segment. */
export function evidenceOfSegment(
  segment: SearchedSegment,
  message: string,
  corpus: CorpusStatistics,
  embeddings: QueryEmbeddings,
): RankedEvidence {
  const ranking = rankHybrid({ message }, { segments: [segment], corpus, embeddings })
  return { evidence: evidenceOf(ranking).evidence, ranked: ranking.candidates }
}
