import type { Vectors } from '../index/vectors.js'

/** Parts that a group is divided into at a time. */
const PARTS = 8
const ROUNDS = 6

/** Vectors as floats, one after the other. */
export interface FloatVectors extends Pick<Vectors, 'scales' | 'dimensions'> {
  vectors: Float32Array
}

export function toFloats({ bytes, scales, dimensions }: Vectors): FloatVectors {
  const vectors = new Float32Array(bytes.length)
  for (let at = 0; at < bytes.length; at++) {
    vectors[at] = (bytes[at] as number) * (scales[Math.floor(at / dimensions)] as number)
  }
  return { vectors, scales, dimensions }
}

/**
 * Divides skills into clusters of one meaning: k-means, again in each cluster, until one has at most `size` skills. Neighbors that fit into
 * one cluster are one.
 *
 * It starts from skills at even distances, and ties go to the first, so that the same skills are always divided alike. Skills without a
 * vector come last, in their order.
 */
export function clusterSkills(
  { vectors, scales, dimensions }: FloatVectors,
  size: number,
): number[][] {
  const known: number[] = []
  const unknown: number[] = []
  for (let skill = 0; skill < scales.length; skill++) {
    if (scales[skill] === 0) unknown.push(skill)
    else known.push(skill)
  }
  return joinSmall([...divide({ vectors, dimensions, size }, known), ...runs(unknown, size)], size)
}

/** Skills in their order, `size` in each run. */
export function runs(skills: readonly number[], size: number): number[][] {
  return Array.from({ length: Math.ceil(skills.length / size) }, (_, run) =>
    skills.slice(run * size, (run + 1) * size),
  )
}

interface Division {
  vectors: Float32Array
  dimensions: number
  size: number
}

function divide(division: Division, skills: readonly number[]): number[][] {
  if (skills.length <= division.size) return skills.length === 0 ? [] : [[...skills]]
  const parts = kMeans(division, skills).filter(({ length }) => length > 0)
  // Equal vectors cannot be divided.
  if (parts.length === 1) return runs(skills, division.size)
  return joinSmall(
    parts.flatMap(part => divide(division, part)),
    division.size,
  )
}

function joinSmall(clusters: readonly number[][], size: number): number[][] {
  const joined: number[][] = []
  for (const cluster of clusters) {
    const last = joined.at(-1)
    if (last && last.length + cluster.length <= size) last.push(...cluster)
    else joined.push([...cluster])
  }
  return joined
}

function kMeans({ vectors, dimensions, size }: Division, skills: readonly number[]): number[][] {
  const count = Math.min(PARTS, Math.ceil(skills.length / size))
  let centres = new Float32Array(count * dimensions)
  for (let part = 0; part < count; part++) {
    const skill = skills[Math.floor(((part + 0.5) * skills.length) / count)] as number
    centres.set(vectors.subarray(skill * dimensions, (skill + 1) * dimensions), part * dimensions)
  }
  let parts: number[][] = []
  for (let round = 0; round < ROUNDS; round++) {
    parts = Array.from({ length: count }, () => [])
    for (const skill of skills) {
      const nearest = nearestCentre(vectors, skill * dimensions, centres, dimensions)
      parts[nearest]?.push(skill)
    }
    centres = new Float32Array(count * dimensions)
    for (const [part, members] of parts.entries()) {
      centres.set(centreOf(vectors, dimensions, members), part * dimensions)
    }
  }
  return parts
}

/** The mean of some vectors, of unit length; zeros for none. */
export function centreOf(
  vectors: Float32Array,
  dimensions: number,
  skills: Iterable<number>,
): Float32Array {
  const centre = new Float32Array(dimensions)
  for (const skill of skills) {
    for (let index = 0; index < dimensions; index++) {
      centre[index] = (centre[index] as number) + (vectors[skill * dimensions + index] as number)
    }
  }
  const length = Math.sqrt(centre.reduce((sum, value) => sum + value * value, 0))
  return length === 0 ? centre : centre.map(value => value / length)
}

function nearestCentre(
  vectors: Float32Array,
  start: number,
  centres: Float32Array,
  dimensions: number,
): number {
  let best = 0
  let most = Number.NEGATIVE_INFINITY
  for (let at = 0, part = 0; at < centres.length; at += dimensions, part++) {
    let dot = 0
    for (let index = 0; index < dimensions; index++) {
      dot += (vectors[start + index] as number) * (centres[at + index] as number)
    }
    if (dot > most) {
      most = dot
      best = part
    }
  }
  return best
}
