/** Scales a vector to unit length, in place. Zeros stay zeros. */
export function normalize(vector: Float32Array): Float32Array {
  let sum = 0
  for (let index = 0; index < vector.length; index++) sum += (vector[index] as number) ** 2
  if (sum === 0) return vector
  const scale = 1 / Math.sqrt(sum)
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] as number) * scale
  return vector
}

/** The cosine of two vectors of unit length. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] as number) * (b[index] as number)
  return sum
}
