import { existsSync } from 'node:fs'
import { writeSection } from '../report/docs.js'
import { markdownTable } from '../report/table.js'
import { groupBy, type PoolSkill, readRows } from './data.js'
import { matchers } from './matchers.js'
import type { Id } from './measure.js'

/** A public benchmark: documents, and messages that may need several of them. */
export interface Benchmark {
  documents: PoolSkill[]
  queries: BenchmarkQuery[]
}

interface BenchmarkQuery {
  set?: string
  message: string
  relevant: readonly Id[]
}

type Row = ({ type: 'document' } & PoolSkill) | ({ type: 'query' } & BenchmarkQuery)

const COLUMNS = ['hit@1', 'R@1', 'R@5', 'R@10', 'NDCG@5', 'NDCG@10', 'COMP@5', 'COMP@10'] as const
/** The columns of a table. `--json` has all figures. */
const SHOWN = ['hit@1', 'R@5', 'NDCG@5', 'COMP@5'] as const
type BenchmarkFigures = Record<(typeof COLUMNS)[number], number>

interface BenchmarkRun {
  matcher: string
  what: string
  sets: Record<string, BenchmarkFigures & { n: number }>
}

const MATCHERS = [
  'hybrid',
  'encoder',
  'minilm',
  'lexical',
  'encoder-cosine',
  'transformers',
  'minisearch',
  'bm25',
]

/** Figures that others published, in percent, and how their measurement differs. */
const PUBLISHED: Readonly<
  Record<string, { rows: readonly [what: string, r5: number][]; differs: string }>
> = {
  livemcpbench: {
    rows: [
      ['BM25', 31.7],
      ['Qwen3-Embedding-8B', 50.8],
      ['toolrank', 53.5],
    ],
    differs:
      'The published figures are over 525 tools; this copy has 527. Qwen3-Embedding-8B has eight billion parameters.',
  },
  metatool: {
    rows: [],
    differs: 'Published figures of MetaTool use other protocols and cannot be compared.',
  },
}

/** @param name A benchmark of ../shared/data/benchmarks, or a file of the same form. */
export function readBenchmark(name: string): Benchmark {
  const file = existsSync(name)
    ? name
    : new URL(`../../../shared/data/benchmarks/${name}.jsonl.gz`, import.meta.url)
  const rows = readRows<Row>(file)
  return {
    documents: rows.filter(row => row.type === 'document').map(row => ({ ...row, origin: name })),
    queries: rows.filter(row => row.type === 'query'),
  }
}

/** Ranks the documents of a benchmark for each of its messages, by each matcher, or by the one that is named. */
export async function runBenchmark(
  { documents, queries }: Benchmark,
  only?: string,
): Promise<BenchmarkRun[]> {
  const runs: BenchmarkRun[] = []
  for (const matcher of only === undefined ? MATCHERS : [only]) {
    const known = matchers[matcher]
    if (!known) continue
    const ranker = await known.open(documents)
    const ranked: (BenchmarkFigures & { set: string })[] = []
    for (const { set = 'all', message, relevant } of queries) {
      ranked.push({ set, ...figuresOf(await ranker.rank(message, 10), new Set(relevant)) })
    }
    const sets = [...groupBy(ranked, ({ set }) => set)].map(([set, some]) => [set, meanOf(some)])
    runs.push({ matcher, what: known.what, sets: Object.fromEntries(sets) })
  }
  return runs
}

/** The figures of one message. */
export function figuresOf(ranked: readonly Id[], relevant: ReadonlySet<Id>): BenchmarkFigures {
  const gains = ranked.map(id => (relevant.has(id) ? 1 : 0))
  const found = (ranks: number): number => gains.slice(0, ranks).filter(gain => gain > 0).length
  const recall = (ranks: number): number => found(ranks) / relevant.size
  const ndcg = (ranks: number): number =>
    discounted(gains.slice(0, ranks)) /
    discounted(new Array(Math.min(ranks, relevant.size)).fill(1))
  const complete = (ranks: number): number => (found(ranks) === relevant.size ? 1 : 0)
  return {
    'hit@1': found(1),
    'R@1': recall(1),
    'R@5': recall(5),
    'R@10': recall(10),
    'NDCG@5': ndcg(5),
    'NDCG@10': ndcg(10),
    'COMP@5': complete(5),
    'COMP@10': complete(10),
  }
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0)
}

function meanOf(some: readonly BenchmarkFigures[]): BenchmarkFigures & { n: number } {
  const means = COLUMNS.map(column => [
    column,
    some.reduce((sum, one) => sum + one[column], 0) / some.length,
  ])
  return { ...Object.fromEntries(means), n: some.length }
}

/** Our figures and published ones, in percent. */
export function benchmarkTable(name: string, runs: readonly BenchmarkRun[]): string {
  const rows = runs.flatMap(({ what, sets }) =>
    Object.entries(sets).map(([set, figures]) => [
      what,
      set,
      ...SHOWN.map(column => (figures[column] * 100).toFixed(1)),
      String(figures.n),
    ]),
  )
  const { rows: published = [], differs } = PUBLISHED[name] ?? {}
  const theirs = published.map(([what, r5]) => [
    `${what}, published`,
    '',
    ...SHOWN.map(column => (column === 'R@5' ? r5.toFixed(1) : '')),
    '',
  ])
  const table = markdownTable(['matcher', 'set', ...SHOWN, 'messages'], [...rows, ...theirs])
  return differs ? `${table}\n\n${differs}` : table
}

export function writeBenchmark(name: string, runs: readonly BenchmarkRun[]): void {
  writeSection(`benchmark-${name}`, benchmarkTable(name, runs))
}
