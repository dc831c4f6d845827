/**
 * Opening the same real skills from each kind of place, keeping them in a page, and refreshing them:
 *     npm run bench:source -- [--sizes 300,3000,10285] [--only open,kept,refresh] [--rounds 3] [--json] [--docs]
 * `--docs` writes the tables of docs/measured.md. Needs ../shared/data.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { writeSection } from '../report/docs.js'
import { makeSkills } from './fixtures.js'
import { type KeptRow, keptTable, measureKept, openingOf } from './kept.js'
import { measureOpening, type OpeningRow, openingTable } from './opening.js'
import { measureRefresh, type RefreshRow, refreshTable } from './refresh.js'

const PARTS = ['open', 'kept', 'refresh']
/** Skills of which more is measured in a page. */
const KEPT = 1_000
const REFRESHED = 3_000

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '300,3000,10285' },
    only: { type: 'string', default: PARTS.join(',') },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
})
const only = values.only.split(',')
const unknown = only.find(part => !PARTS.includes(part))
if (unknown !== undefined) throw new Error(`There is no part ${unknown}; there are ${PARTS.join(', ')}`)
const rounds = Number(values.rounds)
const busy = loadavg()[0] as number
const tell = (what: string): void => {
  if (!values.json) console.error(what)
}
const told: { open?: OpeningRow[]; kept?: KeptRow; refresh?: RefreshRow[] } = {}
const tables: Record<string, string> = {}

if (only.includes('open')) {
  const rows: OpeningRow[] = []
  for (const size of values.sizes.split(',').map(Number)) {
    const skills = await makeSkills(size)
    rows.push(...(await measureOpening(skills, tell)))
    rows.push(openingOf(await measureKept(skills, { rounds, fetches: false })))
    tell(`IndexedDB, ${size} skills: measured`)
  }
  told.open = rows
  tables['source-open'] = openingTable(rows)
}
if (only.includes('kept')) {
  told.kept = await measureKept(await makeSkills(KEPT), { rounds, fetches: true })
  tables['source-kept'] = keptTable(told.kept)
}
if (only.includes('refresh')) {
  told.refresh = await measureRefresh((await makeSkills(REFRESHED)).tree)
  tables['source-refresh'] = refreshTable(told.refresh)
}
console.log(values.json ? JSON.stringify(told) : Object.values(tables).join('\n\n'))
console.error(`Processes that wanted a core: ${busy.toFixed(1)} before, ${(loadavg()[0] as number).toFixed(1)} after`)
if (values.docs) for (const [name, table] of Object.entries(tables)) writeSection(name, table)
