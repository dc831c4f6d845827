import type { Vectors } from '../../src/search/index/vectors.js'
import type { CorpusStatistics } from '../../src/search/match/corpus-statistics.js'
import { evidenceOf, rankHybrid } from '../../src/search/match/hybrid.js'
import { embedWithModel } from '../../src/search/match/query-embedding.js'
import type { Evidence } from '../../src/search/match/score.js'
import { openSearchedSegment, type SearchedSegment } from '../../src/search/match/searched-segment.js'
import type { SkillModel } from '../../src/search/model/skill-model.js'

/** The ranking of one message. */
export interface RankedEvidence {
  evidence: Evidence
  /** Best first. */
  ranked: readonly { skill: number; relevance: number }[]
}

/** Opens a single segment without ids. */
export function openSingleSegment(bytes: Uint8Array<ArrayBuffer>, vectors?: Vectors): SearchedSegment {
  return openSearchedSegment({ key: 'segment', bytes, ids: [], dead: [], ...(vectors ? { vectors } : {}) }, undefined)
}

/** Ranks the skills of one segment, by message. */
export function evidenceOfSegment(
  bytes: Uint8Array<ArrayBuffer>,
  corpus: CorpusStatistics,
  model: SkillModel | undefined,
): (message: string) => RankedEvidence {
  const segments = [openSingleSegment(bytes)]
  return message => {
    const embedding = model && embedWithModel(model, message)
    const ranking = rankHybrid({ message }, segments, corpus, { embedding, calibrated: embedding })
    const { evidence } = evidenceOf(ranking, segments)
    return { evidence, ranked: ranking.candidates }
  }
}
