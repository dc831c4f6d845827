/** Weighted logistic regression, and measures of its accuracy. */

/** One weighted example. The first feature is 1. */
export interface Point {
  features: readonly number[]
  yes: boolean
  weight: number
  /**
   * Known factor of the probability, which is then `factor / (1 + exp(-x))`.
   * @default 1
   */
  factor?: number
  /**
   * Known part of `x`.
   * @default 0
   */
  offset?: number
}

const STEPS = 25
const RIDGE = 1e-5
const TINY = 1e-9

export function probability(constants: readonly number[], features: readonly number[]): number {
  return (
    1 /
    (1 +
      Math.exp(
        -features.reduce((sum, value, index) => sum + value * (constants[index] as number), 0),
      ))
  )
}

export function logit(p: number): number {
  return Math.log(p / (1 - p))
}

/** Logistic regression by Fisher's scoring, which without factors is Newton's method, with a slight ridge. */
export function fitLogistic(points: readonly Point[]): number[] {
  const total = points.reduce((sum, { weight }) => sum + weight, 0)
  const constants = (points[0]?.features ?? []).map(() => 0)
  for (let step = 0; step < STEPS; step++) {
    const gradient = constants.map(value => value * RIDGE)
    const hessian = constants.map((_, i) => constants.map((_, j) => (i === j ? RIDGE : 0)))
    for (const { features, yes, weight, factor = 1, offset = 0 } of points) {
      const alone = probability([...constants, offset], [...features, 1])
      const p = Math.min(Math.max(factor * alone, TINY), 1 - TINY)
      const slope = factor * alone * (1 - alone)
      const w = weight / total / (p * (1 - p))
      const error = p - (yes ? 1 : 0)
      for (const [i, value] of features.entries()) {
        gradient[i] = (gradient[i] as number) + w * error * slope * value
        for (const [j, other] of features.entries()) {
          ;(hessian[i] as number[])[j] =
            (hessian[i]?.[j] as number) + w * slope ** 2 * value * other
        }
      }
    }
    for (const [i, change] of solve(hessian, gradient).entries()) {
      constants[i] = (constants[i] as number) - change
    }
  }
  return constants
}

/** Gaussian elimination. */
function solve(matrix: number[][], right: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, right[index] as number])
  for (let i = 0; i < rows.length; i++) {
    const pivot = rows[i] as number[]
    for (let j = i + 1; j < rows.length; j++) {
      const row = rows[j] as number[]
      const factor = (row[i] as number) / (pivot[i] as number)
      for (let k = i; k < row.length; k++) {
        row[k] = (row[k] as number) - factor * (pivot[k] as number)
      }
    }
  }
  const solution = new Array<number>(rows.length).fill(0)
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i] as number[]
    const known = solution.reduce(
      (sum, value, j) => (j > i ? sum + value * (row[j] as number) : sum),
      0,
    )
    solution[i] = ((row.at(-1) as number) - known) / (row[i] as number)
  }
  return solution
}

/** Area under the ROC curve: the weighted probability that a positive example ranks above a negative one. */
export function auc(points: readonly Point[], p: readonly number[]): number {
  const order = points.map((_, index) => index).sort((a, b) => (p[a] as number) - (p[b] as number))
  let below = 0
  let area = 0
  let positive = 0
  for (const index of order) {
    const { weight, yes } = points[index] as Point
    if (yes) {
      area += weight * below
      positive += weight
    } else below += weight
  }
  return area / (positive * below)
}

/** Brier skill score over the base rate: 1 is perfect, 0 is no better than the base rate. */
export function brierSkill(points: readonly Point[], p: readonly number[]): number {
  const total = points.reduce((sum, { weight }) => sum + weight, 0)
  const base = points.reduce((sum, { weight, yes }) => sum + (yes ? weight : 0), 0) / total
  const brier =
    points.reduce(
      (sum, { weight, yes }, index) => sum + weight * ((p[index] as number) - (yes ? 1 : 0)) ** 2,
      0,
    ) / total
  return 1 - brier / (base * (1 - base))
}

/** Bins for a reliability plot: mean predicted probability and observed share in equal steps of probability. */
export function reliability(
  points: readonly Point[],
  p: readonly number[],
  steps = 10,
): { predicted: number; observed: number; weight: number }[] {
  const bins = Array.from({ length: steps }, () => ({ predicted: 0, observed: 0, weight: 0 }))
  for (const [index, { weight, yes }] of points.entries()) {
    const bin = bins[
      Math.min(steps - 1, Math.floor((p[index] as number) * steps))
    ] as (typeof bins)[number]
    bin.predicted += weight * (p[index] as number)
    bin.observed += yes ? weight : 0
    bin.weight += weight
  }
  const total = points.reduce((sum, { weight }) => sum + weight, 0)
  return bins
    .filter(({ weight }) => weight > 0)
    .map(({ predicted, observed, weight }) => ({
      predicted: predicted / weight,
      observed: observed / weight,
      weight: weight / total,
    }))
}
