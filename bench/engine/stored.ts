import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import type { Segment } from '../../src/search/index/open.js'
import { loadCorpusStatistics } from '../../src/search/match/corpus-statistics.js'
import { toResult } from '../../src/search/match/matcher.js'
import { createRowReader } from '../../src/server/engine/checked-rows.js'
import { UNPUBLISHED_HEAD } from '../../src/server/engine/head.js'
import { qdrant } from '../../src/server/engine/qdrant/qdrant.js'
import { planQuery, type RankedLibrary, rankAnswer } from '../../src/server/engine/ranking.js'
import { createRow, wordsOf } from '../../src/server/engine/rows.js'
import type { EngineFilter, EngineRow } from '../../src/server/engine/skill-engine.js'
import { startQdrant } from '../../test/node/qdrant/stand-in.js'
import { readModel } from '../rank/model.js'

/** What a row needs besides its segment. */
export interface StoredSkill {
  id: string
  origin: string
  name: string
  description: string
  tags: readonly string[]
  displayName?: string | undefined
}

/** One search: the skills found, the size of the answer and the times. */
export interface Measured {
  ids: string[]
  /** In bytes, plain and compressed by gzip as the server of Qdrant does it. */
  bytes: number
  compressed: number
  /** In milliseconds: the whole search, and the search with the answer at hand. */
  time: number
  cpu: number
}

/** Skills in Qdrant. */
export interface Stored extends AsyncDisposable {
  bytesOnDisk(): number
  search(
    message: string,
    library: RankedLibrary,
    options: { filter: EngineFilter; limit: number },
  ): Promise<Measured>
}

const PUT_AT_ONCE = 500

/** Puts skills into a stand-in for the server of Qdrant, over the code of its engine. */
export async function store(skills: readonly StoredSkill[], segment: Segment): Promise<Stored> {
  const model = readModel()
  const corpus = await loadCorpusStatistics()
  const server = await startQdrant()
  let answer = ''
  let replay = false
  const engine = qdrant({
    url: server.url,
    library: 'all',
    timeout: 120_000,
    async fetch(input, init) {
      if (replay) return new Response(answer)
      const response = await fetch(input, init)
      answer = await response.text()
      return new Response(answer, response)
    },
  })
  const reader = createRowReader(engine)
  const head = { ...UNPUBLISHED_HEAD, revision: 1, dimensions: model.dimensions }
  const run = async (
    message: string,
    library: RankedLibrary,
    filter: EngineFilter,
    limit: number,
  ) => {
    const start = performance.now()
    const plan = await planQuery({ message }, library, { corpus, model })
    const { words, vector } = plan
    const found = await reader.candidates({ words, vector, filter, limit }, head, {})
    const ranked = rankAnswer(plan, found, library, corpus)
    const options = { revision: '', limit: 5, language: undefined }
    const { matches } = toResult(ranked.ranking, ranked.segments, options)
    return { ids: matches.map(({ id }) => id), time: performance.now() - start }
  }

  await engine.prepare?.({ dimensions: model.dimensions })
  const words = wordsOf(segment)
  for (let from = 0; from < skills.length; from += PUT_AT_ONCE) {
    const batch = skills.slice(from, from + PUT_AT_ONCE)
    await engine.put(
      batch.map((skill, index) =>
        rowOf(skill, from + index, segment, words[from + index] as EngineRow['words']),
      ),
      1,
    )
  }
  await fetch(`${server.url}/collections/skillshelf/optimize`, { method: 'POST' })
  return {
    bytesOnDisk: () => Number(execFileSync('du', ['-sb', server.folder]).toString().split('\t')[0]),
    async search(message, library, { filter, limit }) {
      const { ids, time } = await run(message, library, filter, limit)
      replay = true
      const { time: cpu } = await run(message, library, filter, limit)
      replay = false
      return {
        ids,
        time,
        cpu,
        bytes: Buffer.byteLength(answer),
        compressed: gzipSync(answer).length,
      }
    },
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

function rowOf(
  { id, origin, name, description, tags, displayName }: StoredSkill,
  number: number,
  segment: Segment,
  words: EngineRow['words'],
): EngineRow {
  const entry = {
    path: id.slice(origin.length + 1),
    name,
    ...(displayName === undefined ? {} : { displayName }),
    description,
    tags: [...tags],
    digest: `sha256:${number.toString(16).padStart(64, '0')}`,
    details: `sha256:${'0'.repeat(64)}`,
    tokens: { metadata: 100, instructions: 1_000 },
  }
  const frontmatter = `name: ${name}\ndescription: ${description}\n`
  const details = {
    metadata: { name, description },
    frontmatter,
    file: 'SKILL.md',
    files: [],
    diagnostics: [],
  }
  const row = { version: id, origin, entry, details, segment, skill: number, words }
  return createRow(row, JSON.stringify(details), { library: 'all', attempt: '' })
}

export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0
}
