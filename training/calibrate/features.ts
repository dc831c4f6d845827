import type { Vectors } from '../../src/search/index/vectors.js'
import type { Background } from '../../src/search/match/background.js'
import { formWeights } from '../../src/search/match/candidates.js'
import { rankHybrid } from '../../src/search/match/hybrid.js'
import { embedWithModel, embedWithUpgrade } from '../../src/search/match/query-embedding.js'
import { type ScoreFeatures, scoreFeatures } from '../../src/search/match/score.js'
import { openSearchedSegment, type SearchedSegment } from '../../src/search/match/searched-segment.js'
import type { QueryVector } from '../../src/search/match/types.js'
import type { SkillModel } from '../../src/search/model/types.js'

export interface RankedFeatures {
  /** Features of the best skill. */
  features: ScoreFeatures
  /** All candidates, best first. */
  ranked: { skill: number; relevance: number }[]
  /** Number of words in the message. */
  words: number
}

/** Opens a single segment without ids. */
export function openSingleSegment(bytes: Uint8Array<ArrayBuffer>, vectors?: Vectors): SearchedSegment {
  return openSearchedSegment({ key: 'segment', bytes, ids: [], dead: [], ...(vectors ? { vectors } : {}) }, undefined)
}

/** Returns the features of the best skill of one segment, by message. */
export function featuresOfSegment(
  bytes: Uint8Array<ArrayBuffer>,
  background: Background,
  { model, upgradeVectors }: { model?: SkillModel | undefined; upgradeVectors?: Vectors | undefined } = {},
): (message: string, vector?: QueryVector) => RankedFeatures {
  const segments = [openSingleSegment(bytes, upgradeVectors)]
  return (message, vector) => {
    const embedding = (vector && embedWithUpgrade(vector, segments)) ?? (model && embedWithModel(model, message))
    const { query, terms, candidates } = rankHybrid({ message }, segments, background, {
      embedding,
      calibrated: embedding,
    })
    const [best] = candidates
    const features = best
      ? scoreFeatures(terms, formWeights(terms, [best], segments)[0] ?? [], {
          named: best.nameBonus > 0,
          similarity: best.similarity,
        })
      : { relevance: 0, coverage: 0, named: false }
    return {
      features,
      ranked: candidates.map(({ skill, relevance }) => ({ skill, relevance })),
      words: query.sequence.length,
    }
  }
}
