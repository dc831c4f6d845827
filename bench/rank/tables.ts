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

/**
 * R@1 and R@5 of each matcher, by language with enough messages. `withTimes` adds the median time of a query, `withMacro` the mean R@1 over
 * repositories.
 */
export function recallTable(
  runs: readonly Run[],
  {
    digits,
    withTimes = false,
    withMacro = false,
  }: { digits: number; withTimes?: boolean; withMacro?: boolean },
): string {
  const languages = Object.entries(runs[0]?.languages ?? {}).filter(
    ([, { n }]) => n >= MIN_MESSAGES,
  )
  const rows = runs.map(({ what, languages: figures, queryMs }) => [
    what,
    ...languages.map(([language]) => {
      const { r1, r5, macroR1 } = figures[language] as Figures
      const recall = `${r1.toFixed(digits)}/${r5.toFixed(digits)}`
      return withMacro ? `${recall} (${decimals(macroR1)})` : recall
    }),
    ...(withTimes ? [queryMs.p50.toFixed(2)] : []),
  ])
  const head = [
    withMacro ? 'R@1/R@5 (macro R@1)' : 'R@1/R@5',
    ...languages.map(([language, { n }]) => `${language} (${n})`),
    ...(withTimes ? ['query p50, ms'] : []),
  ]
  return markdownTable(head, rows)
}

const ANSWERS = ['AUC', 'ECE', 'fired', 'right of fired', 'in matches or maybe'] as const

/** How far answers can be acted on, for the matchers that decide matches. */
export function answerTable(runs: readonly Run[]): string {
  const rows = runs.flatMap(({ what, languages }) =>
    Object.entries(languages)
      .filter(([, { n, auc }]) => n >= MIN_MESSAGES && auc !== null)
      .map(([language, figures]) => [
        what,
        language,
        ...ANSWERS.map(name => decimals(figures[FIGURES[name]])),
      ]),
  )
  return markdownTable(['matcher', 'language', ...ANSWERS], rows)
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

/** Difference of R@1 to each of the others, by language, with its 95 % interval. */
export function comparisonTable(ours: Run, others: readonly Run[]): string {
  const languages = Object.keys(ours.languages).filter(
    language => (ours.languages[language] as Figures).n >= MIN_MESSAGES,
  )
  const rows = others.map(other => [
    other.what,
    ...languages.map(language => {
      const [a = [], b = []] = [ours, other].map(({ outcomes }) =>
        outcomes.filter(({ query }) => query.lang === language),
      )
      const { r1, low, high } = compareByOrigin(a, b)
      return `${signed(r1)} (${signed(low)} to ${signed(high)})`
    }),
  ])
  return markdownTable([`R@1 of ${ours.what} against`, ...languages], rows)
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
  const rows = shares(outcomes, pools)
    .filter(({ count }) => count > 0)
    .map(({ kind, count, percent }) => [kind, String(count), percent])
  return markdownTable(['cause', 'messages', '%'], rows)
}

function shares(outcomes: Run['outcomes'], pools: readonly PoolSkill[]) {
  const groups = groupFailures(outcomes, pools)
  const all = groups.reduce((sum, { count }) => sum + count, 0)
  return groups.map(group => ({ ...group, all, percent: ((group.count / all) * 100).toFixed(0) }))
}
