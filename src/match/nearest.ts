import type { Vectors } from '../segment/vectors.js'

/** A skill that is near to a message in meaning. */
export interface Near {
  /** Index of its segment. */
  at: number
  /** Number of the skill in it. */
  skill: number
  /** Of message and skill: -1 to 1. */
  cosine: number
}

/** Skills that the second pass looks at, at least: of 50,000 real skills it never missed one of the best fifty. Fewer need no first one. */
const SECOND_PASS = 12_000
/** Largest sum of the first pass: it has to fit 16 bits. */
const MOST = 32_767
/** The estimate of what cannot be found. */
const NOWHERE = -32_768

/**
 * The skills nearest to a message in meaning, best first. A first pass estimates from the signs of a skill's numbers, eight
 * at a time by look-up; a second takes the cosine of the best of those.
 * @param query Unit length, as many dimensions as the vectors.
 */
export function nearestByVector(
  query: Float32Array,
  segments: readonly { vectors: Vectors | undefined; alive?: ((skill: number) => boolean) | undefined }[],
  limit: number,
): Near[] {
  const best: Near[] = []
  const searched = segments.flatMap(({ vectors, alive }, at) =>
    vectors && vectors.dimensions === query.length ? [{ at, vectors, alive }] : [],
  )
  for (const { at, vectors, skills } of secondPass(query, searched)) {
    const cosines = cosinesOf(query, vectors, skills)
    for (let index = 0; index < skills.length; index++) {
      const cosine = cosines[index] as number
      if (best.length < limit || cosine > (best[limit - 1] as Near).cosine)
        insert(best, { at, skill: skills[index] as number, cosine }, limit)
    }
  }
  return best
}

interface Searched {
  at: number
  vectors: Vectors
  alive: ((skill: number) => boolean) | undefined
}

/** The skills whose cosine is taken: all of a small library, the likely ones of a large one. */
function secondPass(query: Float32Array, searched: readonly Searched[]): (Searched & { skills: Uint32Array })[] {
  if (searched.reduce((sum, { vectors }) => sum + vectors.scales.length, 0) <= SECOND_PASS)
    return searched.map(one => ({ ...one, skills: livingOf(one) }))
  const sums = sumsOfSigns(query)
  const estimates = searched.map(({ vectors, alive }) => {
    const own = estimate(sums, vectors)
    if (alive) for (let skill = 0; skill < own.length; skill++) if (!alive(skill)) own[skill] = NOWHERE
    return own
  })
  const least = leastOfBest(estimates, SECOND_PASS)
  return searched.map((one, index) => ({ ...one, skills: skillsAbove(estimates[index] as Int16Array, least) }))
}

/** Those that a message can be near to at all. */
function livingOf({ vectors: { scales }, alive }: Searched): Uint32Array {
  const skills = new Uint32Array(scales.length)
  let found = 0
  for (let skill = 0; skill < scales.length; skill++)
    if (scales[skill] !== 0 && (!alive || alive(skill))) skills[found++] = skill
  return skills.subarray(0, found)
}

/** The cosines of message and these skills: a loop that takes most of the time of a search, so four sums at a time. */
function cosinesOf(query: Float32Array, { bytes, scales, dimensions }: Vectors, skills: Uint32Array): Float32Array {
  const cosines = new Float32Array(skills.length)
  for (let index = 0; index < skills.length; index++) {
    const skill = skills[index] as number
    const start = skill * dimensions
    let a = 0
    let b = 0
    let c = 0
    let d = 0
    for (let at = 0; at < dimensions; at += 4) {
      a += (query[at] as number) * (bytes[start + at] as number)
      b += (query[at + 1] as number) * (bytes[start + at + 1] as number)
      c += (query[at + 2] as number) * (bytes[start + at + 2] as number)
      d += (query[at + 3] as number) * (bytes[start + at + 3] as number)
    }
    cosines[index] = (a + b + (c + d)) * (scales[skill] as number)
  }
  return cosines
}

/** A loop of its own, as all that run over every skill: they are compiled better than inside another. */
function skillsAbove(estimates: Int16Array, least: number): Uint32Array {
  const skills = new Uint32Array(estimates.length)
  let found = 0
  for (let skill = 0; skill < estimates.length; skill++)
    if ((estimates[skill] as number) >= least) skills[found++] = skill
  return skills.subarray(0, found)
}

/** The cosine of message and one skill. */
export function cosineOf(query: Float32Array, vectors: Vectors, skill: number): number {
  return cosinesOf(query, vectors, Uint32Array.of(skill))[0] as number
}

/** For every eight numbers of a message and every pattern of eight signs: the sum of the numbers with those signs. */
function sumsOfSigns(query: Float32Array): Int16Array {
  const most = query.reduce((found, value) => Math.max(found, Math.abs(value)), 0) || 1
  const step = most / Math.floor(MOST / query.length)
  const steps = Array.from(query, value => Math.round(value / step))
  const sums = new Int16Array((query.length >> 3) * 256)
  for (let at = 0; at < sums.length; at++) {
    const first = (at >> 8) * 8
    for (let bit = 0; bit < 8; bit++)
      sums[at] = (sums[at] as number) + (steps[first + bit] as number) * (at & (1 << bit) ? 1 : -1)
  }
  return sums
}

/** Four groups of eight at a time: three times as fast as one by one. */
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
    estimates[skill] = scales[skill] === 0 ? NOWHERE : sum
  }
  return estimates
}

/** The estimate that at least `wanted` skills reach. */
function leastOfBest(all: readonly Int16Array[], wanted: number): number {
  const histogram = new Uint32Array(65_536)
  for (const estimates of all) count(estimates, histogram)
  let found = 0
  for (let bin = histogram.length - 1; bin > 0; bin--) {
    found += histogram[bin] as number
    if (found >= wanted) return bin + NOWHERE
  }
  return NOWHERE + 1
}

function count(estimates: Int16Array, histogram: Uint32Array): void {
  for (let skill = 0; skill < estimates.length; skill++) {
    const bin = (estimates[skill] as number) - NOWHERE
    histogram[bin] = (histogram[bin] as number) + 1
  }
}

/** Inserts in order, best first, and drops what falls off the end. Of equals the one that was there first stays first. */
function insert(best: Near[], near: Near, limit: number): void {
  let at = best.length
  while (at > 0 && (best[at - 1] as Near).cosine < near.cosine) at--
  best.splice(at, 0, near)
  if (best.length > limit) best.pop()
}
