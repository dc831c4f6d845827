import { describe, expect, it } from 'vitest'
import { candidateShares, type ScoreFeatures, servedProbability } from '../../src/search/match/score.js'

const steps = [0.001, 0.1, 1, 3, 10, 30, 100, 1e6]

describe('the probability that a library serves a message', () => {
  it('[BY-2] lies between 0 and 1', () => {
    for (const relevance of [...steps, Number.MAX_VALUE])
      for (const coverage of [0, 0.2, 1])
        for (const named of [false, true]) {
          const probability = servedProbability({ relevance, coverage, named })
          expect(probability).toBeGreaterThan(0)
          expect(probability).toBeLessThanOrEqual(1)
        }
  })

  it.each<[what: string, of: (step: number) => ScoreFeatures, steps: number[]]>([
    ['relevance', relevance => ({ relevance, coverage: 0.3, named: false }), steps],
    ['coverage', coverage => ({ relevance: 5, coverage, named: false }), [0, 0.1, 0.4, 0.8, 1]],
    ['a name in the message', step => ({ relevance: 5, coverage: 0.3, named: step === 1 }), [0, 1]],
  ])('[BY-2] grows with %s', (_, of, values) => {
    const found = values.map(value => servedProbability(of(value)))
    for (const [index, probability] of found.entries())
      if (index > 0) expect(probability).toBeGreaterThan(found[index - 1] as number)
  })

  it('[BY-2] is 0 without a word in common', () => {
    for (const relevance of [0, -1]) expect(servedProbability({ relevance, coverage: 1, named: true })).toBe(0)
  })

  it('[BY-2] crosses the threshold of 0.7 between a stray word and a good match', () => {
    expect(servedProbability({ relevance: 2, coverage: 0.15, named: false })).toBeLessThan(0.5)
    expect(servedProbability({ relevance: 15, coverage: 0.5, named: false })).toBeGreaterThan(0.7)
  })
})

describe('shares of candidates', () => {
  it.each<[what: string, relevances: number[]]>([
    ['one', [3]],
    ['equals', [3, 3, 3, 3]],
    ['some', [9, 7, 2, 0.1]],
    ['very far apart', [1e6, 1, 0]],
    ['twenty', Array.from({ length: 20 }, (_, index) => 20 - index)],
  ])('[BY-2] add up to 1 and keep the order: %s', (_, relevances) => {
    const shares = candidateShares(relevances, 2.33)
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12)
    expect(shares).toEqual([...shares].sort((a, b) => b - a))
    for (const share of shares) {
      expect(share).toBeGreaterThanOrEqual(0)
      expect(share).toBeLessThanOrEqual(1)
    }
  })

  it('[BY-2] grow with the distance and flatten with the temperature', () => {
    const best = (relevances: number[], temperature = 2.33): number =>
      candidateShares(relevances, temperature)[0] as number
    expect(best([5, 5])).toBe(0.5)
    expect(best([7, 5])).toBeGreaterThan(best([6, 5]))
    expect(best([7, 5], 1)).toBeGreaterThan(best([7, 5], 10))
    expect(candidateShares([], 1)).toEqual([])
  })
})
