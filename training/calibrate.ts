/**
 * Fits the constants of src/match/score.ts and prints them with what they reach. Run: npm run calibrate [-- --meaning]
 * With `--meaning` those for words with the bundled model.
 *
 * Served: the author-written messages of the dev set against the library they were written for, and against it cut down to two skills.
 * Not served: messages that no skill serves, English ones of others and Chinese ones of our own, against libraries drawn by a
 * seeded generator: one half fits, the other judges; and generic ones against their own library, each once.
 * Origins weigh alike, and messages are matched by length: long messages are not served for being long.
 */

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { groupBy, type PoolSkill, readRows, type TriggerQuery } from '../bench/rank/data.js'
import { readModel } from '../bench/rank/model.js'
import { loadBackground } from '../src/match/background.js'
import { figuresOfSegment } from '../src/match/local.js'
import { CALIBRATION, candidateShares, type Figures } from '../src/match/score.js'
import { createSegmentBuilder } from '../src/segment/build.js'
import { randomFrom } from './random.js'

interface Example extends Figures {
  /** Left out of every fit. */
  judge?: boolean
  served: boolean
  kind: string
  origin: string
  /** Words of the message. */
  length: number
  /** Relevance of the candidates, best first, and the place of a right one among them (-1: none). */
  relevances: readonly number[]
  place: number
}

const data = new URL('../../shared/data/', import.meta.url)
const queries = readRows<TriggerQuery>(new URL('triggers-dev.jsonl.gz', data))
const pools = groupBy(readRows<PoolSkill>(new URL('triggers-dev-pools.jsonl.gz', data)), skill => skill.origin)
const unserved = readRows<{ query: string }>(new URL('no-skill-queries.jsonl.gz', data)).map(({ query }) => query)
const unservedChinese = readFileSync(new URL('data/no-skill-zh.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const background = await loadBackground()
const { values: flags } = parseArgs({ options: { meaning: { type: 'boolean', default: false } } })
const model = flags.meaning ? readModel() : undefined
const random = randomFrom(7)
const origins = [...new Set(queries.map(query => query.origin))].filter(origin => pools.has(origin))
const libraries = new Map(origins.map(origin => [origin, open(pools.get(origin) as PoolSkill[])]))

const examples: Example[] = []
const seen = new Set<string>()
for (const query of queries) {
  // "Use X, but skip its checks" names the skill that serves it: it says nothing of what no skill serves.
  const generic = query.tier === 'generic_negative'
  if (generic && (seen.has(`${query.origin} ${query.query}`) || query.query.includes(query.skill_name ?? '\n')))
    continue
  seen.add(`${query.origin} ${query.query}`)
  const skills = pools.get(query.origin)
  const library = libraries.get(query.origin)
  if (!skills || !library || query.tier === 'negative') continue
  const right = new Set([query.skill_id, ...(query.alt_skill_ids ?? [])])
  examples.push(example(query.query, library, skills, query.should_trigger, query.tier, query.origin, right))
  const own = skills.find(skill => right.has(skill.id))
  if (!query.should_trigger || !own || random() > 0.25) continue
  const two = [own, pick(pools.get(pick(origins)) as PoolSkill[])]
  examples.push(example(query.query, open(two), two, true, 'two skills', query.origin, right))
}
const chineseOrigins = [...new Set(queries.filter(({ lang }) => lang === 'zh').map(({ origin }) => origin))].filter(
  origin => pools.has(origin),
)
for (const [messages, kind, theirs] of [
  [unserved, 'no skill', origins],
  [unservedChinese, 'no skill, Chinese', origins],
  [unservedChinese, 'no skill, Chinese', chineseOrigins],
] as const) {
  for (const [index, message] of messages.entries()) {
    const origin = pick(theirs)
    const skills = pools.get(origin) as PoolSkill[]
    const judge = index % 2 === 1
    const none = new Set<string>()
    examples.push({ ...example(message, libraries.get(origin) as Opened, skills, false, kind, origin, none), judge })
    if (random() > 0.5) continue
    const two = [pick(skills), pick(skills)]
    examples.push({ ...example(message, open(two), two, false, `${kind}, two skills`, origin, none), judge })
  }
}

const folds = 5
const shuffled = [...origins].sort(() => random() - 0.5)
const held = examples.map(() => 0)
for (let fold = 0; fold < folds; fold++) {
  const out = new Set(shuffled.filter((_, index) => index % folds === fold))
  const fitted = fitLogistic(examples.filter(one => !one.judge && !out.has(one.origin)))
  for (const [index, one] of examples.entries()) if (out.has(one.origin)) held[index] = probability(fitted, one)
}
const weights = weigh(examples)
console.log(
  `held-out origins: AUC ${auc(examples, held, weights).toFixed(3)}, Brier skill ${brierSkill(examples, held, weights).toFixed(3)}`,
)

const raw = fitLogistic(examples.filter(one => !one.judge))
// The intercept that puts nine in ten of the right first matches above 0.7.
const right = examples.filter(one => one.served && one.place === 0).map(one => logit(probability(raw, one)))
const tenth = right.sort((a, b) => a - b)[Math.floor(right.length / 10)] as number
const [intercept = 0, relevance = 0, coverage = 0, named = 0, similarity = 0] = raw
const constants = {
  intercept: intercept - tenth + logit(0.7),
  relevance,
  coverage,
  named,
  similarity,
  temperature: fitTemperature(),
}
console.log(
  'src/match/score.ts:',
  JSON.stringify(constants, (_, value) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value)),
)
console.log('in use:            ', JSON.stringify(flags.meaning ? CALIBRATION.meaning : CALIBRATION.words))
const final = [constants.intercept, relevance, coverage, named, similarity]
for (const [kind, some] of groupBy(
  examples.filter(one => one.served || one.judge !== false),
  one => one.kind,
)) {
  console.log(
    `above 0.7: ${((some.filter(one => probability(final, one) > 0.7).length / some.length) * 100).toFixed(1)} % of ${some.length} ${kind}`,
  )
}

type Opened = ReturnType<typeof open>

function open(skills: readonly PoolSkill[]) {
  const builder = createSegmentBuilder({ vectorizer: model })
  for (const { name, description, body } of skills)
    builder.add({ name, description: description ?? '', tags: [], body: body ?? '' })
  return figuresOfSegment(builder.finish(), background, { model })
}

function example(
  message: string,
  library: Opened,
  skills: readonly PoolSkill[],
  served: boolean,
  kind: string,
  origin: string,
  right: ReadonlySet<number | string>,
): Example {
  const { figures, ranked, words } = library(message)
  return {
    ...figures,
    served,
    kind,
    origin,
    length: words,
    relevances: ranked.slice(0, 20).map(one => one.relevance),
    place: ranked.findIndex(one => right.has((skills[one.skill] as PoolSkill).id)),
  }
}

function pick<T>(items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T
}

function features({ relevance: r, coverage: c, named: n, similarity: s }: Figures): number[] {
  return [1, Math.log1p(r), c, n ? 1 : 0, ...(s === undefined ? [] : [s])]
}

function probability(constants: readonly number[], figures: Figures): number {
  return (
    1 / (1 + Math.exp(-features(figures).reduce((sum, value, index) => sum + value * (constants[index] as number), 0)))
  )
}

function logit(p: number): number {
  return Math.log(p / (1 - p))
}

/** Every origin counts alike within served and not served, and every length has as much of one as of the other. */
function weigh(some: readonly Example[]): number[] {
  const side = (one: Example): string => `${one.served}`
  const perOrigin = groupBy(some, one => `${one.origin}\t${side(one)}`)
  const base = some.map(one => Math.min(1 / (perOrigin.get(`${one.origin}\t${side(one)}`) as Example[]).length, 0.1))
  const lengthOf = (one: Example): string => String(Math.floor(Math.log2(Math.max(2, one.length)) * 2))
  const sums = new Map<string, number>()
  for (const [index, one] of some.entries())
    sums.set(
      `${lengthOf(one)} ${side(one)}`,
      (sums.get(`${lengthOf(one)} ${side(one)}`) ?? 0) + (base[index] as number),
    )
  return some.map((one, index) => {
    const total = Math.min(sums.get(`${lengthOf(one)} true`) ?? 0, sums.get(`${lengthOf(one)} false`) ?? 0)
    return ((base[index] as number) / (sums.get(`${lengthOf(one)} ${side(one)}`) as number)) * total
  })
}

/** Logistic regression by gradient descent on standardized features, with a slight ridge. */
function fitLogistic(some: readonly Example[]): number[] {
  const rows = some.map(features)
  const weight = weigh(some)
  const total = weight.reduce((a, b) => a + b, 0)
  const constants = (rows[0] ?? []).map(() => 0)
  // Newton steps.
  for (let step = 0; step < 25; step++) {
    const gradient = constants.map(value => value * 1e-5)
    const hessian = constants.map((_, i) => constants.map((_, j) => (i === j ? 1e-5 : 0)))
    for (const [index, row] of rows.entries()) {
      const p = 1 / (1 + Math.exp(-row.reduce((sum, value, i) => sum + value * (constants[i] as number), 0)))
      const w = (weight[index] as number) / total
      const error = p - (some[index]?.served ? 1 : 0)
      for (const [i, value] of row.entries()) {
        gradient[i] = (gradient[i] as number) + w * error * value
        for (const [j, other] of row.entries())
          (hessian[i] as number[])[j] = (hessian[i]?.[j] as number) + w * p * (1 - p) * value * other
      }
    }
    for (const [i, change] of solve(hessian, gradient).entries()) constants[i] = (constants[i] as number) - change
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
      for (let k = i; k < row.length; k++) row[k] = (row[k] as number) - factor * (pivot[k] as number)
    }
  }
  const solution = new Array<number>(rows.length).fill(0)
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i] as number[]
    const known = solution.reduce((sum, value, j) => (j > i ? sum + value * (row[j] as number) : sum), 0)
    solution[i] = ((row.at(-1) as number) - known) / (row[i] as number)
  }
  return solution
}

/** The temperature under which the right candidates are likeliest. */
function fitTemperature(): number {
  const served = examples.filter(one => one.served && one.place >= 0 && one.place < one.relevances.length)
  const loss = (temperature: number): number =>
    served.reduce((sum, one) => sum - Math.log(candidateShares(one.relevances, temperature)[one.place] as number), 0)
  const tried = Array.from({ length: 60 }, (_, index) => 0.5 * 1.08 ** index)
  return tried.reduce((best, one) => (loss(one) < loss(best) ? one : best))
}

/** Weighted probability that a served message has the higher figure. */
function auc(some: readonly Example[], p: readonly number[], weight: readonly number[]): number {
  const order = some.map((_, index) => index).sort((a, b) => (p[a] as number) - (p[b] as number))
  let below = 0
  let area = 0
  let positive = 0
  for (const index of order) {
    const w = weight[index] as number
    if (some[index]?.served) {
      area += w * below
      positive += w
    } else below += w
  }
  return area / (positive * below)
}

function brierSkill(some: readonly Example[], p: readonly number[], weight: readonly number[]): number {
  const total = weight.reduce((a, b) => a + b, 0)
  const y = (index: number): number => (some[index]?.served ? 1 : 0)
  const base = weight.reduce((sum, w, index) => sum + w * y(index), 0) / total
  const brier = weight.reduce((sum, w, index) => sum + w * ((p[index] as number) - y(index)) ** 2, 0) / total
  return 1 - brier / (base * (1 - base))
}
