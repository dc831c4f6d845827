/**
 * Fits what the odds of the first skill depend on beside the two functions (`leads` of `CALIBRATION` in src/search/match/score.ts), and prints
 * it with the share of messages that fire against the share of these that are right:
 *     npm run calibrate:leads [-- --docs]
 * With the bundled model, on messages that authors wrote, near misses and messages that no skill serves, held out by repository in five
 * folds. `--docs` writes the curve to docs/measured.md.
 */
import { parseArgs } from 'node:util'
import { curveChart } from '../../bench/report/chart.js'
import { writeFigure, writeSection } from '../../bench/report/docs.js'
import { markdownTable } from '../../bench/report/table.js'
import { adjustFirst, adjustServed, RULED_OUT } from '../../src/search/match/first-odds.js'
import {
  CALIBRATION,
  type Evidence,
  firstScore,
  scoreRanked,
} from '../../src/search/match/score.js'
import type { Calibration } from '../../src/search/model/skill-model.js'
import { fitLogistic, logit, type Point } from './fit.js'
import { type Asked, readAsked } from './lead-examples.js'

type Leads = NonNullable<Calibration['leads']>

/** Near misses, and messages that no skill serves, count less than those of authors: there are more of them than in use. */
const WEIGHTS: Partial<Record<Asked['kind'], number>> = {
  'near miss': 0.5,
  'no skill': 0.08,
}
/** Messages of a repository from which each counts less: together they count as their square root. */
const MANY = 60
const FOLDS = 5
/** Near misses share words, and people who say it in other words share none: so what words say counts less than against no skill at all. */
const SERVED_SHARE = 0.25
/** Least distance of a score to 0 and 1. */
const TINY = 1e-6
const THRESHOLDS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]

const { values } = parseArgs({
  options: { docs: { type: 'boolean', default: false } },
})
const { leads: _, ...plain } = CALIBRATION.meaning
const rows = (await readAsked()).map(row => {
  // Without leads, and without what authors rule out.
  const evidence = { ...row.evidence, ruledOut: 0 }
  const { served } = scoreRanked([], evidence, plain, 0)
  return { ...row, served, score: served === 0 ? 0 : firstScore(plain, evidence) }
})
type Row = (typeof rows)[number]

const weights = weigh()
const leads = fitLeads(rows)
console.log(
  JSON.stringify(leads, (_, value) =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value,
  ),
)
const scores = crossValidate()
report()

/** Messages by repository and kind count as the square root of their number, from `MANY` on. */
function weigh(): Map<Row, number> {
  const counts = new Map<string, number>()
  const groupOf = ({ repository, kind }: Row): string => `${repository} ${kind}`
  for (const row of rows) counts.set(groupOf(row), (counts.get(groupOf(row)) ?? 0) + 1)
  return new Map(
    rows.map(row => {
      const share = Math.min(1, Math.sqrt(MANY / (counts.get(groupOf(row)) as number)))
      return [row, share * (WEIGHTS[row.kind] ?? 1)]
    }),
  )
}

/** Kinds of scripts and languages apart: `first` depends on `served`, so that comes first. */
function fitLeads(some: readonly Row[]): Leads {
  const known = some.filter(
    ({ score, evidence }) => score > 0 && evidence.third !== undefined && evidence.messages === 0,
  )
  const spaced = known.filter(({ evidence }) => evidence.unspaced === 0)
  const unspaced = known.filter(({ evidence }) => evidence.unspaced === 1)
  const [ofWords = 0] = fitLogistic(
    ofEqualLength(spaced.filter(({ evidence }) => evidence.foreign === 0)),
  )
  const served = SERVED_SHARE * ofWords
  const leadsOf = ({ margin, third = 0 }: Evidence, now: number) => [now * margin, now * third]
  const [intercept = 0, score = 0, said = 0, margin = 0, third = 0] = fitLogistic(
    spaced.map(row => {
      const { evidence } = row
      const now = withSaid(row.served, served * evidence.said)
      return point(row, [1, oddsOf(row, now), evidence.said, ...leadsOf(evidence, now)])
    }),
  )
  const [start = 0, slope = 0, second = 0, last = 0] = fitLogistic(
    spaced.map(row =>
      point(row, [1, oddsOf(row, row.served), ...leadsOf(row.evidence, row.served)]),
    ),
  )
  const [base = 0, share = 0, rivals = 0, byWords = 0] = fitLogistic(
    unspaced.map(row => {
      const { rivals, byWords } = row.evidence
      return point(row, [1, oddsOf(row, row.served), rivals, byWords])
    }),
  )
  return {
    served,
    english: { intercept, score, said, margin, third },
    foreign: { intercept: start, score: slope, margin: second, third: last },
    unspaced: { intercept: base, score: share, rivals, byWords },
  }
}

/** The probability that the library serves a message, with the odds of its words. */
function withSaid(served: number, odds: number): number {
  return 1 / (1 + Math.exp(-logit(clamp(served)) - odds))
}

function clamp(probability: number): number {
  return Math.min(1 - TINY, Math.max(TINY, probability))
}

/** The odds of the product of both functions, if the first is this. */
function oddsOf({ score, served }: Row, now: number): number {
  return logit(clamp((score / served) * now))
}

function point(row: Row, features: number[]): Point {
  const offset = -RULED_OUT * row.evidence.ruledOut
  return { features, offset, yes: row.right, weight: weights.get(row) as number }
}

/**
 * Whether the library serves a message, by what the shared words say. Messages of each length have served and unserved ones in the same
 * ratio: length alone must not decide.
 */
function ofEqualLength(some: readonly Row[]): Point[] {
  const asked = some.filter(({ kind }) => kind !== 'few' && kind !== 'near miss')
  const isServed = ({ kind }: Row): boolean => kind !== 'no skill'
  const lengthOf = ({ evidence }: Row): number => Math.round(evidence.words * 2)
  const sums = new Map<number, { yes: number; no: number }>()
  for (const row of asked) {
    const sum = sums.get(lengthOf(row)) ?? { yes: 0, no: 0 }
    sum[isServed(row) ? 'yes' : 'no'] += weights.get(row) as number
    sums.set(lengthOf(row), sum)
  }
  return asked.map(row => {
    const { yes, no } = sums.get(lengthOf(row)) as { yes: number; no: number }
    const share = yes === 0 || no === 0 ? 0 : Math.min(yes, no) / (isServed(row) ? yes : no)
    return {
      features: [row.evidence.said],
      offset: logit(clamp(row.served)),
      yes: isServed(row),
      weight: share * (weights.get(row) as number),
    }
  })
}

/** Scores of all messages, by a fit without their repository. */
function crossValidate(): Map<Row, number> {
  const repositories = [...new Set(rows.map(({ repository }) => repository))]
  const found = new Map<Row, number>()
  for (let fold = 0; fold < FOLDS; fold++) {
    const out = new Set(repositories.filter((_, index) => index % FOLDS === fold))
    const fitted = fitLeads(rows.filter(({ repository }) => !out.has(repository)))
    for (const row of rows.filter(({ repository }) => out.has(repository))) {
      const served = adjustServed(row.served, row.evidence, fitted)
      const product = row.served > 0 ? (row.score / row.served) * served : 0
      const score = adjustFirst(product, served, row.evidence, fitted)
      found.set(row, score * row.evidence.wish)
    }
  }
  return found
}

function report(): void {
  const columns = [
    ...['en', 'zh'].flatMap(language =>
      (['dev', 'authors', 'collections'] as const).map(kind => ({ kind, language })),
    ),
    { kind: 'near miss' as const, language: 'en' },
    { kind: 'near miss' as const, language: 'zh' },
    { kind: 'no skill' as const, language: 'en' },
  ].filter(({ kind, language }) => messagesOf(kind, language).length >= 100)
  const isWrong = (kind: Asked['kind']): boolean => kind === 'near miss' || kind === 'no skill'
  const table = markdownTable(
    ['threshold', ...columns.map(({ kind, language }) => `${kind}, ${language}`)],
    THRESHOLDS.map(threshold => [
      String(threshold),
      ...columns.map(({ kind, language }) => {
        const [fired, right] = pointOf(messagesOf(kind, language), threshold)
        return isWrong(kind) ? fired.toFixed(3) : `${fired.toFixed(2)} / ${right.toFixed(3)}`
      }),
    ]),
  )
  console.log(table)
  if (!values.docs) return
  writeSection(
    'threshold',
    `${table}\n\n![Share of messages that fire against the share of these that are right](threshold.svg)`,
  )
  writeFigure(
    'threshold.svg',
    curveChart({
      title: 'What a threshold costs',
      x: 'share of messages that fire',
      y: 'share of these that are right',
      series: columns
        .filter(({ kind }) => !isWrong(kind))
        .map(({ kind, language }) => ({
          name: `${kind}, ${language}`,
          points: THRESHOLDS.map(threshold => pointOf(messagesOf(kind, language), threshold)),
        })),
    }),
  )
}

function messagesOf(kind: string, language: string): Row[] {
  return rows.filter(row => row.kind === kind && row.language === language)
}

/** The share that fires, and the share of these that is right. */
function pointOf(some: readonly Row[], threshold: number): readonly [number, number] {
  const fired = some.filter(row => (scores.get(row) as number) > threshold)
  const right = fired.filter(row => row.right)
  return [fired.length / some.length, right.length / (fired.length || 1)]
}
