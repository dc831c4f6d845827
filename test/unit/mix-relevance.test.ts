import { expect, it } from 'vitest'
import { mixRelevance } from '../../src/search/match/mix-relevance.js'
import { embedWithUpgrade, type QueryEmbedding } from '../../src/search/match/query-embedding.js'
import type { QueryTerm } from '../../src/search/match/query-terms.js'
import { CALIBRATION } from '../../src/search/match/score.js'
import type { Calibration } from '../../src/search/model/skill-model.js'

const TERMS: readonly QueryTerm[] = [{ term: 'slides', idf: 1, corpusIdf: 1, weight: 1, forms: [] }]

function upgradeWith(calibration: Calibration | undefined): QueryEmbedding {
  const numbers = Float32Array.of(1, 0)
  return embedWithUpgrade(
    { space: 'toy', numbers, ...(calibration ? { calibration } : {}) },
    [],
  ) as QueryEmbedding
}

it.each([
  { name: 'a calibrated upgrade has three quarters', calibration: CALIBRATION.meaning, ratio: 3 },
  { name: 'any other has half', calibration: undefined, ratio: 1 },
])('[BY-1] of the similarity beside the bundled model, $name', ({ calibration, ratio }) => {
  const { share, weight } = upgradeWith(calibration)
  const models = [
    { cosines: [1, 0], unrelated: 0, share },
    { cosines: [0, 1], unrelated: 0, share: 1 },
  ]
  const [byUpgrade = 0, byBundled = 0] = mixRelevance([0, 0], models, TERMS, weight)
  expect(byBundled).toBeGreaterThan(0)
  expect(byUpgrade / byBundled).toBeCloseTo(ratio)
  const [alone = 0] = mixRelevance([0, 0], models.slice(0, 1), TERMS, weight)
  expect(alone).toBeCloseTo(byUpgrade + byBundled)
})
