import { describe, expect, it } from 'vitest'
import {
  applyProofs,
  CALIBRATION,
  type Evidence,
  rivalEvidence,
  type Scores,
  scoreRanked,
  twoDigits,
} from '../../src/search/match/score.js'

const evidence = (some: Partial<Evidence> = {}): Evidence => ({
  relevance: Math.log1p(15),
  coverage: Math.sqrt(0.5),
  named: 0,
  similarity: 0,
  words: Math.log1p(5),
  messages: 0,
  foreign: 0,
  unspaced: 0,
  own: 0,
  said: 0,
  byWords: 1,
  wish: 1,
  ruledOut: 0,
  margin: 0.6,
  third: 0.8,
  rivals: Math.log(1.1),
  part: 1,
  ...some,
})
const scored = (some: Partial<Evidence>, relevances = [10, 4, 2]) =>
  scoreRanked(relevances, evidence(some), CALIBRATION.words, 10)

describe('scores', () => {
  it('[BY-2] lie between 0 and 1 for any evidence', () => {
    for (const relevance of [0.001, 1, 10, Number.MAX_VALUE]) {
      for (const coverage of [0, 0.2, 1]) {
        for (const named of [0, 1]) {
          const { served, scores } = scored({ relevance, coverage, named })
          expect(served).toBeGreaterThan(0)
          expect(served).toBeLessThanOrEqual(1)
          for (const score of scores) expect(score).toBeGreaterThanOrEqual(0)
        }
      }
    }
  })

  it.each<[what: string, Partial<Evidence>[]]>([
    ['relevance', [0.1, 1, 3, 5].map(relevance => ({ relevance }))],
    ['coverage', [0, 0.3, 0.6, 1].map(coverage => ({ coverage }))],
    ['a name in the message', [{ named: 0 }, { named: 1 }]],
  ])('[BY-2] grow with %s', (_, steps) => {
    const found = steps.map(step => scored(step))
    for (const [index, { served, scores }] of found.entries()) {
      if (index === 0) continue
      expect(served).toBeGreaterThan(found[index - 1]?.served as number)
      expect(scores[0]).toBeGreaterThan(found[index - 1]?.scores[0] as number)
    }
  })

  it('[BY-2] are 0 without a word in common', () => {
    expect(scored({ relevance: 0 })).toEqual({ served: 0, scores: [0, 0, 0] })
  })

  const thirty = Array.from({ length: 30 }, (_, rank) => 30 - rank)
  it.each([[[3]], [[3, 3, 3, 3]], [[9, 7, 2, 0.1]], [[1e6, 1, 0]], [thirty]])(
    '[BY-23] add up to at most the probability that the library serves the message, best first: %j',
    relevances => {
      const { served, scores } = scored(rivalEvidence(relevances), relevances)
      expect(scores.reduce((sum, score) => sum + score, 0)).toBeLessThanOrEqual(served + 1e-9)
      expect(scores).toEqual([...scores].sort((a, b) => b - a))
    },
  )

  it('[BY-23] fall with the closeness and the number of rivals, while the library serves the message as well', () => {
    const first = (relevances: number[]) => scored(rivalEvidence(relevances), relevances)
    const [clear, close, many] = [first([10, 2]), first([10, 8]), first([10, 8, 8, 8])]
    expect(close.scores[0]).toBeLessThan(clear.scores[0] as number)
    expect(many.scores[0]).toBeLessThan(close.scores[0] as number)
    expect([close.served, many.served]).toEqual([clear.served, clear.served])
    const equal = first([10, 10, 10, 10])
    const [best = 0] = equal.scores
    expect(best).toBeLessThanOrEqual(equal.served / 4 + 1e-9)
  })

  describe('with a model, in a script with spaces', () => {
    const facts = { coverage: Math.sqrt(0.3), similarity: 0.3 }
    const first = (relevances: number[], some: Partial<Evidence> = {}): number =>
      scoreRanked(
        relevances,
        evidence({ ...facts, ...rivalEvidence(relevances), ...some }),
        CALIBRATION.meaning,
        3,
      ).scores[0] as number

    it('[BY-23] a lead over the second and over the third raises the first score', () => {
      expect(first([10, 4, 4])).toBeGreaterThan(first([10, 6, 4]))
      expect(first([10, 6, 2])).toBeGreaterThan(first([10, 6, 5]) + 0.02)
    })

    it('[BY-23] no score is above the probability that the library serves the message', () => {
      for (const coverage of [0.1, 0.3, 0.5, 0.9]) {
        for (const relevances of [[10, 1, 1], [10, 9, 1], [10, 9, 9], [10, 10], [10]]) {
          const { served, scores } = scoreRanked(
            relevances,
            evidence({ ...facts, coverage, ...rivalEvidence(relevances) }),
            CALIBRATION.meaning,
            3,
          )
          expect(scores[0]).toBeLessThanOrEqual(served)
        }
      }
    })

    it('[BY-23] without a third skill, and with messages, a lead says no more than before', () => {
      const { leads: _, ...plain } = CALIBRATION.meaning
      const scoreOf = (calibration: typeof plain, some: Partial<Evidence>): number | undefined =>
        scoreRanked(
          [10, 2, 1],
          evidence({ ...facts, ...rivalEvidence([10, 2, 1]), ...some }),
          calibration,
          1,
        ).scores[0]
      for (const some of [{ third: undefined }, { messages: 1 }]) {
        expect(scoreOf(CALIBRATION.meaning, some)).toBe(scoreOf(plain, some))
      }
      expect(scoreOf(CALIBRATION.meaning, {})).not.toBe(scoreOf(plain, {}))
    })

    it('[BY-23] words that say much raise it, and the probability that the library serves the message', () => {
      const { leads, ...plain } = CALIBRATION.meaning
      const known = leads as NonNullable<typeof leads>
      const raisedBy = (only: Partial<typeof known>): { score: number; served: number } => {
        const calibration = { ...plain, leads: { ...known, ...only } }
        const [common, rare] = [0, 1].map(said =>
          scoreRanked([10, 4, 2], evidence({ ...facts, said }), calibration, 1),
        ) as [Scores, Scores]
        return {
          score: (rare.scores[0] as number) - (common.scores[0] as number),
          served: rare.served - common.served,
        }
      }
      expect(raisedBy({ served: 0 }).score).toBeGreaterThan(0.05)
      expect(raisedBy({ english: { ...known.english, said: 0 } }).served).toBeGreaterThan(0.02)
    })

    it('[BY-23] other languages with spaces have leads of their own', () => {
      const { leads, ...plain } = CALIBRATION.meaning
      const known = leads as NonNullable<typeof leads>
      const scoreOf = (calibration: typeof plain, foreign: number): number | undefined =>
        scoreRanked([10, 4, 2], evidence({ ...facts, foreign }), calibration, 1).scores[0]
      const off = { ...plain, leads: { ...known, english: { ...known.english, intercept: -9 } } }
      expect(scoreOf(off, 1)).toBe(scoreOf(CALIBRATION.meaning, 1))
      expect(scoreOf(off, 0)).toBeLessThan(0.1)
    })

    it('[BY-23] in scripts without spaces, words and meaning that agree on the first raise it', () => {
      const agreed = (byWords: number): number => first([10, 4, 2], { unspaced: 1, byWords })
      expect(agreed(1)).toBeGreaterThan(agreed(0) + 0.05)
    })

    it('[BY-23] a message that says too little for one skill lowers it, and not whether the library serves it', () => {
      expect(first([10, 4, 2], { wish: 0.5 })).toBeCloseTo(first([10, 4, 2]) / 2, 9)
      const served = (wish: number): number =>
        scoreRanked([10, 9, 9], evidence({ coverage: 0.9, wish }), CALIBRATION.meaning, 1).served
      expect(served(0.5)).toBe(served(1))
    })

    it('[BY-31] what the author rules out lowers it', () => {
      expect(first([10, 2, 1], { ruledOut: 3 })).toBeLessThan(first([10, 2, 1]) / 2)
      expect(first([10, 2, 1], { ruledOut: 3, unspaced: 1 })).toBeLessThan(
        first([10, 2, 1], { unspaced: 1 }),
      )
    })
  })

  it('[BY-2] messages of a skill share words with any message, so they count less', () => {
    const served = (messages: number) =>
      scoreRanked([10, 4], evidence({ similarity: 0.3, messages }), CALIBRATION.meaning, 2).served
    expect(served(1)).toBeLessThan(served(0))
  })

  it('[BY-2] a stray word stays below the threshold of 0.7, and a good match is above it', () => {
    expect(scored({ relevance: Math.log1p(2), coverage: Math.sqrt(0.1) }).scores[0]).toBeLessThan(
      0.3,
    )
    expect(scored({ coverage: Math.sqrt(0.7), margin: 0.8, rivals: 0 }).scores[0]).toBeGreaterThan(
      0.7,
    )
  })
})

describe('proofs', () => {
  const matches = [
    { id: 'a', score: 0.6 },
    { id: 'b', score: 0.2 },
  ]

  it('[BY-23] move the scores towards the proven skill, and never above what the library serves', () => {
    const [best, other] = applyProofs(matches, [{ id: 'b', weight: 0.8 }], 0.9)
    expect(best).toMatchObject({ id: 'b', score: expect.closeTo(0.2 * 0.2 + 0.8 * 0.9, 9) })
    expect(other).toMatchObject({ id: 'a', score: expect.closeTo(0.2 * 0.6, 9) })
    expect(applyProofs(matches, [], 0.9)).toEqual(matches)
  })

  it('[BY-14] are shared by several skills', () => {
    const proofs = ['a', 'b'].map(id => ({ id, weight: 0.5 }))
    const proven = applyProofs(matches, proofs, 0.9)
    expect(proven.map(({ score }) => score)).toEqual([
      expect.closeTo(0.525, 9),
      expect.closeTo(0.325, 9),
    ])
  })
})

it.each([
  [0.6999, '0.69'],
  [0.7, '0.70'],
  [0.29, '0.29'],
  [1, '1.00'],
])('[BY-23] a score of %s is shown as %s, never as one that it does not reach', (score, shown) => {
  expect(twoDigits(score)).toBe(shown)
})
