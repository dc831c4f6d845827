/**
 * Measures how often the right skill is found:
 *     npm run rank -- [--own-words] [--queries FILE --pools FILE] [--messages FILE] [--matcher lexical] [--against minisearch] [--peers]
 *                     [--origins] [--failures] [--json] [--docs]
 * FILE: JSON lines, gzipped or plain. Default: the trigger queries of ../shared/data, which skill authors wrote; `--own-words`: those of
 * test/ranking in nine languages, which share no content word with their skill. `--messages`: messages of the skills, lines of id, language
 * and message, such as test/ranking/messages.tsv; only libraries with messages are ranked. `--peers`: every matcher. `--docs`: every
 * matcher, written to docs/measured.md, with and without messages.
 */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { barChart } from '../report/chart.js'
import { writeFigure, writeSection } from '../report/docs.js'
import { markdownTable } from '../report/table.js'
import { compareByOrigin } from './bootstrap.js'
import { type PoolSkill, readRows, type TriggerQuery, withMessages } from './data.js'
import { groupFailures } from './failures.js'
import { matchers } from './matchers.js'
import { answerAll, type Figures, figuresByLanguage, figuresByOrigin, type Outcome, quantile } from './measure.js'

const data = new URL('../../../shared/data/', import.meta.url)
const { values } = parseArgs({
  options: {
    'own-words': { type: 'boolean', default: false },
    queries: { type: 'string' },
    pools: { type: 'string' },
    messages: { type: 'string' },
    matcher: { type: 'string', default: 'lexical' },
    against: { type: 'string' },
    peers: { type: 'boolean', default: false },
    origins: { type: 'boolean', default: false },
    failures: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
})
if (!values.queries && !existsSync(new URL('triggers-dev.jsonl.gz', data))) {
  console.error('Give the messages and the skills to rank: npm run rank -- --queries FILE --pools FILE')
  process.exit(2)
}
const ranking = new URL('../../test/ranking/', import.meta.url)
const queryFiles = values.queries
  ? [values.queries]
  : values['own-words']
    ? ['own-words-a.jsonl', 'own-words-b.jsonl'].map(name => new URL(name, ranking))
    : [new URL('triggers-dev.jsonl.gz', data)]
const queries = queryFiles.flatMap(file => readRows<TriggerQuery>(file))
const plainPools = readRows<PoolSkill>(values.pools ?? new URL('triggers-dev-pools.jsonl.gz', data))
const pools = values.messages ? withMessages(plainPools, values.messages) : plainPools

interface Run {
  matcher: string
  what: string
  outcomes: Outcome[]
  languages: Record<string, Figures>
  queryMs: { p50: number; p95: number }
}

if (values.docs && values['own-words']) {
  await writeOwnWords()
  process.exit()
}
const wanted = values.peers || values.docs ? Object.keys(matchers) : [values.matcher]
if (values.against && !wanted.includes(values.against)) wanted.push(values.against)
const runs: Run[] = []
for (const name of wanted) runs.push(await run(name))
const [ours] = runs as [Run]
const against = runs.find(({ matcher }) => matcher === values.against)

if (values.json) {
  const plain = runs.map(({ matcher, languages, queryMs }) => ({ matcher, languages, queryMs }))
  console.log(JSON.stringify(plain.length === 1 ? plain[0] : plain))
} else {
  console.log(markdownTable(HEAD(), runs.flatMap(rowsOf)))
  if (values.origins) {
    const rows = Object.entries(figuresByOrigin(ours.outcomes)).map(([origin, figures]) => [origin, ...cells(figures)])
    console.log(`\n${markdownTable(['origin', 'R@1', 'R@5', 'NDCG@5', 'macro R@1', 'messages'], rows)}`)
  }
  if (against) console.log(`\n${comparison(ours, against)}`)
  if (values.failures) console.log(`\n${failures(ours)}`)
}
if (values.docs) writeDocs()

async function run(name: string, of: readonly PoolSkill[] = pools): Promise<Run> {
  const known = matchers[name]
  if (!known) throw new Error(`There is no matcher ${name}; there are ${Object.keys(matchers).join(', ')}`)
  const outcomes = await answerAll(queries, of, known.open)
  const times = outcomes.map(({ ms }) => ms)
  return {
    matcher: name,
    what: known.what,
    outcomes,
    languages: figuresByLanguage(outcomes),
    queryMs: { p50: quantile(times, 0.5), p95: quantile(times, 0.95) },
  }
}

function HEAD(): string[] {
  return ['matcher', 'language', 'R@1', 'R@5', 'NDCG@5', 'macro R@1', 'messages', 'query p50, ms', 'query p95, ms']
}

function cells({ r1, r5, ndcg5, macroR1, n }: Figures): string[] {
  return [r1, r5, ndcg5, macroR1].map(value => (value === null ? '-' : value.toFixed(3))).concat(String(n))
}

/** Languages with enough messages for a meaningful result. */
function rowsOf({ what, languages, queryMs }: Run): string[][] {
  return Object.entries(languages)
    .filter(([, { n }]) => n >= 30)
    .map(([language, figures]) => [what, language, ...cells(figures), queryMs.p50.toFixed(2), queryMs.p95.toFixed(2)])
}

function comparison(one: Run, other: Run): string {
  const rows = Object.keys(one.languages).flatMap(language => {
    const [a, b] = [one, other].map(({ outcomes }) => outcomes.filter(({ query }) => query.lang === language))
    if (!a || !b || a.length < 30) return []
    const { r1, low, high } = compareByOrigin(a, b)
    return [[language, signed(r1), `${signed(low)} to ${signed(high)}`, String(a.length)]]
  })
  return `R@1 of ${one.what} against ${other.what}\n\n${markdownTable(['language', 'difference', '95 % interval', 'messages'], rows)}`
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`
}

function failures({ outcomes }: Run): string {
  const groups = groupFailures(outcomes, pools)
  const all = groups.reduce((sum, { count }) => sum + count, 0)
  return groups
    .map(({ kind, count, examples }) =>
      [
        `${kind}: ${count} of ${all} (${((count / all) * 100).toFixed(0)} %)`,
        ...examples.map(({ message, wanted: right, got }) => `    ${right} (found: ${got}): ${message}`),
      ].join('\n'),
    )
    .join('\n')
}

function writeDocs(): void {
  const groups = groupFailures(ours.outcomes, pools)
  const all = groups.reduce((sum, { count }) => sum + count, 0)
  const kinds = groups.map(({ kind, count }) => [kind, String(count), ((count / all) * 100).toFixed(0)])
  const others = runs.filter(({ matcher }) => ['minisearch', 'orama'].includes(matcher))
  writeSection(
    'rank',
    [
      markdownTable(HEAD(), runs.flatMap(rowsOf)),
      '![R@1 of each matcher, in English and Chinese](rank.svg)',
      ...others.map(other => comparison(ours, other)),
      `Wrong first matches in all languages, by cause:\n\n${markdownTable(['cause', 'messages', '%'], kinds)}`,
    ].join('\n\n'),
  )
  writeFigure(
    'rank.svg',
    barChart({
      title: 'Right skill ranked first',
      axis: 'R@1, messages written by skill authors',
      categories: runs.map(({ what }) => what),
      series: [
        { name: 'English', values: runs.map(one => rounded(one.languages['en']?.r1)) },
        { name: 'Chinese', values: runs.map(one => rounded(one.languages['zh']?.r1)) },
      ],
    }),
  )
}

/** Every matcher over whole skills, then those that index the messages of skills. */
async function writeOwnWords(): Promise<void> {
  const plain: Run[] = []
  for (const name of Object.keys(matchers))
    if (!name.endsWith('-head') && name !== 'keywords') plain.push(await run(name))
  const withTheirs = withMessages(plainPools, values.messages ?? new URL('messages.tsv', ranking))
  const informed: Run[] = []
  for (const name of ['hybrid', 'lexical', 'minisearch']) informed.push(await run(name, withTheirs))
  const languages = Object.keys((plain[0] as Run).languages)
  const tableOf = (some: readonly Run[]): string =>
    markdownTable(
      ['matcher', ...languages],
      some.map(({ what, languages: figures }) => [
        what,
        ...languages.map(language => `${figures[language]?.r1.toFixed(2)}/${figures[language]?.r5.toFixed(2)}`),
      ]),
    )
  writeSection(
    'own-words',
    [
      `R@1/R@5 of ${plain[0]?.languages['en']?.n} messages in each language:`,
      tableOf(plain),
      'The same, if skills have messages (`test/ranking/messages.tsv`, 30 in nine languages for each skill):',
      tableOf(informed),
      '![R@1 with and without messages of skills, in nine languages](own-words.svg)',
    ].join('\n\n'),
  )
  const values1 = (one: Run | undefined): (number | null)[] =>
    languages.map(language => rounded(one?.languages[language]?.r1))
  writeFigure(
    'own-words.svg',
    barChart({
      title: 'Right skill ranked first',
      axis: "R@1, messages in users' own words",
      categories: languages,
      series: [
        { name: 'with messages', values: values1(informed[0]) },
        { name: 'without', values: values1(plain[0]) },
      ],
    }),
  )
}

function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 1000) / 1000
}
