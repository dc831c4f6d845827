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

const countTokens = (text: string): number => o200k(text, { disallowedSpecial: new Set() })
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

it.skipIf(!here).each([
  ['78 % over 10', 10, 5, 0.78],
  ['97 % over 100', 100, 1, 0.97],
])(
  `[TD-12] saves %s real skills and names the right one${without}`,
  async (_, size, count, least) => {
    const some = libraries(size)
      .slice(0, count)
      .map(library => ({ ...library, messages: library.messages.slice(0, 40) }))
    const costs = await costOf(some, countTokens)
    expect(1 - costs.ours / costs.inlined).toBeGreaterThan(least)
    if (size === 100) expect(1 - costs.three / costs.inlined).toBeGreaterThan(0.9)
    expect(costs.seen).toBe(1)
  },
)

it.skipIf(!here)(`[TD-12] saves 99.5 % over 1,000 real skills, 95 % right${without}`, async () => {
  const [library] = libraries(1_000)
  if (!library) throw new Error('no library')
  const some = { ...library, messages: library.messages.slice(0, 20) }
  // Millions of tokens: counted as the library estimates them.
  const costs = await costOf([some], estimateTokens)
  expect(1 - costs.ours / costs.inlined).toBeGreaterThan(0.995)
  expect(costs.seen).toBeGreaterThanOrEqual(0.95)
})

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
