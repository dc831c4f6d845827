/**
 * Measures packing and opening of real libraries: npm run bench:open [-- --sizes 1000,10285] [--json] [--docs]
 * `--docs` updates the table in docs/measured.md. Requires ../shared/data.
 */
import { parseArgs } from 'node:util'
import { writeSection } from '../report/docs.js'
import { measureInProcess } from '../report/measure-in-process.js'
import { markdownTable } from '../report/table.js'
import type { Opening } from './one.js'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10285' },
    json: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
})
const script = new URL('one.ts', import.meta.url)
const rows = values.sizes.split(',').map(size => measureInProcess<Opening>(script, size))
const table = markdownTable(
  ['skills', 'bytes read, MB', 'pack, s', 'first open, ms', 'later opens, ms (median of 15)'],
  rows.map(({ skills, bytes, packMs, firstMs, openMs }) => [
    String(skills),
    (bytes / 1e6).toFixed(1),
    (packMs / 1000).toFixed(1),
    firstMs.toFixed(0),
    openMs.toFixed(0),
  ]),
)
console.log(values.json ? JSON.stringify(rows) : table)
if (values.docs) writeSection('open', table)
