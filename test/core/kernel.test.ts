import { describe, expect, it } from 'vitest'
import type { Vectors } from '../../src/search/index/vectors.js'
import {
  type Cosines,
  kernelCosines,
  nearestByVector,
  plainCosines,
  quantizeQuery,
} from '../../src/search/match/vector-scan.js'
import { randomVectors, unitVector } from './vectors-world.js'

/** All cosines as bits. */
function bitsOf(cosines: Cosines, query: Float32Array, vectors: Vectors): Uint32Array {
  const all = new Float32Array(vectors.scales.length)
  for (let from = 0; from < all.length; ) {
    const block = cosines(quantizeQuery(query), vectors, from)
    all.set(block, from)
    from += block.length
  }
  // WebAssembly leaves the sign of NaN to the engine.
  return new Uint32Array(all.map(value => (Number.isNaN(value) ? Number.NaN : value)).buffer)
}

describe('the kernel', () => {
  const kernel = kernelCosines()

  it('[BY-20] runs here', () => {
    expect(kernel).toBeDefined()
  })

  // 512 vectors of 128 numbers are a block; 24 and 384 do not divide it; of 20,000 numbers it holds too few.
  it.each<[dimensions: number, skills: number]>([
    [8, 20_000],
    [24, 5_461],
    [120, 547],
    ...[1, 2, 3, 4, 5, 511, 512, 513, 5_000].map((skills): [number, number] => [128, skills]),
    [256, 1_001],
    [384, 700],
    [1_536, 90],
    [16_384, 9],
    [20_000, 3],
  ])(
    '[BY-20] gives the same bits as the plain loop: %d dimensions, %d skills',
    (dimensions, skills) => {
      const vectors = randomVectors(dimensions, skills)
      for (const seed of [1, 2, 3]) {
        const query = unitVector(dimensions, seed)
        const plain = bitsOf(plainCosines, query, vectors)
        expect(bitsOf(kernel as Cosines, query, vectors)).toEqual(plain)
        expect(new Set(plain).size).toBeGreaterThan(skills / 2)
      }
    },
  )

  it.each([8, 128, 256, 1_536, 16_384])(
    '[BY-20] gives the same bits for the largest sums and scales of damaged vectors: %d dimensions',
    dimensions => {
      const bytes = new Int8Array(dimensions * 9)
      bytes.fill(-128, 0, dimensions)
      bytes.fill(127, dimensions, dimensions * 2)
      bytes.fill(-128, dimensions * 2)
      const scales = Float32Array.of(1, 1, 0, -1, 1e-45, 3e38, 1e-20, Number.POSITIVE_INFINITY, 0.1)
      const vectors = { space: 'toy', dimensions, bytes, scales }
      for (const value of [1, -1, 0, 1e-30, 1e30]) {
        const query = new Float32Array(dimensions).fill(value)
        const plain = bitsOf(plainCosines, query, vectors)
        expect(bitsOf(kernel as Cosines, query, vectors)).toEqual(plain)
        const [first = Number.NaN, second = Number.NaN] = new Float32Array(plain.buffer)
        expect(first / value || 0).toBeCloseTo(value === 0 ? 0 : -128 * dimensions, -4)
        expect(Math.sign(second)).toBe(Math.sign(value))
      }
    },
  )

  it('[BY-20] computes cosines', () => {
    const dimensions = 128
    const vectors = randomVectors(dimensions, 700)
    const query = unitVector(dimensions, 9)
    const cosines = new Float32Array(bitsOf(kernel as Cosines, query, vectors).buffer)
    for (const [skill, cosine] of cosines.entries()) {
      let sum = 0
      for (const [index, value] of query.entries())
        sum +=
          value *
          (vectors.bytes[skill * dimensions + index] as number) *
          (vectors.scales[skill] as number)
      expect(cosine).toBeCloseTo(sum, 4)
    }
  })
})

it('[BY-20] the nearest of several segments are those of one segment, by the kernel and by the plain loop', () => {
  const every = randomVectors(128, 5_000)
  const part = (from: number, to: number): Vectors => ({
    ...every,
    bytes: every.bytes.subarray(from * 128, to * 128),
    scales: every.scales.subarray(from, to),
  })
  const starts = [0, 1_000, 4_000]
  for (const seed of [1, 2, 3, 4]) {
    const query = unitVector(128, seed)
    const parts = starts.map((from, index) => ({ vectors: part(from, starts[index + 1] ?? 5_000) }))
    const nearest = nearestByVector(query, parts, 50)
    const found = nearest.map(({ segmentIndex, skill, cosine }) => [
      (starts[segmentIndex] ?? 0) + skill,
      cosine,
    ])
    const together = nearestByVector(query, [{ vectors: every }], 50)
    expect(found).toEqual(together.map(({ skill, cosine }) => [skill, cosine]))
    // Fewer than 2,000 skills each, so these are found by the plain loop.
    const few = [0, 1_250, 2_500, 3_750].flatMap(from => {
      const nearest = nearestByVector(query, [{ vectors: part(from, from + 1_250) }], 50)
      return nearest.map(({ skill, cosine }) => [from + skill, cosine])
    })
    expect(found).toEqual(few.sort(([, a = 0], [, b = 0]) => b - a).slice(0, 50))
  }
})
