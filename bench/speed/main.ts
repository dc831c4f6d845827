/**
 * Compares speed and memory with peers on the same real skills, each in its own process:
 *     npm run bench -- [--sizes 1000,10000,50000,200000] [--json] [--docs]
 * `--docs` writes the tables and plots of docs/measured.md. Needs ../shared/data.
 */
import { parseArgs } from 'node:util'
import { barChart } from '../report/chart.js'
import { writeFigure, writeSection } from '../report/docs.js'
import { measureInProcess } from '../report/measure-in-process.js'
import { markdownTable } from '../report/table.js'
import type { Row } from './one.js'
import { peers } from './peers.js'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,50000,200000' },
    json: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
})
const sizes = values.sizes.split(',').map(Number)
const rows: Row[] = []
for (const size of sizes) {
  for (const { name, most = Number.POSITIVE_INFINITY } of peers) {
    if (size > most) continue
    rows.push(measureInProcess<Row>(new URL('one.ts', import.meta.url), name, String(size)))
    if (!values.json) console.log(`${name}, ${size} skills: measured`)
  }
}
const tables = [
  markdownTable(
    ['', 'skills', 'build, s', 'memory, MB', 'peak, MB', 'packed, MB', 'gzip, MB', 'open, ms'],
    rows.map(({ name, size, buildMs, held, peak, packed, gzipped, openMs }) => [
      name,
      String(size),
      (buildMs / 1000).toFixed(2),
      ...[held, peak, packed, gzipped].map(megabytes),
      openMs.toFixed(1),
    ]),
  ),
  markdownTable(
    ['query, ms: p50 / p95', 'skills', ...Object.keys(rows[0]?.queryMs ?? {})],
    rows.map(({ name, size, queryMs }) => [
      name,
      String(size),
      ...Object.values(queryMs).map(({ p50, p95 }) => `${p50.toFixed(2)} / ${p95.toFixed(2)}`),
    ]),
  ),
]
if (values.json) console.log(JSON.stringify(rows))
else console.log(tables.join('\n\n'))
if (values.docs) writeDocs()

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}

function writeDocs(): void {
  const [sizing = '', queries = ''] = tables
  writeSection(
    'speed',
    [
      sizing,
      '![Index build time by library size](speed-build.svg)',
      '![Index memory by library size](speed-memory.svg)',
      queries,
      '![Query time of a short message by library size](speed-query.svg)',
    ].join('\n\n'),
  )
  const chart = (title: string, axis: string, of: (row: Row) => number): string =>
    barChart({
      title,
      axis,
      logarithmic: true,
      categories: sizes.map(size => `${size.toLocaleString('en')} skills`),
      series: peers.map(({ name }) => ({
        name,
        values: sizes.map(size => {
          const row = rows.find(one => one.name === name && one.size === size)
          return row ? Number(of(row).toPrecision(2)) : null
        }),
      })),
    })
  writeFigure(
    'speed-build.svg',
    chart('Index build time', 'seconds', row => row.buildMs / 1000),
  )
  writeFigure(
    'speed-memory.svg',
    chart('Index memory', 'MB', row => row.held / 1e6),
  )
  writeFigure(
    'speed-query.svg',
    chart('Query time, short message', 'milliseconds, p50', row => row.queryMs['short']?.p50 ?? 0),
  )
}
