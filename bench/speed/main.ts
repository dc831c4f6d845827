/** Speed and memory beside peers on the same real skills: npm run bench [-- --sizes 1000,10000,50000] [--json] */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { peers } from './peers.js'

interface Row {
  name: string
  size: number
  buildMs: number
  memory: number
  packed: number
  gzipped: number
  openMs: number
  queryMs: Record<string, { p50: number; p95: number }>
}

const { values } = parseArgs({
  options: { sizes: { type: 'string', default: '1000,10000,50000' }, json: { type: 'boolean', default: false } },
})
const rows: Row[] = []
for (const size of values.sizes.split(',')) {
  for (const name of Object.keys(peers)) {
    const script = fileURLToPath(new URL('one.ts', import.meta.url))
    const run = spawnSync(
      process.execPath,
      ['--expose-gc', '--max-old-space-size=8192', '--import', 'tsx', script, name, size],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    if (run.status !== 0) throw new Error(`${name} at ${size} failed`)
    rows.push(JSON.parse(run.stdout.toString()) as Row)
    if (!values.json) show(rows.at(-1) as Row)
  }
}
if (values.json) console.log(JSON.stringify(rows))
else for (const size of new Set(rows.map(row => row.size))) compare(rows.filter(row => row.size === size))

function show({ name, size, buildMs, memory, packed, gzipped, openMs, queryMs }: Row): void {
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
  const queries = Object.entries(queryMs).map(([kind, { p50, p95 }]) => `${kind} ${p50.toFixed(2)} / ${p95.toFixed(2)}`)
  console.log(
    `${name} ${size}: build ${(buildMs / 1000).toFixed(1)} s, held ${mb(memory)}, packed ${mb(packed)} (${mb(gzipped)} gz), open ${openMs.toFixed(1)} ms, query p50 / p95 ms: ${queries.join(', ')}`,
  )
}

/** How many times faster or smaller we are, in this run. */
function compare(some: readonly Row[]): void {
  const ours = some.find(row => row.name === 'skillshelf')
  for (const other of some) {
    if (!ours || other === ours) continue
    const times = (of: (row: Row) => number): string => `${(of(other) / of(ours)).toFixed(1)}x`
    const queries = Object.keys(ours.queryMs).map(kind => `${kind} ${times(row => row.queryMs[kind]?.p50 ?? 0)}`)
    console.log(
      `${other.name} / skillshelf at ${ours.size}: build ${times(row => row.buildMs)}, held ${times(row => row.memory)}, packed ${times(row => row.packed)}, open ${times(row => row.openMs)}, query ${queries.join(', ')}; our open / build 1/${(ours.buildMs / ours.openMs).toFixed(0)}`,
    )
  }
}
