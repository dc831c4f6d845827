import { afterAll, beforeAll, describe, it } from 'vitest'
import { openEngineLibrary, publishToEngine, qdrant } from '../../src/exports/engine.js'
import { memory } from '../../src/source/memory.js'
import { engineSuite } from '../suites/engine-suite.js'
import { librarySuite } from '../suites/library-suite.js'
import { hasQdrant, type QdrantStandIn, startQdrant } from './qdrant/stand-in.js'

describe.skipIf(!hasQdrant)('[BY-15] Qdrant', () => {
  let server: QdrantStandIn
  let collections = 0
  beforeAll(async () => {
    server = await startQdrant({ key: 'secret' })
  })
  afterAll(() => server?.stop())
  const engineOf = (collection: string, library: string) =>
    qdrant({ url: server.url, apiKey: 'secret', collection, library, timeout: 30_000 })

  const cases = engineSuite(async () => {
    const collection = `suite-${++collections}`
    return { a: engineOf(collection, 'a'), b: engineOf(collection, 'b') }
  })
  for (const { name, run } of cases) it(name, run)

  describe('as a library', () => {
    const open = async (files: Readonly<Record<string, Uint8Array | string>>) => {
      const stored = memory()
      const engine = engineOf(`library-${++collections}`, 'a')
      await publishToEngine(memory(files), { engine, files: stored })
      return openEngineLibrary({ engine, files: stored })
    }
    for (const { name, run } of librarySuite(open)) it(name, run)
  })
})
