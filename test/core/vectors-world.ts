import { createVectorsWriter, type Vectors } from '../../src/search/index/vectors.js'

/** Numbers from -1 to 1, the same in every runtime. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  }
}

export function unitVector(dimensions: number, seed: number): Float32Array {
  const next = numbersFrom(seed)
  const vector = Float32Array.from({ length: dimensions }, next)
  let sum = 0
  for (const value of vector) sum += value * value
  return vector.map(value => value / Math.sqrt(sum))
}

export function randomVectors(dimensions: number, skills: number): Vectors {
  const writer = createVectorsWriter('toy', dimensions)
  for (let skill = 0; skill < skills; skill++) writer.add(unitVector(dimensions, 1_000 + skill * 7))
  return writer.finish()
}
