/**
 * Fits the odds of the first skill by its score and its leads over the second and the third (`leads` of `CALIBRATION` in
 * src/search/match/score.ts), and prints them with the share of messages that fire against the share of these that are right:
 *     npm run calibrate:leads [-- --docs]
 * On messages that authors wrote, held out by repository in five folds, and on messages that no skill serves. With the bundled model; scripts
 * without spaces keep their score. `--docs` writes the curve to docs/measured.md.
 */
import { parseArgs } from 'node:util'
import { readAuthorTests } from '../../bench/rank/authors.js'
import { groupBy, type PoolSkill, readRows, type TriggerQuery } from '../../bench/rank/data.js'
import { readModel } from '../../bench/rank/model.js'
import { readUnserved } from '../../bench/rank/no-skill.js'
import { curveChart } from '../../bench/report/chart.js'
import { writeFigure, writeSection } from '../../bench/report/docs.js'
import { markdownTable } from '../../bench/report/table.js'
import { createSegmentBuilder } from '../../src/search/index/build.js'
import { loadCorpusStatistics } from '../../src/search/match/corpus-statistics.js'
import { adjustFirst } from '../../src/search/match/first-odds.js'
import { embedWithModel } from '../../src/search/match/query-embedding.js'
import { CALIBRATION, type Evidence, scoreRanked } from '../../src/search/match/score.js'
import { evidenceOfSegment, openSingleSegment } from './features.js'
import { fitLogistic, logit } from './fit.js'

/** Messages that no skill serves count less than those of authors: there are more of them than in use. */
const UNSERVED = 0.3
/** A library has at least these skills. */
const MIN_LIBRARY = 3
const FOLDS = 5
const THRESHOLDS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]

interface Ranked {
  evidence: Evidence
  /** Without leads, and the probability that the library serves the message. */
  score: number
  served: number
  right: boolean
  kind: string
  language: string
  repository: string
}

const { values } = parseArgs({ options: { docs: { type: 'boolean', default: false } } })
const data = new URL('../../../shared/data/', import.meta.url)
const model = readModel()
const corpus = await loadCorpusStatistics()
const { leads: _, ...calibration } = CALIBRATION.meaning

const tests = readAuthorTests(data)
const libraries: [kind: string, skills: PoolSkill[], queries: TriggerQuery[]][] = [
  ['dev', read('triggers-dev-pools'), read('triggers-dev')],
  ['authors', tests.library.skills, tests.library.queries],
  ['collections', tests.collections.skills, tests.collections.queries],
]
const rows: Ranked[] = []
const unserved = readUnserved()
for (const [kind, skills, queries] of libraries) {
  for (const [origin, library] of groupBy(skills, skill => skill.origin)) {
    const asked = queries.filter(
      one => one.origin === origin && one.tier === 'good' && one.should_trigger,
    )
    if (library.length < MIN_LIBRARY || asked.length === 0) continue
    const rank = open(library)
    for (const query of asked) {
      const right = [query.skill_id, ...(query.alt_skill_ids ?? [])]
      rows.push({
        ...rank(query.query, right),
        kind,
        language: query.lang,
        repository: query.repo ?? origin,
      })
    }
    // Every library gets some of them, and the largest one all.
    const some = kind === 'authors' ? unserved : unserved.filter((_, index) => index % 40 === 0)
    for (const { message, language } of some) {
      rows.push({ ...rank(message, []), kind: 'no skill', language, repository: message })
    }
  }
}

const spaced = rows.filter(({ evidence }) => evidence.unspaced === 0 && evidence.messages === 0)
const repositories = [...new Set(spaced.map(({ repository }) => repository))]
const scores = new Map<Ranked, number>(rows.map(row => [row, row.score]))
for (let fold = 0; fold < FOLDS; fold++) {
  const out = new Set(repositories.filter((_, index) => index % FOLDS === fold))
  const leads = fitLeads(spaced.filter(({ repository }) => !out.has(repository)))
  for (const row of spaced) {
    if (!out.has(row.repository)) continue
    scores.set(row, adjustFirst(row.score, row.served, { ...row.evidence, ruledOut: 0 }, leads))
  }
}
console.log(
  JSON.stringify(fitLeads(spaced), (_, value) =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value,
  ),
)
const columns = [
  ...['en', 'zh'].flatMap(language =>
    ['dev', 'authors', 'collections'].map(kind => ({ kind, language })),
  ),
  { kind: 'no skill', language: 'en' },
].filter(({ kind, language }) => messagesOf(kind, language).length >= 100)
const table = markdownTable(
  ['threshold', ...columns.map(({ kind, language }) => `${kind}, ${language}`)],
  THRESHOLDS.map(threshold => [
    String(threshold),
    ...columns.map(({ kind, language }) => {
      const [fired, right] = pointOf(messagesOf(kind, language), threshold)
      return kind === 'no skill' ? fired.toFixed(3) : `${fired.toFixed(2)} / ${right.toFixed(3)}`
    }),
  ]),
)
console.log(table)
if (values.docs) {
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
        .filter(({ kind }) => kind !== 'no skill')
        .map(({ kind, language }) => ({
          name: `${kind}, ${language}`,
          points: THRESHOLDS.map(threshold => pointOf(messagesOf(kind, language), threshold)),
        })),
    }),
  )
}

function read<Row>(name: string): Row[] {
  return readRows<Row>(new URL(`${name}.jsonl.gz`, data))
}

function open(skills: readonly PoolSkill[]) {
  const builder = createSegmentBuilder({ embedder: model })
  for (const skill of skills) {
    builder.add({
      ...skill,
      description: skill.description ?? '',
      tags: skill.tags ?? [],
      body: skill.body ?? '',
    })
  }
  const segment = openSingleSegment(builder.finish())
  return (message: string, right: readonly (number | string)[]) => {
    const embedding = embedWithModel(model, corpus.removeRuledOut(message))
    const { evidence, ranked } = evidenceOfSegment(segment, message, corpus, {
      embedding,
      calibrated: embedding,
    })
    const plain = { ...evidence, ruledOut: 0 }
    const relevances = ranked.map(({ relevance }) => relevance)
    const { served, scores: found } = scoreRanked(relevances, plain, calibration, 1)
    const first = skills[ranked[0]?.skill ?? -1]
    const score = found[0] ?? 0
    return { evidence, served, score, right: first !== undefined && right.includes(first.id) }
  }
}

function fitLeads(some: readonly Ranked[]) {
  const known = some.filter(({ score, evidence }) => score > 0 && evidence.third !== undefined)
  const [intercept = 0, score = 0, margin = 0, third = 0] = fitLogistic(
    known.map(row => ({
      features: [
        1,
        logit(row.score),
        row.served * row.evidence.margin,
        row.served * (row.evidence.third ?? 0),
      ],
      yes: row.right,
      weight: row.kind === 'no skill' ? UNSERVED : 1,
    })),
  )
  return { intercept, score, margin, third }
}

function messagesOf(kind: string, language: string): Ranked[] {
  return rows.filter(row => row.kind === kind && row.language === language)
}

/** The share that fires, and the share of these that is right. */
function pointOf(some: readonly Ranked[], threshold: number): readonly [number, number] {
  const fired = some.filter(row => (scores.get(row) as number) > threshold)
  const right = fired.filter(row => row.right)
  return [fired.length / some.length, right.length / (fired.length || 1)]
}
