import type { Vectors } from '../../src/search/index/vectors.js'
import type { CorpusStatistics } from '../../src/search/match/corpus-statistics.js'
import { evidenceOf, rankHybrid } from '../../src/search/match/hybrid.js'
import { embedWithModel, embedWithUpgrade } from '../../src/search/match/query-embedding.js'
import type { Evidence } from '../../src/search/match/score.js'
import { openSearchedSegment, type SearchedSegment } from '../../src/search/match/searched-segment.js'
import type { QueryVector } from '../../src/search/match/skill-match.js'
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
  { model, upgradeVectors }: { model?: SkillModel | undefined; upgradeVectors?: Vectors | undefined } = {},
): (message: string, vector?: QueryVector) => RankedEvidence {
  const segments = [openSingleSegment(bytes, upgradeVectors)]
  return (message, vector) => {
    const embedding = (vector && embedWithUpgrade(vector, segments)) ?? (model && embedWithModel(model, message))
    const ranking = rankHybrid({ message }, segments, corpus, { embedding, calibrated: embedding })
    const { evidence } = evidenceOf(ranking, segments)
    return { evidence, ranked: ranking.candidates }
  }
}
