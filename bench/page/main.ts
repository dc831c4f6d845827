/**
 * Benchmarks pages in Chromium: time to the first match, upgrade to a transformer, a large library.
 *     npm run bench:page -- [--rounds 10] [--only first,phone,slow,slow4g,peer,upgrade,large] [--json] [--docs]
 * `--docs` writes the tables of docs/measured.md. Needs ../shared/data, and ../shared/models for all-MiniLM-L6-v2.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { buildPage } from '../build-page.js'
import { writeSection } from '../report/docs.js'
import { type DemoRow, demoTable, measureDemo } from './demo.js'
import { type FirstRow, firstTable, measureFirst } from './first.js'
import { hasMiniLM, largeSegments, packedLibrary, transformerFiles } from './fixtures.js'
import { startHost } from './host.js'
import { type LargeRow, largeTable, measureLarge } from './large.js'
import { measurePeer, type PeerRow, peerTable } from './peer.js'
import { measureUpgrade, type UpgradeRow, upgradeTables } from './upgrade.js'
import { launch } from './visit.js'

const PAGES = ['baseline', 'keywords', 'bundled-model', 'peer', 'upgrade', 'large']
const PARTS = ['first', 'phone', 'slow', 'slow4g', 'peer', 'upgrade', 'large']
const SKILLS = 1_000
const MANY = 50_000
/** Rounds of visits that wait for a transformer, which take half a minute each. */
const FEW = 3
const SLOW = { rate: 10_000_000, latency: 40 }
/** How much slower the processor of a phone is. */
const PHONE = 4

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    only: { type: 'string', default: PARTS.join(',') },
    json: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const few = Math.min(FEW, rounds)
const only = values.only.split(',')
const unknown = only.find(part => !PARTS.includes(part))
if (unknown !== undefined) throw new Error(`Unknown part "${unknown}" in --only. The parts are ${PARTS.join(', ')}.`)
const wanted = (part: string): boolean => only.includes(part) && (hasMiniLM || part !== 'peer')
if (values.docs && PARTS.some(part => !wanted(part)))
  throw new Error('--docs needs all parts: omit --only and add ../shared/models')
if (!hasMiniLM) console.error('../shared/models is missing: all-MiniLM-L6-v2 is not measured')

const host = await startHost()
const browser = await launch()
const busy = loadavg()[0] as number
const tables: string[] = []
let skills = 0
const rows: {
  first?: FirstRow[]
  phone?: FirstRow[]
  slow?: FirstRow[]
  slow4g?: DemoRow[]
  peer?: PeerRow
  upgrade?: UpgradeRow[]
  large?: LargeRow[]
} = {}
try {
  for (const page of PAGES) {
    const files = await buildPage(new URL('pages', import.meta.url), page)
    host.add(new Map([...files].map(([path, bytes]) => [`${page}/${path}`, bytes])))
  }
  const library = await packedLibrary(SKILLS)
  skills = library.skills
  host.add(library.files)
  host.add(transformerFiles())

  if (wanted('first')) {
    rows.first = await measureFirst(browser, host, rounds)
    tables.push(`${skills} skills from localhost, ${rounds} visits each:`, firstTable(rows.first))
  }
  if (wanted('phone')) {
    rows.phone = await measureFirst(browser, host, few, { slowdown: PHONE })
    tables.push(
      `The same with a processor ${PHONE} times slower, as of a phone, ${few} visits:`,
      firstTable(rows.phone),
    )
  }
  if (wanted('slow')) {
    rows.slow = await measureFirst(browser, host, rounds, { network: SLOW })
    const { rate, latency } = SLOW
    tables.push(`The same at ${rate / 1e6} Mbit/s and ${latency} ms latency:`, firstTable(rows.slow))
  }
  if (wanted('slow4g')) {
    rows.slow4g = await measureDemo(browser, host, few)
    tables.push(
      `The demo page on slow 4G (1.6 Mbit/s, 150 ms) with the processor of a phone, ${few} first visits:`,
      demoTable(rows.slow4g),
    )
  }
  if (wanted('peer')) {
    rows.peer = await measurePeer(browser, host, few)
    tables.push(`A page that waits for a transformer, ${few} visits:`, peerTable(rows.peer))
  }
  if (wanted('upgrade')) {
    rows.upgrade = await measureUpgrade(browser, host, few)
    tables.push(...upgradeTables(rows.upgrade, few))
  }
  if (wanted('large')) {
    const files = largeSegments(MANY)
    host.add(files)
    rows.large = await measureLarge(browser, host, files)
    tables.push('A large library, in a page and in Node:', largeTable(rows.large))
  }
} finally {
  await browser.close()
  await host.close()
}
console.log(values.json ? JSON.stringify({ skills, rounds, few, ...rows }) : tables.join('\n\n'))
console.error(`Load average: ${busy.toFixed(1)} before, ${(loadavg()[0] as number).toFixed(1)} after`)
if (values.docs) writeSection('page', tables.join('\n\n'))
