import { expect, it } from 'vitest'
import { figuresOf } from '../../bench/rank/benchmark.js'

it('measures messages that need several documents', () => {
  const figures = figuresOf(['b', 'x', 'a', 'y', 'z', 'c'], new Set(['a', 'b', 'c']))
  expect(figures).toMatchObject({ 'hit@1': 1, 'R@10': 1, 'COMP@5': 0, 'COMP@10': 1 })
  expect(figures['R@1']).toBeCloseTo(1 / 3)
  expect(figures['R@5']).toBeCloseTo(2 / 3)
  const ideal = 1 + 1 / Math.log2(3) + 1 / 2
  expect(figures['NDCG@5']).toBeCloseTo((1 + 1 / 2) / ideal)
  expect(figures['NDCG@10']).toBeCloseTo((1 + 1 / 2 + 1 / Math.log2(7)) / ideal)
})

it('measures a message with nothing found', () => {
  expect(Object.values(figuresOf([], new Set(['a'])))).toEqual(new Array(8).fill(0))
})
