/**
 * Fits the coefficients that turn the evidence of a ranking into scores, and prints them with their accuracy on origins that were held out:
 *     npm run calibrate [-- --for words|meaning|embedding|encoder] [--informed] [--model FOLDER] [--docs]
 * `words`: words alone. `meaning`: with the bundled model. `embedding`: its cosine alone. `encoder`: with the bundled model and
 * skillshelf-encoder, for `calibration` in src/search/model/transformers/presets.ts.
 * `--model`: for `meaning` and `embedding`, a model of `npm run train -- --dev`; the messages that it has not learned are examples too.
 * `--informed`: the coefficients `informed` of `words` or `meaning`, for a best skill with messages.
 * `--docs` writes the section and the plot of docs/measured.md.
 */
import { parseArgs } from 'node:util'
import { randomFrom } from '../../bench/random.js'
import { groupBy } from '../../bench/rank/data.js'
import { loadCorpusStatistics } from '../../src/search/match/corpus-statistics.js'
import type { AnalyzedQuery } from '../../src/search/match/query.js'
import {
  CALIBRATION,
  type Evidence,
  firstScore,
  NO_WORDS,
  scoreRanked,
  THRESHOLD,
} from '../../src/search/match/score.js'
import type { Calibration } from '../../src/search/model/skill-model.js'
import { writeReliability } from './docs.js'
import { type Example, NEAR_MISS, NO_SAMPLE, NO_SKILL, readExamples } from './examples.js'
import { auc, brierSkill, fitLogistic, type Point, reliability } from './fit.js'
import { openTarget } from './open.js'

const FOLDS = 5
const TARGETS = ['words', 'meaning', 'embedding', 'encoder']
/** Kinds of script, which have an intercept of their own. */
type Script = AnalyzedQuery['language']
/**
 * Share of the messages that no skill serves above the threshold, by kind of script, and in the samples, some of which nearly serve them. For
 * a best skill with messages: as many as before it had coefficients of its own.
 */
const PASSING: Record<'all' | 'informed', Record<Script, { others: number; samples: number }>> = {
  all: {
    english: { others: 0.013, samples: 0.0143 },
    foreign: { others: 0.009, samples: 0.0099 },
    unspaced: { others: 0.017, samples: 0.0187 },
  },
  informed: {
    english: { others: 0.0022, samples: 0.013 },
    foreign: { others: 0.0022, samples: 0.0044 },
    unspaced: { others: 0.0022, samples: 0.015 },
  },
}
/** Weight of messages without a skill against those with one, and of near misses among them, which no evidence tells apart. */
const UNSERVED = 0.5
const NEAR_MISSES = 0.2

const { values } = parseArgs({
  options: {
    for: { type: 'string', default: 'words' },
    informed: { type: 'boolean', default: false },
    model: { type: 'string' },
    docs: { type: 'boolean', default: false },
  },
})
if (!TARGETS.includes(values.for)) throw new Error(`--for must be one of ${TARGETS.join(', ')}`)
const target = await openTarget(values.for, await loadCorpusStatistics(), values.model)
const { informed } = values
const examples = await readExamples(target, { informed })

const BY_WORDS = ['relevance', 'coverage', 'named', 'similarity', 'words', 'messages'] as const
const SERVED: readonly (keyof Evidence)[] = target.similarityOnly
  ? ['similarity']
  : informed
    ? [...BY_WORDS, 'own', 'foreign', 'unspaced']
    : BY_WORDS
const NO_SERVED = { ...NO_WORDS, intercept: 0, similarity: 0 }
const NO_FIRST = {
  intercept: 0,
  margin: 0,
  rivals: 0,
  coverage: 0,
  similarity: 0,
  foreign: 0,
  unspaced: 0,
}
const FIRST = target.similarityOnly
  ? (['margin', 'rivals'] as const)
  : (['margin', 'rivals', 'coverage', 'similarity', 'foreign', 'unspaced'] as const)

const scores = crossValidate()
const asked = examples.map(one => one.kind !== NEAR_MISS)
const points = examples.map((one): Point => ({ features: [], yes: one.first, weight: 1 }))
const reached = { auc: auc(points, scores), brier: brierSkill(points, scores) }
console.log(
  `held-out origins, first skill right: AUC ${reached.auc.toFixed(3)}, Brier skill ${reached.brier.toFixed(3)}`,
)
for (const [kind, some] of groupBy(
  [...examples.keys()].filter(index => asked[index]),
  index => kindOf(index),
)) {
  if (some.length >= 30) console.log(report(kind, some))
}
console.log(
  JSON.stringify(fitted(examples), (_, value) =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value,
  ),
)
const kinds = [...groupBy([...examples.keys()], kindOf)]
  .filter(([, some]) => some.length >= 30)
  .map(([, some]) => ({
    kind: (examples[some[0] as number] as Example).kind,
    language: (examples[some[0] as number] as Example).language,
    count: some.length,
    above: some.filter(index => (scores[index] as number) > THRESHOLD).length / some.length,
  }))
if (values.docs) writeReliability(values.for, reached, reliability(points, scores), kinds)

function kindOf(index: number): string {
  const { kind, language } = examples[index] as Example
  return `${kind}, ${language}`
}

function report(kind: string, some: readonly number[]): string {
  const of = some.map(index => points[index] as Point)
  const p = some.map(index => scores[index] as number)
  const right = of.filter(({ yes }) => yes).length
  const fired = some.filter(index => (scores[index] as number) > THRESHOLD)
  const firedRight = fired.filter(index => (examples[index] as Example).first).length
  return [
    kind.padEnd(24),
    `${some.length} messages`,
    `R@1 ${(right / some.length).toFixed(3)}`,
    `mean score ${(p.reduce((a, b) => a + b, 0) / p.length).toFixed(3)}`,
    right > 0 && right < some.length ? `AUC ${auc(of, p).toFixed(3)}` : '',
    `above ${THRESHOLD}: ${(fired.length / some.length).toFixed(3)}`,
    fired.length > 0 ? `right of them ${(firedRight / fired.length).toFixed(3)}` : '',
  ].join('  ')
}

/** Scores of all examples, by a fit without their origin. */
function crossValidate(): number[] {
  const random = randomFrom(7)
  const origins = [...new Set(examples.map(({ origin }) => origin))].sort(() => random() - 0.5)
  const found = examples.map(() => 0)
  for (let fold = 0; fold < FOLDS; fold++) {
    const out = new Set(origins.filter((_, index) => index % FOLDS === fold))
    const calibration = fitted(examples.filter(one => !out.has(one.origin)))
    for (const [index, one] of examples.entries()) {
      if (out.has(one.origin)) found[index] = firstScore(calibration, one.evidence)
    }
  }
  return found
}

/**
 * Fits both functions (of `informed` only the first: which skill is right depends on the others), and sets the intercepts of English and of other languages by the messages that no skill serves. Then fits the second
 * function again, so that the product of both is right for served messages, and sets the intercepts again.
 */
function fitted(some: readonly Example[]): Calibration {
  const weights = weigh(some)
  const servedFit = fitNamed(
    SERVED,
    some.map((one, index) => ({ one, yes: one.served, weight: weights.served[index] as number })),
  )
  if (informed) {
    const { first } = CALIBRATION[values.for === 'words' ? 'words' : 'meaning']
    return withIntercepts({ served: { ...NO_SERVED, ...servedFit }, first }, some)
  }
  const fitFirst = (servedBy: (evidence: Evidence) => number): Calibration => {
    const first = fitNamed(
      FIRST,
      some.map((one, index) => ({
        one,
        yes: one.first,
        weight: one.served ? (weights.kind[index] as number) : 0,
        factor: servedBy(one.evidence),
      })),
    )
    return withIntercepts(
      { served: { ...NO_SERVED, ...servedFit }, first: { ...NO_FIRST, ...first } },
      some,
    )
  }
  const alone = fitFirst(() => 1)
  return fitFirst(evidence => scoreRanked([], evidence, alone, 0).served)
}

function withIntercepts(calibration: Calibration, some: readonly Example[]): Calibration {
  const english = shiftOf('english', some, calibration)
  const served = { ...calibration.served, intercept: calibration.served.intercept + english }
  // Without other languages, as for an English model.
  if (target.similarityOnly) return { ...calibration, served }
  const foreign = shiftOf('foreign', some, calibration) - english
  const unspaced = shiftOf('unspaced', some, calibration) - english
  return { ...calibration, served: { ...served, foreign, unspaced } }
}

/** What must be added to the intercept of `served` for the messages of a script. */
function shiftOf(script: Script, some: readonly Example[], calibration: Calibration): number {
  const of = some.filter(one => scriptOf(one) === script)
  const shifts = [NO_SKILL, NO_SAMPLE].map(kind => {
    const { others, samples } = PASSING[informed ? 'informed' : 'all'][script]
    const share = kind === NO_SAMPLE ? samples : others
    const evidence = of.filter(one => one.kind === kind).map(one => one.evidence)
    return shiftFor(calibration, evidence, share)
  })
  const shift = Math.min(...shifts)
  return Number.isFinite(shift) ? shift : 0
}

function scriptOf({ evidence: { foreign, unspaced } }: Example): Script {
  return foreign ? 'foreign' : unspaced ? 'unspaced' : 'english'
}

/** What must be added to the intercept of `served` so that few of the messages score above the threshold. */
function shiftFor(calibration: Calibration, evidence: readonly Evidence[], share: number): number {
  if (evidence.length < 100) return Number.POSITIVE_INFINITY
  const passing = (shift: number): number => {
    const served = {
      ...calibration.served,
      intercept: calibration.served.intercept + shift,
      foreign: 0,
      unspaced: 0,
    }
    return (
      evidence.filter(one => firstScore({ ...calibration, served }, one) > THRESHOLD).length /
      evidence.length
    )
  }
  let low = -5
  let high = 5
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2
    if (passing(middle) > share) high = middle
    else low = middle
  }
  return low
}

function fitNamed(
  wanted: readonly (keyof Evidence)[],
  some: readonly (Omit<Point, 'features'> & { one: Example })[],
): Record<string, number> {
  // A feature that is the same everywhere, such as the similarity of words alone, has no coefficient.
  const varied = wanted.filter(name =>
    some.some(({ one }) => one.evidence[name] !== some[0]?.one.evidence[name]),
  )
  const constants = fitLogistic(
    some
      .filter(({ weight }) => weight > 0)
      .map(({ one, ...point }) => ({
        ...point,
        features: [1, ...varied.map(name => one.evidence[name] ?? 0)],
      })),
  )
  return Object.fromEntries(
    ['intercept', ...varied].map((name, index) => [name, constants[index] as number]),
  )
}

/**
 * Weighs examples so that kinds and languages count by the square root of their number. For `served`, messages of each length, in scripts
 * with and without n-grams, have served and unserved ones in the same ratio: length alone must not decide.
 */
function weigh(some: readonly Example[]): { kind: number[]; served: number[] } {
  const counts = groupBy(some, one => `${one.kind} ${one.language}`)
  const kind = some.map(
    one => 1 / Math.sqrt((counts.get(`${one.kind} ${one.language}`) as Example[]).length),
  )
  const base = some.map(
    (one, index) => (kind[index] as number) * (one.kind === NEAR_MISS ? NEAR_MISSES : 1),
  )
  const groupOf = (one: Example): string =>
    `${Math.round(one.evidence.words * 2)} ${['zh', 'ja', 'ko'].includes(one.language)}`
  const sums = new Map<string, { yes: number; no: number }>()
  for (const [index, one] of some.entries()) {
    const sum = sums.get(groupOf(one)) ?? { yes: 0, no: 0 }
    sum[one.served ? 'yes' : 'no'] += base[index] as number
    sums.set(groupOf(one), sum)
  }
  const served = some.map((one, index) => {
    const { yes, no } = sums.get(groupOf(one)) as { yes: number; no: number }
    if (yes === 0 || no === 0) return 0
    const total = Math.min(yes, 3 * no)
    return ((base[index] as number) / (one.served ? yes : no)) * total * (one.served ? 1 : UNSERVED)
  })
  return { kind, served }
}
