/**
 * Fits the coefficients that map the features of the best skill to a probability, and prints them with their accuracy:
 *     npm run calibrate [-- --for words|meaning|embedding|minilm|multilingual] [--docs]
 * `words`: words alone. `meaning`: with the bundled model. `embedding`: its cosine alone. `minilm`: with all-MiniLM-L6-v2, in its languages.
 * `multilingual`: with the multilingual model.
 * `--docs` writes the section and the plot of docs/measured.md.
 */
import { parseArgs } from 'node:util'
import { groupBy } from '../../bench/rank/data.js'
import { loadBackground } from '../../src/search/match/background.js'
import { candidateShares, type ScoreFeatures } from '../../src/search/match/score.js'
import { randomFrom } from '../random.js'
import { writeReliability } from './docs.js'
import { type Example, readExamples, weigh } from './examples.js'
import { auc, brierSkill, fitLogistic, logit, type Point, probability, reliability } from './fit.js'
import { openTarget } from './open.js'

const FOLDS = 5
const TARGETS = ['words', 'meaning', 'embedding', 'minilm', 'multilingual']
/** Share of the messages that no skill serves above the threshold. */
const PASSING = 0.03
const THRESHOLD = 0.7

const { values } = parseArgs({
  options: { for: { type: 'string', default: 'words' }, docs: { type: 'boolean', default: false } },
})
if (!TARGETS.includes(values.for)) throw new Error(`--for must be one of ${TARGETS.join(', ')}`)
const target = await openTarget(values.for, await loadBackground())
const examples = await readExamples(target.open, target.supports)
const weights = weigh(examples)
const points = examples.map(
  (one, index): Point => ({
    features: featuresOf(one),
    yes: one.served,
    weight: weights[index] as number,
  }),
)

const probabilities = crossValidate()
const reached = { auc: auc(points, probabilities), brier: brierSkill(points, probabilities) }
console.log(`held-out origins: AUC ${reached.auc.toFixed(3)}, Brier skill ${reached.brier.toFixed(3)}`)

const raw = fitLogistic(pointsOf(examples.filter(one => !one.heldOut)))
if ((raw[namesOf().indexOf('named')] ?? 0) < 0)
  console.warn('The coefficient of "named" is below 0: too few messages contain a name. Use 0 or the previous fit.')
// Shift the intercept so that few of the messages that no skill serves are above the threshold.
const levels = examples
  .filter(one => one.kind.startsWith('no skill') && !one.kind.endsWith('two skills'))
  .map(one => logit(probability(raw, featuresOf(one))))
  .sort((a, b) => a - b)
const shift = logit(THRESHOLD) - (levels[Math.floor(levels.length * (1 - PASSING))] as number)
const constants = [(raw[0] as number) + shift, ...raw.slice(1)]
const named = {
  ...Object.fromEntries(namesOf().map((name, index) => [name, constants[index] as number])),
  temperature: fitTemperature(),
}
console.log(JSON.stringify(named, (_, value) => (typeof value === 'number' ? Math.round(value * 1000) / 1000 : value)))
const kinds = [
  ...groupBy(
    examples.filter(one => one.served || one.heldOut !== false),
    one => one.kind,
  ),
].map(([kind, some]) => ({
  kind,
  count: some.length,
  above: some.filter(one => probability(constants, featuresOf(one)) > THRESHOLD).length / some.length,
}))
for (const kind of ['good', 'own words']) {
  const right = examples.filter(one => one.kind === kind && one.rightIndex === 0)
  const above = right.filter(one => probability(constants, featuresOf(one)) > THRESHOLD).length
  console.log(
    `${kind}, right skill first: ${((above / right.length) * 100).toFixed(1)} % of ${right.length} above ${THRESHOLD}`,
  )
}
for (const { kind, count, above } of kinds)
  console.log(`above ${THRESHOLD}: ${(above * 100).toFixed(1)} % of ${count} ${kind}`)
// The plot shows the fit before the shift, because the shift raises every probability.
if (values.docs) writeReliability(values.for, reached, reliability(points, probabilities), kinds)

function pointsOf(some: readonly Example[]): Point[] {
  const weight = weigh(some)
  return some.map((one, index) => ({ features: featuresOf(one), yes: one.served, weight: weight[index] as number }))
}

/** The probability of each example, by a fit without its origin. */
function crossValidate(): number[] {
  const random = randomFrom(7)
  const origins = [...new Set(examples.map(({ origin }) => origin))].sort(() => random() - 0.5)
  const p = examples.map(() => 0)
  for (let fold = 0; fold < FOLDS; fold++) {
    const out = new Set(origins.filter((_, index) => index % FOLDS === fold))
    const fitted = fitLogistic(pointsOf(examples.filter(one => !one.heldOut && !out.has(one.origin))))
    for (const [index, one] of examples.entries())
      if (out.has(one.origin)) p[index] = probability(fitted, featuresOf(one))
  }
  return p
}

function namesOf(): string[] {
  if (target.similarityOnly) return ['intercept', 'similarity']
  return ['intercept', 'relevance', 'coverage', 'named', ...(values.for === 'words' ? [] : ['similarity'])]
}

function featuresOf({ relevance, coverage, named, similarity = 0 }: ScoreFeatures): number[] {
  if (target.similarityOnly) return [1, similarity]
  return [1, Math.log1p(relevance), coverage, named ? 1 : 0, ...(values.for === 'words' ? [] : [similarity])]
}

/** The temperature that maximizes the likelihood of the right candidates. */
function fitTemperature(): number {
  const served = examples.filter(one => one.served && one.rightIndex >= 0 && one.rightIndex < one.relevances.length)
  const loss = (temperature: number): number =>
    served.reduce(
      (sum, one) => sum - Math.log(candidateShares(one.relevances, temperature)[one.rightIndex] as number),
      0,
    )
  const tried = Array.from({ length: 100 }, (_, index) => 0.02 * 1.08 ** index)
  return tried.reduce((best, one) => (loss(one) < loss(best) ? one : best))
}
