import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { memory, openLibrary, type SkillSource } from '../../src/exports/index.js'
import { defaultModel } from '../../src/library/model/default-model.js'
import { createBundled } from '../../src/search/model/bundled/bundled.js'
import { PARTS } from '../../src/search/model/script-parts.js'
import type { SkillModel } from '../../src/search/model/skill-model.js'
import { packFiles } from '../packed-files.js'
import { skill } from '../skill-file.js'
import { takingTurns } from '../trace/places.js'
import { type Failure, type Run, startRun } from '../trace/run.js'

/** Loads the model of the page. */
const page = vi.hoisted(() => ({ load: undefined as (() => Promise<unknown>) | undefined }))
vi.mock('../../src/search/model/bundled/package.js', async importOriginal => ({
  ...(await importOriginal<object>()),
  loadParts: async () => undefined,
  bundled: () => page.load?.(),
}))
vi.mocked(defaultModel).mockReturnValue('joins')

const folder = new URL('../../model/', import.meta.url)
const names = [
  ...PARTS.map(part => `${part}.bin`),
  ...readdirSync(new URL('rows/', folder)).map(name => `rows/${name}`),
]
const MODEL = memory(
  Object.fromEntries(
    names.map(name => [name, new Uint8Array(readFileSync(new URL(name, folder)))]),
  ),
  { name: 'model' },
)
/** A page that loads its model for the first time. */
const modelOf = (files: SkillSource): (() => Promise<SkillModel>) => {
  const load = createBundled({ readPart: async () => undefined })
  return () => load({ files })
}

const SKILLS = {
  'flights/SKILL.md': skill('flights', 'Finds airplane tickets.'),
  'bread/SKILL.md': skill('bread', 'Bakes sourdough in an oven.'),
}
const BY_WORDS = 'sourdough'
/** It has no word of the skill. */
const BY_MEANING = 'book me a trip by plane'

/** Where the skills are. Those of a tree are embedded by the page. */
const LAYOUTS: Record<
  string,
  (embedder: SkillModel) => Promise<Record<string, Uint8Array<ArrayBuffer> | string>>
> = {
  'a tree': async () => SKILLS,
  'a packed library': embedder => packFiles(SKILLS, 'mine', { embedder }),
  'a library in pieces': embedder => packFiles(SKILLS, 'mine', { embedder, pieces: true }),
}
const FAILURES: readonly Failure[] = ['error', 'short', 'hang']

/** What the first messages find, and what is reported. */
async function visit(source: SkillSource) {
  const problems: string[] = []
  const library = await openLibrary(source, { onDiagnostic: ({ code }) => problems.push(code) })
  try {
    const byWords = await library.search(BY_WORDS)
    await library.ready()
    const byMeaning = await library.search(BY_MEANING)
    return {
      byWords: byWords.matches[0]?.name,
      byMeaning: byMeaning.matches[0]?.name,
      complete: byMeaning.complete,
      problems,
    }
  } finally {
    await library.close()
  }
}

/** Visits a page twice, of which a read of the model fails once. */
async function visitTwice(source: SkillSource, operation: number, failure: Failure) {
  const [order] = fc.sample(fc.scheduler(), { seed: 1, numRuns: 1 })
  if (!order) throw new Error('There is no scheduler')
  const run: Run = startRun(order, 1)
  try {
    page.load = modelOf(takingTurns(run, MODEL))
    let first: Awaited<ReturnType<typeof visit>> | undefined
    const start = Date.now()
    const { operations } = await run.withFault({ operation, failure }, async () => {
      first = await visit(source)
    })
    const minutes = (Date.now() - start) / 60_000
    return { first, second: await run.settle(() => visit(source)), operations, minutes }
  } finally {
    run.end()
  }
}

describe('[BY-41] the first load of the bundled model, of which each read fails once', () => {
  it.each(Object.entries(LAYOUTS))('in %s', async (_, pack) => {
    const embedder = await modelOf(MODEL)()
    const source = memory(await pack(embedder), { name: 'mine' })
    const whole = { byWords: 'bread', byMeaning: 'flights', complete: true, problems: [] }
    let count = 1
    for (let operation = 1; operation <= count; operation++) {
      for (const failure of FAILURES) {
        const { first, second, operations, minutes } = await visitTwice(source, operation, failure)
        const name = `${failure} of ${operation}: ${JSON.stringify(first)}`
        expect(first?.byWords, name).toBe('bread')
        if (first?.byMeaning === 'flights') expect(first.problems, name).toEqual([])
        else expect(first, name).toMatchObject({ complete: false })
        expect(minutes, name).toBeLessThan(6)
        expect(second, name).toEqual(whole)
        count = Math.max(count, operations)
      }
    }
  })
})
