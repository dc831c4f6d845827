import { SkillshelfError } from '../../core/errors.js'
import { sequenceOf } from '../../core/text/analyze.js'
import type { SkillModel } from '../model/types.js'
import { isFunctional } from './function-words.js'
import { createMatcher, type ScoredSkill } from './matcher.js'
import { embedWithModel, embedWithUpgrade, findNearest, similaritiesTo } from './query-embedding.js'
import { CALIBRATION, scoreRanked, servedProbability } from './score.js'
import type { Matcher } from './types.js'

const EMBEDDING = 'embedding/1'
/** Maximum skills found. */
const MAX_NEAREST = 50

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
      const nearest = findNearest(embedding, segments, MAX_NEAREST, only)
        .map(found => ({
          ...found,
          relevance: found.cosine - embedding.unrelated,
          id: segments[found.segmentIndex]?.ids[found.skill] ?? '',
        }))
        .filter(({ relevance }) => relevance > 0)
        .sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1))
      const score = (limit = nearest.length): ScoredSkill[] => {
        // An upgrade embedder ranks better, but the calibration is that of the bundled model.
        const [similarity] = similaritiesTo(nearest.slice(0, 1), bundled, segments)
        const features = { relevance: 0, coverage: 0, named: false, similarity }
        const probability = servedProbability(features, CALIBRATION.embedding)
        return scoreRanked(nearest, probability, CALIBRATION.embedding, limit, ({ cosine }) => cosine).map(
          ({ segmentIndex, skill, score, confidence, cosine }) => ({
            segmentIndex,
            skill,
            score,
            confidence,
            signals: { terms: [], rules: [], missing: [], relevance: 0, similarity: cosine },
          }),
        )
      }
      return {
        model: `${EMBEDDING} ${embedding.space}`,
        emptyMessage: isFunctional(sequenceOf(message)),
        skills: nearest,
        score,
        scoreBelow: alone => Math.min(alone.score(1)[0]?.score ?? 0, score().at(-1)?.score ?? 0),
      }
    },
  })
}
