import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, it } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { directory } from '../../src/exports/node.js'
import { createSession } from '../../src/exports/session.js'

it('[BY-19] the prompt of a model without tools stays under 1,500 tokens for each sample skill', async () => {
  await using library = await openLibrary(directory('demo/skills'))
  const opened: string[] = []
  for (const { id, description } of library.snapshot.skills) {
    const session = createSession(library, { contextTokens: 4_096, countTokens })
    const { system, tail, loaded } = await session.prepare(description, { tools: 'none' })
    expect(countTokens(`${system}${tail}`)).toBeLessThan(1_501)
    if (loaded[0] === id) opened.push(id)
  }
  expect(opened.length).toBeGreaterThan(library.snapshot.skills.length * 0.8)
})
