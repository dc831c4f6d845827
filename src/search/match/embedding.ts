import { SkillshelfError } from '../../core/errors.js'
import { sequenceOf } from '../../core/text/analyze.js'
import type { Calibration, SkillModel } from '../model/types.js'
import { isFunctional } from './function-words.js'
import { createMatcher, type ScoredSkill } from './matcher.js'
import { embedWithModel, embedWithUpgrade, findNearest, similaritiesTo } from './query-embedding.js'
import { candidateShares, servedProbability } from './score.js'
import type { SearchedSegment } from './searched-segment.js'
import type { Matcher } from './types.js'

const EMBEDDING = 'embedding/1'
/** Maximum skills found, and those among which confidence is divided. */
const MAX_NEAREST = 50
const RIVALS = 20

/** Fitted by `npm run calibrate -- --for embedding`, on the cosine of the nearest skill alone. Its accuracy is in docs/measured.md. */
const CALIBRATION: Calibration = {
  intercept: -4.06,
  relevance: 0,
  coverage: 0,
  named: 0,
  similarity: 13.29,
  temperature: 0.043,
}

/**
 * Creates a matcher that ranks by the cosine of message and skill alone. Words, names and tags are ignored.
 * @throws SkillshelfError `invalid-input` without an embedder
 */
export function embeddingMatcher(embedder: SkillModel | undefined): Matcher {
  if (!embedder)
    throw new SkillshelfError('invalid-input', '"stages: \'embedding\'" requires an embedder', {
      hint: "pass embedder: bundled(), from 'skillshelf/model'",
    })
  return createMatcher({
    async rank({ message }, segments, { only, vector }) {
      await embedder.prepare?.(message)
      const bundled = embedWithModel(embedder, message)
      const embedding = (vector && embedWithUpgrade(vector, segments)) ?? bundled
      const idOf = (segmentIndex: number, skill: number): string =>
        (segments[segmentIndex] as SearchedSegment).ids[skill] as string
      const nearest = findNearest(embedding, segments, MAX_NEAREST, only)
        .map(({ segmentIndex, skill, cosine }) => ({
          segmentIndex,
          skill,
          cosine,
          relevance: cosine - embedding.unrelated,
          id: idOf(segmentIndex, skill),
        }))
        .filter(({ relevance }) => relevance > 0)
        .sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1))
      const scoreAll = (): ScoredSkill[] => {
        const [best] = nearest
        if (!best) return []
        // An upgrade embedder ranks better, but the calibration is that of the bundled model.
        const [similarity] = similaritiesTo([best], bundled, segments)
        const probability = servedProbability({ relevance: 0, coverage: 0, named: false, similarity }, CALIBRATION)
        const shares = candidateShares(
          nearest.slice(0, RIVALS).map(({ cosine }) => cosine),
          CALIBRATION.temperature,
        )
        return nearest.map(({ segmentIndex, skill, relevance, cosine }, index) => ({
          segmentIndex,
          skill,
          score: probability * (relevance / best.relevance),
          confidence: probability * (shares[index] ?? 0),
          signals: { terms: [], rules: [], missing: [], relevance: 0, similarity: cosine },
        }))
      }
      return {
        model: `${EMBEDDING} ${embedding.space}`,
        emptyMessage: isFunctional(sequenceOf(message)),
        skills: nearest,
        score: limit => scoreAll().slice(0, limit),
        scoreBelow: alone => Math.min(alone.score(1)[0]?.score ?? 0, scoreAll().at(-1)?.score ?? 0),
      }
    },
  })
}
