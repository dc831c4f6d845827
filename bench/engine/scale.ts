/**
 * Measures how a library in Qdrant grows: search, bytes on disk, and the memory of an isolate at a million skills.
 *     npm run bench:engine:scale -- [--sizes 10000,100000] [--docs]
 * `--docs` updates the tables in docs/measured.md. Needs ../shared/data, and qdrant-edge-py as .ci/run installs it.
 */
import { parseArgs } from 'node:util'
import { openSegment, type Segment } from '../../src/search/index/open.js'
import { openCounts, writeCounts } from '../../src/server/engine/counts.js'
import type { RankedLibrary } from '../../src/server/engine/ranking.js'
import { readModel } from '../rank/model.js'
import { writeSection } from '../report/docs.js'
import { markdownTable } from '../report/table.js'
import { messages, readDocuments } from '../speed/documents.js'
import { buildSegment } from './corpus.js'
import { quantile, store } from './stored.js'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000' },
    docs: { type: 'boolean', default: false },
  },
})
const ROUNDS = 20
const LIMIT = 50
const MILLION = 1_000_000

const before = held()
const model = readModel()
for (const message of Object.values(messages).flat()) model.vectorOf(message)
const modelBytes = held() - before
const asked = Array.from({ length: ROUNDS }, () => Object.values(messages).flat()).flat()
const rows: string[][] = []
let largest: { counts: ReadonlyMap<string, number>; skills: number } | undefined
for (const size of values.sizes.split(',').map(Number)) {
  const skills = readDocuments(size).map((document, number) => ({
    ...document,
    id: `all/${number}`,
    origin: 'all',
    tags: [],
  }))
  const bytes = buildSegment(skills)
  const segment = openSegment(bytes) as Segment
  const counts = new Map([...segment.lexicon.entries()].map(({ term, count }) => [term, count]))
  largest = { counts, skills: size }
  const library: RankedLibrary = {
    counts: openCounts(writeCounts(counts, size)) as RankedLibrary['counts'],
    space: model.space,
    dimensions: model.dimensions,
  }
  await using stored = await store(skills, segment)
  const times: number[] = []
  for (const message of asked) {
    times.push((await stored.search(message, library, { filter: {}, limit: LIMIT })).time)
  }
  const [p50, p95] = [0.5, 0.95].map(share => quantile(times, share).toFixed(0))
  rows.push([
    String(size),
    `${p50}, ${p95}`,
    `${(stored.bytesOnDisk() / size / 1_000).toFixed(1)} kB`,
  ])
  console.log(rows.at(-1)?.join(' | '))
}
const table = markdownTable(['skills', 'search p50, p95, ms', 'on disk, a skill'], rows)
const text = `${table}\n\n${memoryAtAMillion()}`
console.log(text)
if (values.docs) writeSection('engine-scale', text)

/** The counts of a million skills: those of the largest library, and rare terms in proportion. */
function memoryAtAMillion(): string {
  if (!largest) return ''
  const factor = MILLION / largest.skills
  const counts = new Map<string, number>()
  for (const [term, count] of largest.counts) {
    for (let copy = 0; copy < (count < 100 ? factor : 1); copy++) {
      counts.set(
        copy === 0 ? term : `${term}${copy}`,
        count < 100 ? count : Math.round(count * factor),
      )
    }
  }
  const file = new Uint8Array(writeCounts(counts, MILLION))
  const start = held()
  const opened = openCounts(file)
  if (!opened) throw new Error('The counts cannot be opened')
  return `A million skills with ${counts.size.toLocaleString('en')} different terms: the counts have ${mb(file.length)}, and an isolate holds ${mb(file.length + Math.max(0, held() - start))} for them and ${mb(modelBytes)} for the model with all parts.`
}

/** Bytes that the process holds. */
function held(): number {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
