import type { Vectors } from '../index/vectors.js'
import { type Cosines, kernelCosines, plainCosines, type QuerySteps, quantizeQuery } from './cosines.js'
import type { SkillRef } from './searched-segment.js'

/** A skill close to a message in meaning. */
export interface NearestSkill extends SkillRef {
  /** Cosine of message and skill, -1 to 1. */
  cosine: number
}

/** Vectors to search. */
export interface VectorSegment {
  vectors: Vectors | undefined
  /** Excludes skills. Default: none. */
  isLive?: ((skill: number) => boolean) | undefined
}

/** Fewer skills take a fraction of a millisecond. A page with few skills compiles no WebAssembly, and a strict policy reports nothing. */
const MIN_FOR_KERNEL = 2_000

let fastest: Cosines | undefined

/** Finds the skills nearest to a message, best first, by the cosines of all skills. Skills whose vectors are zeros are never found. */
export function nearestByVector(
  vector: Float32Array,
  segments: readonly VectorSegment[],
  limit: number,
): NearestSkill[] {
  const best: NearestSkill[] = []
  const query = quantizeQuery(vector)
  const cosines = cosinesFor(segments.reduce((sum, { vectors }) => sum + (vectors?.scales.length ?? 0), 0))
  for (const [segmentIndex, { vectors, isLive }] of segments.entries()) {
    if (vectors?.dimensions !== vector.length) continue
    scan(cosines, query, vectors, (skill, cosine) => {
      if (vectors.scales[skill] !== 0 && (!isLive || isLive(skill)))
        insert(best, { segmentIndex, skill, cosine }, limit)
      return best.length < limit ? Number.NEGATIVE_INFINITY : (best[limit - 1] as NearestSkill).cosine
    })
  }
  return best
}

function cosinesFor(skills: number): Cosines {
  if (skills < MIN_FOR_KERNEL) return plainCosines
  fastest ??= kernelCosines() ?? plainCosines
  return fastest
}

/** Calls `each` for every skill above a threshold, which is the result of the last call. */
function scan(
  cosines: Cosines,
  query: QuerySteps,
  vectors: Vectors,
  each: (skill: number, cosine: number) => number,
): void {
  let threshold = Number.NEGATIVE_INFINITY
  for (let from = 0; from < vectors.scales.length; ) {
    const block = cosines(query, vectors, from)
    for (let index = 0; index < block.length; index++)
      if ((block[index] as number) > threshold) threshold = each(from + index, block[index] as number)
    from += block.length
  }
}

/** Inserts in order, after equal ones, and drops the last if there are too many. */
function insert(best: NearestSkill[], skill: NearestSkill, limit: number): void {
  let index = best.length
  while (index > 0 && (best[index - 1] as NearestSkill).cosine < skill.cosine) index--
  best.splice(index, 0, skill)
  if (best.length > limit) best.pop()
}
