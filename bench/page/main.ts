/**
 * Benchmarks pages in Chromium: time to the first match, upgrade to a transformer, a large library. All of it takes six to twelve minutes.
 *     npm run bench:page -- [--rounds 5] [--only first,phone,slow,slow4g,typing,peer,upgrade,encoder,large] [--json] [--docs]
 *     npm run bench:page -- --only wire [--sizes 42,100,1000,10000,100000] [--rounds 5] [--json] [--docs]
 * `--docs` writes the tables of docs/measured.md. `wire` has a table of its own, and needs the built package. Needs ../shared/data, and ../shared/models for all-MiniLM-L6-v2.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { transformers } from '../../src/exports/transformers.js'
import { buildPage } from '../build-page.js'
import { writeSection } from '../report/docs.js'
import { type DemoRow, demoTable, measureDemo } from './demo.js'
import { type EncoderRow, encoderTable, measureEncoder } from './encoder.js'
import { type FirstRow, firstTable, measureFirst, timesTable } from './first.js'
import { hasMiniLM, largeSegments, packedLibrary, transformerFiles } from './fixtures.js'
import { startHost } from './host.js'
import { type LargeRow, largeTable, measureLarge } from './large.js'
import { measurePeer, type PeerRow, peerTable } from './peer.js'
import { measureTyping, type TypingRow, typingTable } from './typing.js'
import { ENCODED, measureUpgrade, type UpgradeRow, upgradeTables } from './upgrade.js'
import { launch } from './visit.js'
import { measureWire, WIRE_SIZES, type WireRow, wireTable } from './wire.js'

const PAGES = ['baseline', 'keywords', 'bundled-model', 'peer', 'upgrade', 'encoder', 'large']
const PARTS = ['first', 'phone', 'slow', 'slow4g', 'typing', 'peer', 'upgrade', 'encoder', 'large']
/** Not part of a run of all parts, because it takes half an hour. */
const WIRE = 'wire'
const SKILLS = 1_000
const MANY = 50_000
const SLOW = { rate: 10_000_000, latency: 40 }
/** How much slower the processor of a phone is. */
const PHONE = 4

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: PARTS.join(',') },
    sizes: { type: 'string', default: WIRE_SIZES.join(',') },
    json: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
/** Of slow visits, and of those that wait for a transformer, which take half a minute each. */
const few = Math.ceil(rounds / 2)
const fewest = Math.ceil(rounds / 5)
const visits = (count: number): string => (count === 1 ? 'one visit' : `${count} visits`)
const only = values.only.split(',')
const unknown = only.find(part => part !== WIRE && !PARTS.includes(part))
if (unknown !== undefined) {
  throw new Error(
    `Unknown part "${unknown}" in --only. The parts are ${PARTS.join(', ')}, ${WIRE}.`,
  )
}
const isWire = only.includes(WIRE)
if (isWire && only.length > 1) throw new Error('--only wire is a run of its own')
const wanted = (part: string): boolean => only.includes(part) && (hasMiniLM || part !== 'peer')
/** Runs a part if it is wanted, and says how long it took. */
const timed = async <Rows>(part: string, run: () => Promise<Rows>): Promise<Rows | undefined> => {
  if (!wanted(part)) return undefined
  const start = performance.now()
  const rows = await run()
  console.error(`${part}: ${((performance.now() - start) / 1000).toFixed(0)} s`)
  return rows
}
if (values.docs && !isWire && PARTS.some(part => !wanted(part))) {
  throw new Error('--docs needs all parts: omit --only and add ../shared/models')
}
if (!hasMiniLM) console.error('../shared/models is missing: all-MiniLM-L6-v2 is not measured')

const host = await startHost()
const browser = await launch()
const busy = loadavg()[0] as number
const tables: string[] = []
let skills = 0
const rows: {
  first?: FirstRow[] | undefined
  phone?: FirstRow[] | undefined
  slow?: FirstRow[] | undefined
  slow4g?: DemoRow[] | undefined
  typing?: TypingRow[] | undefined
  peer?: PeerRow | undefined
  upgrade?: UpgradeRow[] | undefined
  encoder?: EncoderRow[] | undefined
  large?: LargeRow[] | undefined
  wire?: WireRow[] | undefined
} = {}
try {
  rows.wire = await timed(WIRE, () =>
    measureWire(browser, fewest, values.sizes.split(',').map(Number)),
  )
  if (rows.wire) tables.push(wireTable(rows.wire))
  else await measurePages()
} finally {
  await browser.close()
  await host.close()
}
console.log(values.json ? JSON.stringify({ skills, rounds, few, ...rows }) : tables.join('\n\n'))
console.error(
  `Load average: ${busy.toFixed(1)} before, ${(loadavg()[0] as number).toFixed(1)} after`,
)
if (values.docs) writeSection(isWire ? WIRE : 'page', tables.join('\n\n'))

async function measurePages(): Promise<void> {
  for (const page of PAGES) {
    const files = await buildPage(new URL('pages', import.meta.url), page)
    host.add(new Map([...files].map(([path, bytes]) => [`${page}/${path}`, bytes])))
  }
  const library = await packedLibrary(SKILLS)
  skills = library.skills
  host.add(library.files)
  host.add(transformerFiles())

  rows.first = await timed('first', () => measureFirst(browser, host, rounds))
  if (rows.first) {
    tables.push(`${skills} skills from localhost, ${rounds} visits each:`, firstTable(rows.first))
  }
  rows.phone = await timed('phone', () => measureFirst(browser, host, few, { slowdown: PHONE }))
  if (rows.phone) {
    tables.push(
      `The same with a processor ${PHONE} times slower, as of a phone, ${visits(few)}:`,
      timesTable(rows.phone),
    )
  }
  rows.slow = await timed('slow', () => measureFirst(browser, host, few, { network: SLOW }))
  if (rows.slow) {
    const { rate, latency } = SLOW
    tables.push(
      `The same at ${rate / 1e6} Mbit/s and ${latency} ms latency, ${visits(few)}:`,
      timesTable(rows.slow),
    )
  }
  rows.slow4g = await timed('slow4g', () => measureDemo(browser, host, few))
  if (rows.slow4g) {
    tables.push(
      `The demo page on slow 4G (1.6 Mbit/s, 150 ms) with the processor of a phone, ${few} first visits:`,
      demoTable(rows.slow4g),
    )
  }
  rows.typing = await timed('typing', () => measureTyping(browser, host))
  if (rows.typing) {
    tables.push('The same page and processor, a fast typist:', typingTable(rows.typing))
  }
  rows.peer = await timed('peer', () => measurePeer(browser, host, fewest))
  if (rows.peer) {
    tables.push(`A page that waits for a transformer, ${visits(fewest)}:`, peerTable(rows.peer))
  }
  rows.upgrade = await timed('upgrade', async () => {
    const encoded = await packedLibrary(SKILLS, { folder: ENCODED, encoder: transformers() })
    host.add(encoded.files)
    return measureUpgrade(browser, host, fewest)
  })
  if (rows.upgrade) {
    tables.push(...upgradeTables(rows.upgrade, visits(fewest)))
  }
  rows.encoder = await timed('encoder', () => measureEncoder(browser, host, [1, PHONE]))
  if (rows.encoder) {
    tables.push('skillshelf-encoder on one thread:', encoderTable(rows.encoder))
  }
  rows.large = await timed('large', async () => {
    const files = largeSegments(MANY)
    host.add(files)
    return measureLarge(browser, host, files)
  })
  if (rows.large) {
    tables.push('A large library, in a page and in Node:', largeTable(rows.large))
  }
}
