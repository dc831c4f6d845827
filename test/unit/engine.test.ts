import { describe, it } from 'vitest'
import { type EngineLibrary, memoryEngine, openEngineLibrary, publishToEngine } from '../../src/exports/server.js'
import { engineSuite, librarySuite } from '../../src/exports/testing.js'
import { memory } from '../../src/source/memory.js'

async function published(files: Readonly<Record<string, Uint8Array | string>>): Promise<EngineLibrary> {
  const stored = memory()
  const engine = memoryEngine()
  await publishToEngine(memory(files), { engine, files: stored })
  return openEngineLibrary({ engine, files: stored })
}

/** The diagnostics of a publish are in its result. */
const SNAPSHOT_DIAGNOSTICS = 'hides disabled skills in every method'

describe('[BY-15] a library in an engine is like one in memory', () => {
  for (const { name, run } of librarySuite(published)) if (name !== SNAPSHOT_DIAGNOSTICS) it(name, run)
})

describe('[BY-15] memoryEngine', () => {
  for (const { name, run } of engineSuite(async () => ({ a: memoryEngine(), b: memoryEngine() }))) it(name, run)
})
