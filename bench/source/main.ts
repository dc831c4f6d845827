/**
 * Measures opening, storing and refreshing the same real skills from every source:
 *     npm run bench:source -- [--sizes 300,10285] [--only open,kept,refresh] [--rounds 3] [--json] [--docs]
 * `--docs` writes the tables of docs/measured.md. Needs ../shared/data.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { writeSection } from '../report/docs.js'
import { makeSkills } from './fixtures.js'
import { type KeptRow, keptTable, measureKept, openingOf } from './indexeddb.js'
import { measureOpening, type OpeningRow, openingTable } from './opening.js'
import { measureRefresh, type RefreshRow, refreshTable } from './refresh.js'

const PARTS = ['open', 'kept', 'refresh']
/** Number of skills for the measurements of a page. */
const KEPT = 1_000
const REFRESHED = 3_000

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '300,10285' },
    only: { type: 'string', default: PARTS.join(',') },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
})
const only = values.only.split(',')
const unknown = only.find(part => !PARTS.includes(part))
if (unknown !== undefined) throw new Error(`Unknown part ${unknown}; use ${PARTS.join(', ')}`)
const rounds = Number(values.rounds)
const busy = loadavg()[0] as number
const log = (message: string): void => {
  if (!values.json) console.error(message)
}
const results: { open?: OpeningRow[]; kept?: KeptRow; refresh?: RefreshRow[] } = {}
const tables: Record<string, string> = {}

if (only.includes('open')) {
  const rows: OpeningRow[] = []
  for (const size of values.sizes.split(',').map(Number)) {
    const skills = await makeSkills(size)
    rows.push(...(await measureOpening(skills, log)))
    rows.push(openingOf(await measureKept(skills, { rounds, fetches: false })))
    log(`IndexedDB, ${size} skills: measured`)
  }
  results.open = rows
  tables['source-open'] = openingTable(rows)
}
if (only.includes('kept')) {
  results.kept = await measureKept(await makeSkills(KEPT), { rounds, fetches: true })
  tables['source-kept'] = keptTable(results.kept)
}
if (only.includes('refresh')) {
  results.refresh = await measureRefresh((await makeSkills(REFRESHED)).tree)
  tables['source-refresh'] = refreshTable(results.refresh)
}
console.log(values.json ? JSON.stringify(results) : Object.values(tables).join('\n\n'))
console.error(
  `Load average: ${busy.toFixed(1)} before, ${(loadavg()[0] as number).toFixed(1)} after`,
)
if (values.docs) {
  for (const [name, table] of Object.entries(tables)) writeSection(name, table)
}
