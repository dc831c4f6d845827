/** Scales a vector to unit length, in place; zeros stay. */
export function makeUnit(vector: Float32Array): Float32Array {
  let sum = 0
  for (let at = 0; at < vector.length; at++) sum += (vector[at] as number) ** 2
  if (sum === 0) return vector
  const scale = 1 / Math.sqrt(sum)
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] as number) * scale
  return vector
}
