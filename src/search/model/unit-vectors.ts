/** Scales a vector to unit length, in place. Zeros stay zeros. */
export function normalize(vector: Float32Array): Float32Array {
  let sum = 0
  for (let index = 0; index < vector.length; index++) sum += (vector[index] as number) ** 2
  if (sum === 0) return vector
  const scale = 1 / Math.sqrt(sum)
  for (let index = 0; index < vector.length; index++) {
    vector[index] = (vector[index] as number) * scale
  }
  return vector
}

/** The cosine of two vectors of unit length. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] as number) * (b[index] as number)
  return sum
}

/** How far the length of a vector of unit length may be from 1. */
const TOLERANCE = 1e-3

/** The vector, or a copy of unit length if it has another one. Longer ones would be near to every text. */
export function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  return Math.abs(length - 1) <= TOLERANCE ? vector : normalize(Float32Array.from(vector))
}

/** Far above every number of a vector of unit length, and far below those that overflow. */
const MAX_NUMBER = 1e15

/** The index of the first number that no vector has, such as NaN; -1 if there is none. */
export function findWrongNumber(numbers: ArrayLike<number>): number {
  for (let index = 0; index < numbers.length; index++) {
    if (!(Math.abs(numbers[index] as number) <= MAX_NUMBER)) return index
  }
  return -1
}
