/**
 * Measures how often the right skill is found, and how far the answer of `match` can be acted on:
 *     npm run rank -- [--own-words] [--queries FILE --pools FILE] [--messages FILE] [--matcher lexical] [--against minisearch] [--peers]
 *                     [--no-skill] [--origins] [--failures] [--json] [--docs]
 *     npm run rank -- --authors [--matcher hybrid] [--json] [--docs]
 *     npm run rank -- --benchmark livemcpbench [--matcher hybrid] [--tools] [--json] [--docs]
 * FILE: JSON lines, gzipped or plain. Default: the trigger queries of ../shared/data, which skill authors wrote; `--own-words`: those of
 * test/ranking in nine languages, which share no content word with their skill. `--messages`: messages of the skills, lines of id, language
 * and message, such as test/ranking/messages.tsv; only libraries with messages are ranked. `--no-skill`: also the share of messages that
 * match although no skill serves them. `--peers`: every matcher. `--docs`: every matcher, written to docs/measured.md, with and without
 * messages. `--authors`: the trigger tests that authors keep beside their skills, with near misses. `--benchmark`: a public benchmark of ../shared/data/benchmarks, or a file of the same form, by every
 * matcher or the one that is named. `--tools`: its documents on a tool shelf, and the tokens that are sent.
 */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type AuthorRun, authorTables, readAuthorTests, runAuthors } from './authors.js'
import { benchmarkTable, readBenchmark, runBenchmark, writeBenchmark } from './benchmark.js'
import { type PoolSkill, readRows, type TriggerQuery, withMessages } from './data.js'
import { writeAuthors, writeOwnWords, writeRanking } from './docs.js'
import { matchers } from './matchers.js'
import { type Run, runMatcher } from './run.js'
import { comparisonTable, failureList, noSkillTable, originTable, rankingTable } from './tables.js'
import { runTools, toolTable, writeTools } from './tools.js'

const data = new URL('../../../shared/data/', import.meta.url)
const { values } = parseArgs({
  options: {
    authors: { type: 'boolean', default: false },
    'own-words': { type: 'boolean', default: false },
    benchmark: { type: 'string' },
    tools: { type: 'boolean', default: false },
    queries: { type: 'string' },
    pools: { type: 'string' },
    messages: { type: 'string' },
    matcher: { type: 'string' },
    against: { type: 'string' },
    peers: { type: 'boolean', default: false },
    'no-skill': { type: 'boolean', default: false },
    origins: { type: 'boolean', default: false },
    failures: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
})
/** The matchers of the section of authors' tests, as far as their models are present. */
const AUTHOR_MATCHERS = Object.keys(matchers).filter(
  name => !/-head$|-cosine$|^keywords$/.test(name),
)
const ranking = new URL('../../test/ranking/', import.meta.url)

if (values.benchmark && values.tools) await measureTools(values.benchmark)
else if (values.benchmark) await measureBenchmark(values.benchmark)
else if (values.authors) await measureAuthors()
else if (values.queries || existsSync(new URL('triggers-dev.jsonl.gz', data))) {
  await measureRanking()
} else {
  console.error(
    'Give the messages and the skills to rank: npm run rank -- --queries FILE --pools FILE',
  )
  process.exitCode = 2
}

async function measureBenchmark(name: string): Promise<void> {
  const runs = await runBenchmark(readBenchmark(name), values.docs ? undefined : values.matcher)
  console.log(values.json ? JSON.stringify(runs) : benchmarkTable(name, runs))
  if (values.docs) writeBenchmark(name, runs)
}

async function measureAuthors(): Promise<void> {
  const tests = readAuthorTests(data)
  const names = values.docs ? AUTHOR_MATCHERS : [values.matcher ?? 'hybrid']
  const runs: AuthorRun[] = []
  for (const name of names) runs.push(await runAuthors(name, tests))
  console.log(values.json ? JSON.stringify(runs.map(plainFigures)) : authorTables(runs))
  if (values.docs) writeAuthors(runs)
}

async function measureTools(name: string): Promise<void> {
  const runs = await runTools(name, readBenchmark(name))
  console.log(values.json ? JSON.stringify(runs) : toolTable(runs))
  if (values.docs) writeTools(name, runs)
}

async function measureRanking(): Promise<void> {
  const queries = queryFiles().flatMap(file => readRows<TriggerQuery>(file))
  const plainPools = readRows<PoolSkill>(
    values.pools ?? new URL('triggers-dev-pools.jsonl.gz', data),
  )
  if (values['own-words'] && values.docs) {
    const whole = Object.keys(matchers).filter(name => !/-head$|^keywords$|^bm25$/.test(name))
    const informed = withMessages(plainPools, values.messages ?? new URL('messages.tsv', ranking))
    return writeOwnWords(
      await runAll(whole, queries, plainPools),
      await runAll(['hybrid', 'encoder', 'lexical', 'minisearch'], queries, informed),
    )
  }
  const pools = values.messages ? withMessages(plainPools, values.messages) : plainPools
  const wanted = values.peers || values.docs ? Object.keys(matchers) : [values.matcher ?? 'lexical']
  if (values.against && !wanted.includes(values.against)) wanted.push(values.against)
  const runs = await runAll(wanted, queries, pools, { noSkill: values['no-skill'] || values.docs })
  if (values.json) {
    const plain = runs.map(({ what, outcomes, ...figures }) => figures)
    console.log(JSON.stringify(plain.length === 1 ? plain[0] : plain))
  } else printRuns(runs, pools)
  if (values.docs) writeRanking(runs, pools)
}

function queryFiles(): (string | URL)[] {
  if (values.queries) return [values.queries]
  return values['own-words']
    ? ['own-words-a.jsonl', 'own-words-b.jsonl'].map(name => new URL(name, ranking))
    : [new URL('triggers-dev.jsonl.gz', data)]
}

function printRuns(runs: readonly Run[], pools: readonly PoolSkill[]): void {
  const [ours] = runs as [Run]
  const against = runs.find(({ matcher }) => matcher === values.against)
  const parts = [
    rankingTable(runs),
    noSkillTable(runs),
    values.origins && originTable(ours),
    against && comparisonTable(ours, [against]),
    values.failures && failureList(ours, pools),
  ]
  console.log(parts.filter(Boolean).join('\n\n'))
}

async function runAll(
  names: readonly string[],
  queries: readonly TriggerQuery[],
  pools: readonly PoolSkill[],
  options?: { noSkill: boolean },
): Promise<Run[]> {
  const runs: Run[] = []
  for (const name of names) runs.push(await runMatcher(name, queries, pools, options))
  return runs
}

function plainFigures({ library, collections, ownFires }: AuthorRun): object {
  const figures = ({ matcher, languages }: Run): object => ({ matcher, languages })
  return { library: figures(library), collections: figures(collections), ownFires }
}
