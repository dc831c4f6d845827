import { markdownTable } from '../report/table.js'
import { compareByOrigin } from './bootstrap.js'
import type { PoolSkill } from './data.js'
import { groupFailures } from './failures.js'
import { type Figures, figuresByOrigin } from './measure.js'
import type { Run } from './run.js'

/** Fewer messages in a language give no meaningful result. */
const MIN_MESSAGES = 30

const FIGURES = {
  'R@1': 'r1',
  'R@5': 'r5',
  'NDCG@5': 'ndcg5',
  'macro R@1': 'macroR1',
  AUC: 'auc',
  ECE: 'ece',
  fired: 'fired',
  'right of fired': 'firedRight',
  'in matches or maybe': 'maybeRight',
  messages: 'n',
} as const

export function rankingTable(runs: readonly Run[]): string {
  const rows = runs.flatMap(({ what, languages, queryMs }) =>
    Object.entries(languages)
      .filter(([, { n }]) => n >= MIN_MESSAGES)
      .map(([language, figures]) => [
        what,
        language,
        ...cells(figures),
        queryMs.p50.toFixed(2),
        queryMs.p95.toFixed(2),
      ]),
  )
  return markdownTable(
    ['matcher', 'language', ...Object.keys(FIGURES), 'query p50, ms', 'query p95, ms'],
    rows,
  )
}

export function originTable({ outcomes }: Run): string {
  const rows = Object.entries(figuresByOrigin(outcomes)).map(([origin, figures]) => [
    origin,
    ...cells(figures),
  ])
  return markdownTable(['origin', ...Object.keys(FIGURES)], rows)
}

function cells(figures: Figures): string[] {
  return Object.values(FIGURES).map(key =>
    key === 'n' ? String(figures.n) : decimals(figures[key]),
  )
}

/** Shares of messages that match although no skill serves them: over the ranked libraries and over the samples. Undefined if no run has them. */
export function noSkillTable(runs: readonly Run[]): string | undefined {
  const measured = runs.flatMap(({ what, noSkill }) =>
    noSkill ? [{ what, alarms: Object.entries(noSkill) }] : [],
  )
  const [first] = measured
  if (!first) return undefined
  const rows = measured.map(({ what, alarms }) => [
    what,
    ...alarms.map(([, { pools, samples }]) => `${pools.toFixed(3)}/${samples.toFixed(3)}`),
  ])
  const head = [
    'fired though no skill serves',
    ...first.alarms.map(([language, { n }]) => `${language} (${n})`),
  ]
  return markdownTable(head, rows)
}

function decimals(value: number | null): string {
  return value === null ? '-' : value.toFixed(3)
}

export function comparison(one: Run, other: Run): string {
  const rows = Object.keys(one.languages).flatMap(language => {
    const [a, b] = [one, other].map(({ outcomes }) =>
      outcomes.filter(({ query }) => query.lang === language),
    )
    if (!a || !b || a.length < MIN_MESSAGES) return []
    const { r1, low, high } = compareByOrigin(a, b)
    return [[language, signed(r1), `${signed(low)} to ${signed(high)}`, String(a.length)]]
  })
  return `R@1 of ${one.what} against ${other.what}\n\n${markdownTable(['language', 'difference', '95 % interval', 'messages'], rows)}`
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`
}

export function failureList({ outcomes }: Run, pools: readonly PoolSkill[]): string {
  return shares(outcomes, pools)
    .map(({ kind, count, all, percent, examples }) =>
      [
        `${kind}: ${count} of ${all} (${percent} %)`,
        ...examples.map(
          ({ message, wanted: right, got }) => `    ${right} (found: ${got}): ${message}`,
        ),
      ].join('\n'),
    )
    .join('\n')
}

export function failureTable({ outcomes }: Run, pools: readonly PoolSkill[]): string {
  const rows = shares(outcomes, pools).map(({ kind, count, percent }) => [
    kind,
    String(count),
    percent,
  ])
  return markdownTable(['cause', 'messages', '%'], rows)
}

function shares(outcomes: Run['outcomes'], pools: readonly PoolSkill[]) {
  const groups = groupFailures(outcomes, pools)
  const all = groups.reduce((sum, { count }) => sum + count, 0)
  return groups.map(group => ({ ...group, all, percent: ((group.count / all) * 100).toFixed(0) }))
}
