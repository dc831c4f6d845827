/** Principal component analysis by Jacobi rotations of the covariance. */
const SWEEPS = 12

/**
 * Centers vectors, projects them on their first `wanted` principal components, and normalizes them.
 * @param vectors One after the other, `dimensions` numbers each.
 */
export function principalDirections(vectors: Float32Array, dimensions: number, wanted: number): Float32Array {
  const count = vectors.length / dimensions
  const centred = withoutMean(vectors, dimensions)
  const { values, axes } = eigenvectors(covarianceOf(centred, dimensions), dimensions)
  const order = Array.from(values.keys()).sort((a, b) => (values[b] as number) - (values[a] as number) || a - b)
  const out = new Float32Array(count * wanted)
  for (let row = 0; row < count; row++) {
    let sum = 0
    const own = new Float64Array(wanted)
    for (let to = 0; to < wanted; to++) {
      const axis = (order[to] as number) * dimensions
      for (let d = 0; d < dimensions; d++)
        own[to] = (own[to] as number) + (centred[row * dimensions + d] as number) * (axes[axis + d] as number)
      sum += (own[to] as number) ** 2
    }
    const scale = sum === 0 ? 0 : 1 / Math.sqrt(sum)
    for (let to = 0; to < wanted; to++) out[row * wanted + to] = (own[to] as number) * scale
  }
  return out
}

function withoutMean(vectors: Float32Array, dimensions: number): Float32Array {
  const count = vectors.length / dimensions
  const mean = new Float64Array(dimensions)
  for (let at = 0; at < vectors.length; at++)
    mean[at % dimensions] = (mean[at % dimensions] as number) + (vectors[at] as number) / count
  return vectors.map((value, at) => value - (mean[at % dimensions] as number))
}

function covarianceOf(vectors: Float32Array, dimensions: number): Float64Array {
  const out = new Float64Array(dimensions * dimensions)
  for (let start = 0; start < vectors.length; start += dimensions)
    for (let i = 0; i < dimensions; i++) {
      const value = vectors[start + i] as number
      for (let j = i; j < dimensions; j++)
        out[i * dimensions + j] = (out[i * dimensions + j] as number) + value * (vectors[start + j] as number)
    }
  for (let i = 0; i < dimensions; i++)
    for (let j = 0; j < i; j++) out[i * dimensions + j] = out[j * dimensions + i] as number
  return out
}

/** Eigenvalues of a symmetric matrix, and the eigenvector of each as a row of `axes`. The matrix is overwritten. */
function eigenvectors(matrix: Float64Array, size: number): { values: Float64Array; axes: Float64Array } {
  const axes = new Float64Array(size * size)
  for (let i = 0; i < size; i++) axes[i * size + i] = 1
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (let p = 0; p < size; p++)
      for (let q = p + 1; q < size; q++) {
        const between = matrix[p * size + q] as number
        if (between === 0) continue
        const theta = ((matrix[q * size + q] as number) - (matrix[p * size + p] as number)) / (2 * between)
        const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
        const cosine = 1 / Math.sqrt(tangent * tangent + 1)
        const sine = tangent * cosine
        rotate(matrix, p, q, 1, size, size, cosine, sine)
        rotate(matrix, p, q, size, 1, size, cosine, sine)
        rotate(axes, p, q, size, 1, size, cosine, sine)
      }
  return { values: Float64Array.from({ length: size }, (_, i) => matrix[i * size + i] as number), axes }
}

/** Turns lines p and q of a matrix towards each other: rows where `line` is the size and `step` 1, columns the other way round. */
function rotate(
  matrix: Float64Array,
  p: number,
  q: number,
  line: number,
  step: number,
  size: number,
  cosine: number,
  sine: number,
): void {
  for (let at = 0; at < size; at++) {
    const one = p * line + at * step
    const two = q * line + at * step
    const a = matrix[one] as number
    const b = matrix[two] as number
    matrix[one] = cosine * a - sine * b
    matrix[two] = sine * a + cosine * b
  }
}
