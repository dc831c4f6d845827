import { invalidInput } from '../../core/errors.js'
import { sequenceOf } from '../../core/text/analyze.js'
import { messageKey } from '../index/message-key.js'
import { isNotFor } from '../index/ruled-out.js'
import type { SkillModel } from '../model/skill-model.js'
import { isFunctional } from './function-words.js'
import { createMatcher, type ScoredRanking } from './matcher.js'
import { findOriginals, withNearCopies } from './near-copies.js'
import { findNearest, similaritiesTo } from './nearest-skills.js'
import { embedWithModel, embedWithUpgrade } from './query-embedding.js'
import { CALIBRATION, NO_WORDS, rivalEvidence, scoreRanked } from './score.js'
import type { SkillRef } from './searched-segment.js'
import type { Matcher } from './skill-match.js'

const EMBEDDING = 'embedding/1'
/** Maximum skills found. */
const MAX_NEAREST = 50

/**
 * Creates a matcher that ranks by the cosine of message and skill alone. Words, names and tags are ignored.
 * @throws SkillshelfError `invalid-input` without an embedder
 */
export function embeddingMatcher(embedder: SkillModel | undefined): Matcher {
  if (!embedder) {
    throw invalidInput(
      '"stages: \'embedding\'" requires an embedder',
      "pass embedder: bundled(), from 'skillshelf/model'",
    )
  }
  return createMatcher({
    async rank({ message }, segments, { only, vector }) {
      await embedder.prepare?.(message)
      const bundled = embedWithModel(embedder, message)
      const embedding = (vector && embedWithUpgrade(vector, segments)) ?? bundled
      const key = messageKey(message)
      const isNot = ({ segmentIndex, skill }: SkillRef): boolean =>
        isNotFor(segments[segmentIndex]?.segment.ruledOutOf(skill), key)
      const nearest = findNearest(embedding, segments, MAX_NEAREST, only)
        .filter(found => !isNot(found))
        .map(found => ({
          ...found,
          relevance: found.cosine - embedding.unrelated,
          id: segments[found.segmentIndex]?.ids[found.skill] ?? '',
        }))
        .filter(({ relevance }) => relevance > 0)
        .sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1))
      const score = (limit = nearest.length): ScoredRanking => {
        // An upgrade embedder ranks better, but the calibration is that of the bundled model.
        const [similarity = 0] = similaritiesTo(nearest.slice(0, 1), bundled, segments)
        const shown = nearest.slice(0, limit)
        const originals = findOriginals(nearest, segments)
        const { relevances } = originals
        const evidence = { ...NO_WORDS, similarity, ...rivalEvidence(relevances) }
        const scored = scoreRanked(relevances, evidence, CALIBRATION.embedding, limit)
        const { served, scores } = withNearCopies(scored, shown, originals)
        const skills = shown.map(({ segmentIndex, skill, cosine }, rank) => ({
          segmentIndex,
          skill,
          score: scores[rank] as number,
          signals: { terms: [], rules: [], missing: [], relevance: 0, similarity: cosine },
        }))
        return { served, skills }
      }
      return {
        model: `${EMBEDDING} ${embedding.space}`,
        emptyMessage: isFunctional(sequenceOf(message)),
        complete: true,
        skills: nearest,
        score,
        scoreBelow: alone =>
          Math.min(alone.score(1).skills[0]?.score ?? 0, score().skills.at(-1)?.score ?? 0),
      }
    },
  })
}
