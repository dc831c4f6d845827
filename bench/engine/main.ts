/**
 * Compares a library in Qdrant with the same library in memory: matches, bytes of an answer, CPU of ranking it.
 *     npm run bench:engine -- [--every 8] [--limit 50] [--docs]
 * `--every`: one message of so many. `--docs` updates the table in docs/measured.md. Needs ../shared/data, and qdrant-edge-py as .ci/run
 * installs it.
 */
import { parseArgs } from 'node:util'
import { openSegment, type Segment } from '../../src/search/index/open.js'
import { localMatcher } from '../../src/search/match/hybrid.js'
import { openCounts, writeCounts } from '../../src/server/engine/counts.js'
import type { RankedLibrary } from '../../src/server/engine/ranking.js'
import { groupBy, type TriggerQuery } from '../rank/data.js'
import { readModel } from '../rank/model.js'
import { writeSection } from '../report/docs.js'
import { markdownTable } from '../report/table.js'
import { buildSegment, readCorpus, readMessages } from './corpus.js'
import { type Measured, quantile, store } from './stored.js'

const { values } = parseArgs({
  options: {
    every: { type: 'string', default: '8' },
    limit: { type: 'string', default: '50' },
    docs: { type: 'boolean', default: false },
  },
})
const limit = Number(values.limit)
const model = readModel()
const skills = await readCorpus()
const bytes = buildSegment(skills)
const segment = openSegment(bytes) as Segment
const counts = new Map([...segment.lexicon.entries()].map(({ term, count }) => [term, count]))
const exact = writeCounts(counts, skills.length, { minSkills: 1 })
const listed = writeCounts(counts, skills.length, { minSkills: 8 })
const messages = readMessages().filter((_, index) => index % Number(values.every) === 0)
const facts = `${skills.length} skills, ${messages.length} messages. Counts of all ${counts.size} terms: ${kb(exact.length)}; of terms in 8 skills or more: ${kb(listed.length)}.`
console.log(facts)

const memory = localMatcher({ embedder: model })
const ids = skills.map(({ id }) => id)
await memory.update({ revision: '', segments: [{ key: '', bytes, ids, dead: [] }] })
const byOrigin = groupBy(skills, ({ origin }) => origin)

await using stored = await store(skills, segment)
const rows: string[][] = []
for (const [scope, isFiltered] of [
  ['whole', false],
  ['one library', true],
] as const) {
  const wanted: string[][] = []
  for (const { query, origin } of messages) {
    const only = isFiltered ? new Set(byOrigin.get(origin)?.map(({ id }) => id)) : undefined
    const { matches } = await memory.match({ message: query }, { limit: 5, only })
    wanted.push(matches.map(({ id }) => id))
  }
  for (const [name, file] of [
    ['all', exact],
    ['8 or more', listed],
  ] as const) {
    const library: RankedLibrary = {
      counts: openCounts(file) as RankedLibrary['counts'],
      space: model.space,
      dimensions: model.dimensions,
    }
    const found: Measured[] = []
    for (const { query, origin } of messages) {
      found.push(
        await stored.search(query, library, {
          filter: isFiltered ? { origins: [origin] } : {},
          limit,
        }),
      )
    }
    const same =
      found.filter(({ ids: [first] }, index) => first === wanted[index]?.[0]).length / found.length
    const both = (at: number): string =>
      `${percent(
        recall(
          found.map(one => one.ids),
          messages,
          at,
        ),
      )} (${percent(recall(wanted, messages, at))})`
    const pair = (of: (one: Measured) => number, show: (value: number) => string): string =>
      [0.5, 0.95].map(share => show(quantile(found.map(of), share))).join(', ')
    rows.push([
      scope,
      name,
      percent(same),
      both(1),
      both(5),
      pair(one => one.bytes, kb),
      pair(one => one.compressed, kb),
      quantile(
        found.map(({ cpu }) => cpu),
        0.5,
      ).toFixed(1),
    ])
    console.log(rows.at(-1)?.join(' | '))
  }
}
const table = markdownTable(
  [
    'searched',
    'counts',
    'same first match',
    'R@1 (memory)',
    'R@5 (memory)',
    'answer p50, p95',
    'compressed',
    'CPU p50, ms',
  ],
  rows,
)
console.log(table)
if (values.docs) writeSection('engine', `${facts}\n\n${table}`)

function recall(
  found: readonly string[][],
  messages: readonly TriggerQuery[],
  limit: number,
): number {
  const hits = messages.filter(({ origin, skill_id, alt_skill_ids = [] }, index) => {
    const right = new Set([skill_id, ...alt_skill_ids].map(id => `${origin}/${id}`))
    return found[index]?.slice(0, limit).some(id => right.has(id))
  })
  return hits.length / messages.length
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function kb(size: number): string {
  return `${(size / 1_000).toFixed(0)} kB`
}
