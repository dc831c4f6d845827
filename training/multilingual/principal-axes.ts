/** The mean of vectors and the axes of their variance, greatest first. */
export function principalAxes(
  vectors: Float32Array,
  dimensions: number,
): { mean: Float64Array; axes: Float64Array[]; variances: number[] } {
  const count = vectors.length / dimensions
  const mean = new Float64Array(dimensions)
  for (const [index, value] of vectors.entries())
    mean[index % dimensions] = (mean[index % dimensions] as number) + value / count
  const covariance = Array.from({ length: dimensions }, () => new Float64Array(dimensions))
  for (let at = 0; at < vectors.length; at += dimensions)
    for (let row = 0; row < dimensions; row++) {
      const value = ((vectors[at + row] as number) - (mean[row] as number)) / count
      const line = covariance[row] as Float64Array
      for (let column = 0; column < dimensions; column++)
        line[column] = (line[column] as number) + value * ((vectors[at + column] as number) - (mean[column] as number))
    }
  const axes = diagonalize(covariance)
  const order = [...axes.keys()].sort((a, b) => (covariance[b]?.[b] as number) - (covariance[a]?.[a] as number))
  return {
    mean,
    axes: order.map(index => axes[index] as Float64Array),
    variances: order.map(index => covariance[index]?.[index] as number),
  }
}

const SWEEPS = 12

/** Jacobi's method: makes a symmetric matrix diagonal, in place. Returns its eigenvectors in the order of the diagonal. */
function diagonalize(matrix: readonly Float64Array[]): Float64Array[] {
  const size = matrix.length
  const vectors = matrix.map((_, row) => Float64Array.from({ length: size }, (__, column) => (row === column ? 1 : 0)))
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (let p = 0; p < size; p++)
      for (let q = p + 1; q < size; q++) {
        const [a, b] = [matrix[p] as Float64Array, matrix[q] as Float64Array]
        const off = a[q] as number
        if (Math.abs(off) < 1e-15) continue
        const theta = ((b[q] as number) - (a[p] as number)) / (2 * off)
        const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
        const cosine = 1 / Math.sqrt(tangent * tangent + 1)
        const sine = tangent * cosine
        rotate(a, b, cosine, sine)
        for (const row of matrix) {
          const [x, y] = [row[p] as number, row[q] as number]
          row[p] = cosine * x - sine * y
          row[q] = sine * x + cosine * y
        }
        rotate(vectors[p] as Float64Array, vectors[q] as Float64Array, cosine, sine)
      }
  return vectors
}

function rotate(a: Float64Array, b: Float64Array, cosine: number, sine: number): void {
  for (let index = 0; index < a.length; index++) {
    const [x, y] = [a[index] as number, b[index] as number]
    a[index] = cosine * x - sine * y
    b[index] = sine * x + cosine * y
  }
}
