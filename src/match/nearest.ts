import type { Vectors } from '../segment/vectors.js'
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

/** Minimum skills in the second pass. With 50,000 real skills it never missed one of the best fifty. Fewer skills need no first pass. */
const SECOND_PASS = 12_000
/** Largest sum of the first pass, which has to fit 16 bits. */
const MAX_SUM = 32_767
/** The estimate of a skill that is excluded. */
const EXCLUDED = -32_768

/**
 * Finds the skills nearest to a message, best first. A first pass estimates cosines from the signs of the numbers, eight at a time by
 * table lookup; a second pass computes the cosines of the best estimates.
 * @param query Unit length, with as many dimensions as the vectors.
 */
export function nearestByVector(
  query: Float32Array,
  segments: readonly VectorSegment[],
  limit: number,
): NearestSkill[] {
  const best: NearestSkill[] = []
  const searched = segments.flatMap(({ vectors, isLive }, segmentIndex) =>
    vectors && vectors.dimensions === query.length ? [{ segmentIndex, vectors, isLive }] : [],
  )
  for (const { segmentIndex, vectors, skills } of selectForSecondPass(query, searched)) {
    const cosines = cosinesOf(query, vectors, skills)
    for (let index = 0; index < skills.length; index++) {
      const cosine = cosines[index] as number
      if (best.length < limit || cosine > (best[limit - 1] as NearestSkill).cosine)
        insert(best, { segmentIndex, skill: skills[index] as number, cosine }, limit)
    }
  }
  return best
}

interface SearchedVectors extends VectorSegment {
  segmentIndex: number
  vectors: Vectors
}

/** All skills of a small library; the best estimates of a large one. */
function selectForSecondPass(
  query: Float32Array,
  searched: readonly SearchedVectors[],
): (SearchedVectors & { skills: Uint32Array })[] {
  if (searched.reduce((sum, { vectors }) => sum + vectors.scales.length, 0) <= SECOND_PASS)
    return searched.map(segment => ({ ...segment, skills: liveSkills(segment) }))
  const table = signTable(query)
  const estimates = searched.map(({ vectors, isLive }) => {
    const ofSegment = estimate(table, vectors)
    if (isLive) for (let skill = 0; skill < ofSegment.length; skill++) if (!isLive(skill)) ofSegment[skill] = EXCLUDED
    return ofSegment
  })
  const threshold = thresholdOf(estimates, SECOND_PASS)
  return searched.map((segment, index) => ({
    ...segment,
    skills: skillsAbove(estimates[index] as Int16Array, threshold),
  }))
}

/** Live skills whose vectors are not zeros. */
function liveSkills({ vectors: { scales }, isLive }: SearchedVectors): Uint32Array {
  const skills = new Uint32Array(scales.length)
  let found = 0
  for (let skill = 0; skill < scales.length; skill++)
    if (scales[skill] !== 0 && (!isLive || isLive(skill))) skills[found++] = skill
  return skills.subarray(0, found)
}

/** The cosines of the message and these skills. Most of a search is spent here, so four sums run in parallel. */
function cosinesOf(query: Float32Array, { bytes, scales, dimensions }: Vectors, skills: Uint32Array): Float32Array {
  const cosines = new Float32Array(skills.length)
  for (let index = 0; index < skills.length; index++) {
    const skill = skills[index] as number
    const start = skill * dimensions
    let a = 0
    let b = 0
    let c = 0
    let d = 0
    for (let i = 0; i < dimensions; i += 4) {
      a += (query[i] as number) * (bytes[start + i] as number)
      b += (query[i + 1] as number) * (bytes[start + i + 1] as number)
      c += (query[i + 2] as number) * (bytes[start + i + 2] as number)
      d += (query[i + 3] as number) * (bytes[start + i + 3] as number)
    }
    cosines[index] = (a + b + (c + d)) * (scales[skill] as number)
  }
  return cosines
}

/** A separate function, because a loop over every skill compiles to faster code than inside another. */
function skillsAbove(estimates: Int16Array, threshold: number): Uint32Array {
  const skills = new Uint32Array(estimates.length)
  let found = 0
  for (let skill = 0; skill < estimates.length; skill++)
    if ((estimates[skill] as number) >= threshold) skills[found++] = skill
  return skills.subarray(0, found)
}

/** The cosine of the message and one skill. */
export function cosineOf(query: Float32Array, vectors: Vectors, skill: number): number {
  return cosinesOf(query, vectors, Uint32Array.of(skill))[0] as number
}

/** Sums of eight query numbers at a time, for each pattern of eight signs. */
function signTable(query: Float32Array): Int16Array {
  const largest = query.reduce((max, value) => Math.max(max, Math.abs(value)), 0) || 1
  const step = largest / Math.floor(MAX_SUM / query.length)
  const steps = Array.from(query, value => Math.round(value / step))
  const sums = new Int16Array((query.length >> 3) * 256)
  for (let entry = 0; entry < sums.length; entry++) {
    const first = (entry >> 8) * 8
    for (let bit = 0; bit < 8; bit++)
      sums[entry] = (sums[entry] as number) + (steps[first + bit] as number) * (entry & (1 << bit) ? 1 : -1)
  }
  return sums
}

/** Estimates the cosine of every skill. Four groups of eight at a time are three times as fast as one. */
function estimate(sums: Int16Array, { signs, scales }: Vectors): Int16Array {
  const estimates = new Int16Array(scales.length)
  const groups = sums.length >> 8
  const fours = groups & ~3
  let at = 0
  for (let skill = 0; skill < scales.length; skill++) {
    let sum = 0
    for (let group = 0; group < fours; group += 4, at += 4) {
      const table = group << 8
      sum +=
        (sums[table + (signs[at] as number)] as number) +
        (sums[table + 256 + (signs[at + 1] as number)] as number) +
        (sums[table + 512 + (signs[at + 2] as number)] as number) +
        (sums[table + 768 + (signs[at + 3] as number)] as number)
    }
    for (let group = fours; group < groups; group++, at++) sum += sums[(group << 8) + (signs[at] as number)] as number
    estimates[skill] = scales[skill] === 0 ? EXCLUDED : sum
  }
  return estimates
}

/** The highest estimate that at least `wanted` skills reach. */
function thresholdOf(all: readonly Int16Array[], wanted: number): number {
  const histogram = new Uint32Array(65_536)
  for (const estimates of all) addToHistogram(estimates, histogram)
  let found = 0
  for (let bin = histogram.length - 1; bin > 0; bin--) {
    found += histogram[bin] as number
    if (found >= wanted) return bin + EXCLUDED
  }
  return EXCLUDED + 1
}

function addToHistogram(estimates: Int16Array, histogram: Uint32Array): void {
  for (let skill = 0; skill < estimates.length; skill++) {
    const bin = (estimates[skill] as number) - EXCLUDED
    histogram[bin] = (histogram[bin] as number) + 1
  }
}

/** Inserts in order, after equal ones, and drops the last if there are too many. */
function insert(best: NearestSkill[], skill: NearestSkill, limit: number): void {
  let index = best.length
  while (index > 0 && (best[index - 1] as NearestSkill).cosine < skill.cosine) index--
  best.splice(index, 0, skill)
  if (best.length > limit) best.pop()
}
