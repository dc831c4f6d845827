/**
 * Compares a library in Qdrant with the same library in memory: matches, bytes of an answer, CPU of ranking it.
 *     npm run bench:engine -- [--every 8] [--limit 50]
 * `--every`: one message of so many. Needs ../shared/data, and qdrant-edge-py as .ci/run installs it.
 */
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { openCounts, writeCounts } from '../../src/engine/counts.js'
import { qdrant } from '../../src/engine/qdrant/qdrant.js'
import { planQuery, type RankedLibrary, rankAnswer, resultOf } from '../../src/engine/ranking.js'
import { createRow, rowId, wordsOf } from '../../src/engine/rows.js'
import type { EngineFilter } from '../../src/engine/types.js'
import { loadBackground } from '../../src/match/background.js'
import { localMatcher } from '../../src/match/hybrid.js'
import { openSegment, type Segment } from '../../src/segment/open.js'
import { startQdrant } from '../../test/node/qdrant/stand-in.js'
import type { TriggerQuery } from '../rank/data.js'
import { readModel } from '../rank/model.js'
import { markdownTable } from '../report/table.js'
import { buildSegment, type CorpusSkill, readCorpus, readMessages } from './corpus.js'

const { values } = parseArgs({
  options: { every: { type: 'string', default: '8' }, limit: { type: 'string', default: '50' } },
})
const limit = Number(values.limit)
const model = readModel()
const background = await loadBackground()
const skills = await readCorpus()
const bytes = buildSegment(skills)
const segment = openSegment(bytes) as Segment
const counts = new Map([...segment.lexicon.entries()].map(({ term, count }) => [term, count]))
const exact = writeCounts(counts, skills.length, { minSkills: 1 })
const listed = writeCounts(counts, skills.length, { minSkills: 8 })
console.log(
  `${skills.length} skills, ${counts.size} terms; counts ${kb(exact.length)}, of 8 skills or more ${kb(listed.length)}`,
)

const server = await startQdrant()
let answerBytes = 0
let replay: string | undefined
const engine = qdrant({
  url: server.url,
  library: 'all',
  timeout: 60_000,
  async fetch(input, init) {
    if (replay !== undefined) return new Response(replay)
    const response = await fetch(input, init)
    const text = await response.text()
    answerBytes = new TextEncoder().encode(text).length
    lastAnswer = text
    return new Response(text, response)
  },
})
let lastAnswer = ''
try {
  await engine.prepare?.({ dimensions: model.dimensions })
  const words = wordsOf(segment)
  for (let from = 0; from < skills.length; from += 500)
    await engine.put(
      skills.slice(from, from + 500).map((skill, index) => rowOf(skill, from + index)),
      1,
    )
  await fetch(`${server.url}/collections/skillshelf/optimize`, { method: 'POST' })
  const [size = ''] = execFileSync('du', ['-sb', server.folder]).toString().split('\t')
  console.log(`on disk: ${(Number(size) / skills.length).toFixed(0)} bytes a skill`)

  const memory = localMatcher({ embedder: model })
  const ids = skills.map(({ id }) => id)
  await memory.update({ revision: '', segments: [{ key: '', bytes, ids, dead: [] }] })
  const messages = readMessages().filter((_, index) => index % Number(values.every) === 0)
  const byOrigin = new Map<string, Set<string>>()
  for (const { id, origin } of skills) byOrigin.set(origin, (byOrigin.get(origin) ?? new Set()).add(id))

  const rows: string[][] = []
  for (const [scope, filterOf] of [
    ['whole', () => undefined],
    ['filtered', ({ origin }: TriggerQuery) => origin],
  ] as const) {
    const wanted: string[][] = []
    for (const message of messages) {
      const only = byOrigin.get(filterOf(message) ?? '')
      const { matches } = await memory.match({ message: message.query }, { limit: 5, only })
      wanted.push(matches.map(({ id }) => id))
    }
    for (const [name, file] of [
      ['exact', exact],
      ['8 or more', listed],
    ] as const) {
      const library: RankedLibrary = {
        counts: openCounts(file) as RankedLibrary['counts'],
        space: model.space,
        dimensions: model.dimensions,
      }
      const found: string[][] = []
      const sizes: number[] = []
      const times: number[] = []
      const cpu: number[] = []
      for (const message of messages) {
        const origin = filterOf(message)
        const filter = origin === undefined ? {} : { origins: [origin] }
        const started = performance.now()
        found.push(await search(message.query, library, filter))
        times.push(performance.now() - started)
        sizes.push(answerBytes)
        replay = lastAnswer
        const ranked = performance.now()
        await search(message.query, library, filter)
        cpu.push(performance.now() - ranked)
        replay = undefined
      }
      const same = found.filter((one, index) => one[0] === wanted[index]?.[0]).length / found.length
      rows.push([
        `${scope}, counts ${name}`,
        percent(same),
        `${percent(recall(found, messages, 1))} (${percent(recall(wanted, messages, 1))})`,
        `${percent(recall(found, messages, 5))} (${percent(recall(wanted, messages, 5))})`,
        `${kb(quantile(sizes, 0.5))}, ${kb(quantile(sizes, 0.95))}`,
        quantile(cpu, 0.5).toFixed(1),
        `${quantile(times, 0.5).toFixed(0)}, ${quantile(times, 0.95).toFixed(0)}`,
      ])
      console.log(rows.at(-1)?.join(' | '))
    }
  }
  console.log(
    markdownTable(
      ['', 'same first match', 'R@1 (memory)', 'R@5 (memory)', 'answer p50, p95', 'CPU p50, ms', 'time p50, p95, ms'],
      rows,
    ),
  )

  function rowOf(skill: CorpusSkill, number: number) {
    const { id, origin, name, description, tags, displayName } = skill
    const entry = {
      path: id.slice(origin.length + 1),
      name,
      ...(displayName === undefined ? {} : { displayName }),
      description,
      tags,
      digest: `sha256:${number.toString(16).padStart(64, '0')}`,
      details: `sha256:${'0'.repeat(64)}`,
      tokens: { metadata: 100, instructions: 1_000 },
    }
    return createRow({
      row: rowId('all', id, entry, ''),
      origin,
      entry,
      details: {
        metadata: { name, description },
        frontmatter: `name: ${name}\ndescription: ${description}\n`,
        file: 'SKILL.md',
        files: [],
        diagnostics: [],
      },
      segment,
      skill: number,
      words: words[number] as (typeof words)[0],
    })
  }
} finally {
  await server.stop()
}

async function search(message: string, library: RankedLibrary, filter: EngineFilter): Promise<string[]> {
  const plan = await planQuery({ message }, library, background, model)
  const answer = await engine.candidates({ revision: 1, words: plan.words, vector: plan.vector, filter, limit })
  const ranked = rankAnswer(plan, answer, library, background)
  const { matches } = resultOf(ranked, skills.length, { revision: '', limit: 5, language: undefined })
  return matches.map(({ id }) => id)
}

function recall(found: readonly string[][], messages: readonly TriggerQuery[], limit: number): number {
  const hits = messages.filter(({ origin, skill_id, alt_skill_ids = [] }, index) => {
    const right = new Set([skill_id, ...alt_skill_ids].map(id => `${origin}/${id}`))
    return found[index]?.slice(0, limit).some(id => right.has(id))
  })
  return hits.length / messages.length
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function kb(size: number): string {
  return `${(size / 1_000).toFixed(0)} kB`
}
