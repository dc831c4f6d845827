import { SkillshelfError } from '../core/errors.js'
import type { Calibration, SkillModel } from '../embed/types.js'
import { cosinesOf, readByFurther, readByOwn } from './meaning.js'
import { nearestByVector } from './nearest.js'
import { candidateShares, servedProbability } from './score.js'
import { type Found, stageMatcher } from './stage.js'
import type { Matcher } from './types.js'

const EMBEDDING = 'embedding/1'
/** Skills that are found at most, and those among which confidence is shared out. */
const NEAREST = 50
const RIVALS = 20

/**
 * By `npm run calibrate -- --for embedding`: the cosine of the nearest skill is the only figure. See docs/measured.md for what it tells
 * apart.
 */
const CALIBRATION: Calibration = {
  intercept: -3.95,
  relevance: 0,
  coverage: 0,
  named: 0,
  similarity: 17.25,
  temperature: 0.043,
}

/**
 * Skills by meaning alone: the cosine of message and skill. Words, names and tags are not looked at.
 * @throws SkillshelfError `invalid-input` without a model
 */
export function embeddingMatcher(model: SkillModel | undefined): Matcher {
  if (!model)
    throw new SkillshelfError('invalid-input', 'To match by embedding alone takes a model', {
      hint: "give embedder: bundled(), from 'skillshelf/model'",
    })
  return stageMatcher({
    async find({ message }, held, { allowed, vector }) {
      await model.prepare?.(message)
      const own = readByOwn(model, message)
      const reading = (vector && readByFurther(vector, held)) ?? own
      const near = nearestByVector(
        reading.numbers,
        held.map((one, at) => ({ vectors: reading.vectorsOf(one), alive: (skill: number) => allowed(at, skill) })),
        NEAREST,
      )
        .map(one => ({ ...one, above: one.cosine - reading.unrelated, id: held[one.at]?.ids[one.skill] as string }))
        .filter(({ above }) => above > 0)
        .sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1))
      const [best] = near
      if (!best) return { model: `${EMBEDDING} ${reading.space}`, found: [] }
      // Another model orders better, but the constants are the bundled model's.
      const [similarity] = cosinesOf([best], own, held)
      const served = servedProbability({ relevance: 0, coverage: 0, named: false, similarity }, CALIBRATION)
      const shares = candidateShares(
        near.slice(0, RIVALS).map(one => one.cosine),
        CALIBRATION.temperature,
      )
      const found = near.map(
        ({ at, skill, above, cosine: similarity }, index): Found => ({
          at,
          skill,
          score: served * (above / best.above),
          confidence: served * (shares[index] ?? 0),
          signals: { terms: [], rules: [], missing: [], relevance: 0, similarity },
        }),
      )
      return { model: `${EMBEDDING} ${reading.space}`, found }
    },
  })
}
