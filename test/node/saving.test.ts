import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, it } from 'vitest'
import { libraries } from '../../bench/saving/libraries.js'
import { costOf } from '../../bench/saving/measure.js'
import { estimateTokens, openLibrary } from '../../src/exports/index.js'
import { createSession } from '../../src/exports/session.js'
import { directory } from '../../src/source/directory/directory.js'
import { samples } from '../samples.js'

const counted = new Map<string, number>()
/** Counts each text once: turns of a session share most of theirs. */
function countTokens(text: string): number {
  const tokens = counted.get(text) ?? o200k(text, { disallowedSpecial: new Set() })
  counted.set(text, tokens)
  return tokens
}
const here = existsSync(
  fileURLToPath(new URL('../../../shared/data/triggers-dev.jsonl.gz', import.meta.url)),
)
const without = here ? '' : ' (needs ../shared/data)'

it('[TD-12] a turn over the sample skills costs at most 35 % of inlining them', async () => {
  await using library = await openLibrary(directory(samples))
  const skills = await Promise.all(library.snapshot.skills.map(({ id }) => library.get(id)))
  const inlined = skills.reduce((sum, { instructions }) => sum + countTokens(instructions), 0)
  const session = createSession(library, { countTokens })
  const turn = await session.prepare({ message: 'make slides about our launch' })
  expect(turn.matches[0]?.name).toBe('ppt')
  await session.load('ppt')
  const cost = session.ledger().total + countTokens(turn.tail)
  expect(cost).toBeLessThan(inlined * 0.35)
  session.unload('ppt')
  expect(session.ledger().total).toBeLessThan(inlined * 0.25)
})

/** Tokens of a turn at most, as a share of those with the list of names and descriptions, and of those with everything inlined. */
it.skipIf(!here).each([
  { size: 10, count: 5, ofList: 1.2, ofInlined: 0.22 },
  { size: 100, count: 1, ofList: 0.35, ofInlined: 0.03 },
])(
  `[TD-12] over $size real skills, a turn takes $ofList of the list, $ofInlined of everything inlined${without}`,
  async ({ size, count, ofList, ofInlined }) => {
    const some = libraries(size)
      .slice(0, count)
      .map(library => ({ ...library, messages: library.messages.slice(0, 40) }))
    const costs = await costOf(some, countTokens)
    expect(costs.ours / costs.listed).toBeLessThan(ofList)
    expect(costs.ours / costs.inlined).toBeLessThan(ofInlined)
    if (size === 100) expect(costs.three / costs.inlined).toBeLessThan(0.1)
    expect(costs.seen).toBe(1)
  },
)

it.skipIf(!here)(
  `[TD-12] over 1,000 real skills, a turn takes 0.05 of the list, 0.005 of everything inlined, 95 % right${without}`,
  async () => {
    const [library] = libraries(1_000)
    if (!library) throw new Error('no library')
    const some = { ...library, messages: library.messages.slice(0, 20) }
    // Millions of tokens: counted as the library estimates them.
    const costs = await costOf([some], estimateTokens)
    expect(costs.ours / costs.listed).toBeLessThan(0.05)
    expect(costs.ours / costs.inlined).toBeLessThan(0.005)
    expect(costs.seen).toBeGreaterThanOrEqual(0.95)
  },
)

it('[BY-19] the prompt of a model without tools stays under 1,500 tokens for each sample skill', async () => {
  await using library = await openLibrary(directory(samples))
  const opened: string[] = []
  for (const { id, description } of library.snapshot.skills) {
    const session = createSession(library, { contextTokens: 4_096, countTokens })
    const { system, tail, loaded } = await session.prepare(description, { tools: 'none' })
    expect(countTokens(`${system}${tail}`)).toBeLessThan(1_501)
    if (loaded[0] === id) opened.push(id)
  }
  expect(opened.length).toBeGreaterThan(library.snapshot.skills.length * 0.8)
})
