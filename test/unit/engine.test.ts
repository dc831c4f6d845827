import { describe, expect, it } from 'vitest'
import { connectLibrary } from '../../src/exports/client.js'
import {
  type EngineLibrary,
  memoryEngine,
  openEngineLibrary,
  publishToEngine,
  qdrant,
} from '../../src/exports/engine.js'
import { memory, type SkillLibrary } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'
import type { Files } from '../packed-files.js'
import { engineSuite } from '../suites/engine-suite.js'
import { librarySuite } from '../suites/library-suite.js'

async function published(files: Files): Promise<EngineLibrary> {
  const stored = memory()
  const engine = memoryEngine()
  await publishToEngine(memory(files), { engine, files: stored })
  return openEngineLibrary({ engine, files: stored })
}

describe('[BY-15] a library in an engine is like one in memory', () => {
  for (const { name, run } of librarySuite(published)) it(name, run)
})

describe('[BY-15] [BY-7] a library in an engine is like one in memory, behind HTTP too', () => {
  const connected = async (files: Files): Promise<SkillLibrary> => {
    const handler = createHandler({ library: published(files) })
    return connectLibrary('http://engine.test/', {
      fetch: (url, init) => handler.fetch(new Request(url, init)),
    })
  }
  for (const { name, run } of librarySuite(connected)) it(name, run)
})

describe('[BY-15] memoryEngine', () => {
  for (const { name, run } of engineSuite(async () => ({ a: memoryEngine(), b: memoryEngine() })))
    it(name, run)
})

it('[BY-15] [BY-7] a malformed cursor of an engine is the mistake of the request: 400', async () => {
  const engine = memoryEngine()
  const files = memory()
  await publishToEngine(
    memory({ 'a/SKILL.md': '---\nname: a\ndescription: Does a.\n---\nDo it.\n' }),
    {
      engine,
      files,
    },
  )
  const unreachable = qdrant({ url: 'http://127.0.0.1:9', collection: 'none', library: 'none' })
  const page: typeof engine.page = (query, options) =>
    (query.cursor ? unreachable : engine).page(query, options)
  const handler = createHandler({
    library: openEngineLibrary({ engine: { ...engine, page }, files }),
  })
  const response = await handler.fetch(new Request('http://engine.test/v1/skills?cursor=nonsense'))
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    code: 'invalid-input',
    detail: expect.stringContaining('"nonsense"'),
  })
})
