import { describe, expect, it } from 'vitest'
import { memoryEngine, openEngineLibrary, publishToEngine } from '../../src/exports/engine.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import type { RerankCandidate } from '../../src/exports/match.js'
import { skill } from '../skill-file.js'

/** Skills that share their words, so that each step has something to choose from. */
const FILES = {
  'report/SKILL.md': skill('report', 'Writes a report about the weather and of numbers.'),
  'chart/SKILL.md': skill('chart', 'Draws a chart of sales in a report.'),
  'table/SKILL.md': skill('table', 'Makes a table of sales for a report.', '', 'paths: "*.csv"\n'),
  'slides/SKILL.md': skill(
    'slides',
    'Makes slides of a report of sales.',
    '',
    'paths: "*.pptx"\npaths-required: true\n',
  ),
  'tea/SKILL.md': skill('tea', 'Brews green tea.'),
}
const source = () => memory(FILES, { name: 'it' })
const QUERY = { message: 'draw a chart or make a table of sales', files: ['sales.csv'] }
const LEARNED = [
  {
    message: 'a chart or table of sales',
    skill: 'it/chart',
    count: 1,
    last: '2026-01-01T00:00:00.000Z',
  },
]
const store = () => ({ load: async () => LEARNED, save: async () => undefined })

/** The skill with fitting paths has gained, and the one whose required paths are absent is gone. */
const PLACED = [
  ['it/chart', 0.789],
  ['it/table', 0.2],
]
/** The answer of the reranker counts as a proof. */
const RERANKED = [
  ['it/table', 0.91],
  ['it/chart', 0.079],
]
const LEARNED_AND_PLACED = [
  ['it/chart', 0.898],
  ['it/table', 0.094],
]

const inMemory = async (options: object) => openLibrary(source(), { embedder: false, ...options })
async function inEngine(options: object) {
  const engine = memoryEngine()
  const files = memory()
  await publishToEngine(source(), { engine, files })
  return openEngineLibrary({ engine, files, embedder: false, ...options })
}
const rounded = (matches: readonly { id: string; score: number }[] = []) =>
  matches.map(({ id, score }) => [id, Number(score.toFixed(3))])

describe.each([
  ['in memory', inMemory],
  ['in an engine', inEngine],
])('[BY-26] the steps of a match %s', (_, open) => {
  it('first find, then weigh by place, then rerank, then decide', async () => {
    const seen: RerankCandidate[][] = []
    const rerank = async (_: unknown, candidates: readonly RerankCandidate[]) => {
      seen.push([...candidates])
      return ['it/table']
    }
    const plain = await open({})
    const placed = await plain.search(QUERY, { limit: 5 })
    expect(rounded(placed.matches)).toEqual(PLACED)
    const reranked = await open({ rerank })
    const { matches, maybe } = await reranked.match(QUERY, { threshold: 0.5 })
    expect(rounded(seen[0])).toEqual(PLACED)
    expect(seen[0]?.[0]?.description).toContain('chart of sales')
    expect([rounded(matches), rounded(maybe)]).toEqual([RERANKED, []])
  })

  it('a limit is applied last, after every step has chosen among more', async () => {
    const library = await open({})
    const [first] = (await library.search(QUERY, { limit: 5 })).matches
    expect((await library.search(QUERY, { limit: 1 })).matches).toEqual([first])
  })
})

it('[BY-14] learned messages raise a skill before the place is weighed', async () => {
  const library = await inMemory({ learn: store() })
  const { matches } = await library.search(QUERY, { limit: 5 })
  expect(rounded(matches)).toEqual(LEARNED_AND_PLACED)
})

/** Sixty skills that match, of which the one with fitting paths matches least. */
const MANY = Object.fromEntries(
  Array.from({ length: 60 }, (_, number) => {
    const name = `sales-${String(number).padStart(2, '0')}`
    return [`${name}/SKILL.md`, skill(name, 'A chart and a table of sales.')]
  }),
)
MANY['last/SKILL.md'] = skill(
  'last',
  `Plans journeys. ${'Trains, hotels, food. '.repeat(30)}`,
  'sales',
  'paths: "*.csv"\n',
)

it.each([
  ['in memory', async () => openLibrary(memory(MANY, { name: 'it' }), { embedder: false })],
  [
    'in an engine',
    async () => {
      const engine = memoryEngine()
      const files = memory()
      await publishToEngine(memory(MANY, { name: 'it' }), { engine, files })
      return openEngineLibrary({ engine, files, embedder: false })
    },
  ],
])(
  '[BY-26] explain weighs the place of a skill that is not among the nearest fifty %s',
  async (_, open) => {
    await using library = await open()
    const elsewhere = await library.explain(QUERY.message, 'last')
    const here = await library.explain(QUERY, 'last')
    expect(elsewhere.rank).toBeGreaterThan(50)
    expect(here.signals.place).toBe('sales.csv')
    expect(here.reason).toContain('its paths fit “sales.csv”')
    expect(here.score).toBeGreaterThan(elsewhere.score)
    expect(here.rank).toBeGreaterThan(50)
  },
)
