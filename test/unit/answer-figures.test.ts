import { expect, it } from 'vitest'
import { answerFigures } from '../../bench/rank/answers.js'

const answer = (score: number, right: boolean, offered = right) => ({
  score,
  right,
  fired: score > 0.7,
  offered,
})

it('measures how far answers can be acted on', () => {
  const uncertain = [true, false].map(right => answer(0.45, right))
  const figures = answerFigures([answer(0.95, true), answer(0.85, false, true), ...uncertain])
  // Of four pairs of a right and a wrong one, two are in order and one is equal.
  expect(figures.auc).toBeCloseTo(2.5 / 4)
  // Bins: .95 is right; .85 is wrong; two of .45, one right.
  expect(figures.ece).toBeCloseTo((0.05 + 0.85 + 0.1) / 4)
  expect(figures).toMatchObject({ fired: 0.5, firedRight: 0.5, maybeRight: 0.75 })
})

it('gives no figure without messages', () => {
  expect(answerFigures([])).toEqual({
    auc: null,
    ece: null,
    fired: null,
    firedRight: null,
    maybeRight: null,
  })
})
