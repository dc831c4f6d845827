import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type EngineLibrary,
  memoryEngine,
  openEngineLibrary,
  publishToEngine,
  qdrant,
} from '../../src/exports/engine.js'
import type { SkillEngine } from '../../src/server/engine/skill-engine.js'
import { memory } from '../../src/source/memory.js'
import { hasQdrant, type QdrantStandIn, startQdrant } from './qdrant/stand-in.js'

const skill = (name: string, description: string, more = ''): string =>
  `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n${more}---\n\n${description}\n`

/** Numbers from 0 to 1, the same in each run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

async function published(engine: SkillEngine, files: Readonly<Record<string, string>>) {
  const stored = memory()
  await publishToEngine(memory(files, { name: 'skills' }), { engine, files: stored })
  return { library: await openEngineLibrary({ engine, files: stored }), stored }
}

describe.skipIf(!hasQdrant)('tenants of one collection', () => {
  let server: QdrantStandIn
  beforeAll(async () => {
    server = await startQdrant()
  })
  afterAll(() => server?.stop())

  /** Names of libraries that are alike, or mean something to JSON, URLs, globs or SQL. */
  const TENANTS = [
    ...['a', 'A', 'a ', ' a', 'a*', '*', 'a/../b', '租户', 'a\u0000', '%61', '..'],
    ...['a"}],"should":[{"key":"library"', "' OR 1=1 --"],
  ]

  it('[BY-15] a fuzzed query never shows the skill of another tenant', async () => {
    const libraries: EngineLibrary[] = []
    for (const [number, library] of TENANTS.entries()) {
      const files = {
        'shared/SKILL.md': skill(
          'shared',
          `Sends invoices of tenant ${number}.`,
          'tags: [shared]\n',
        ),
        [`own-${number}/SKILL.md`]: skill(
          `own-${number}`,
          `Sends secret letters of tenant ${number}.`,
        ),
      }
      libraries.push(
        (await published(qdrant({ url: server.url, library, timeout: 30_000 }), files)).library,
      )
    }
    const random = seeded(7)
    const pick = <Item>(items: readonly Item[]): Item =>
      items[Math.floor(random() * items.length)] as Item
    const words = ['invoice', 'secret', 'letters', 'shared', 'tenant', '*', ...TENANTS]
    for (let round = 0; round < 40; round++) {
      const number = Math.floor(random() * TENANTS.length)
      const library = libraries[number] as EngineLibrary
      const other = Math.floor(random() * TENANTS.length)
      const message = [pick(words), pick(words), pick(words)].join(' ')
      const tags = random() < 0.3 ? [pick(['shared', '*', ...TENANTS])] : undefined
      const origins = random() < 0.3 ? [pick(['skills', '*', ...TENANTS])] : undefined
      const { matches } = await library.search(message, { limit: 50, tags, origins })
      const { skills } = await library.page({ limit: 50, tags, origins })
      const foreign = `skills/own-${other}`
      const found = await library.get(foreign).then(
        ({ description }) => description,
        () => undefined,
      )
      const texts = [...matches.map(({ id }) => id), ...skills.map(({ id }) => id)]
      expect(texts.filter(id => !['skills/shared', `skills/own-${number}`].includes(id))).toEqual(
        [],
      )
      for (const { description } of skills)
        expect(description).toMatch(new RegExp(`tenant ${number}\\.$`))
      if (other !== number) expect(found).toBeUndefined()
      expect((await library.get('shared')).description).toBe(`Sends invoices of tenant ${number}.`)
    }
  })

  it('[BY-15] rows of another tenant are dropped if a proxy loses the filters', async () => {
    const url = server.url
    const theirs = qdrant({ url, library: 'theirs', collection: 'proxy', timeout: 30_000 })
    await published(theirs, { 'secret/SKILL.md': skill('secret', 'Sends secret letters.') })
    const withoutFilters: typeof fetch = (input, init) => {
      if (init?.body === undefined) return fetch(input, init)
      const body = JSON.parse(String(init.body), (key, value) =>
        key === 'filter' ? undefined : value,
      )
      return fetch(input, { ...init, body: JSON.stringify(body) })
    }
    const { stored } = await published(
      qdrant({ url, library: 'ours', collection: 'proxy', timeout: 30_000 }),
      {
        'public/SKILL.md': skill('public', 'Sends public letters.'),
      },
    )
    const engine = qdrant({
      url,
      library: 'ours',
      collection: 'proxy',
      timeout: 30_000,
      fetch: withoutFilters,
    })
    const library = await openEngineLibrary({ engine, files: stored })
    expect((await library.search('secret letters')).matches.map(({ name }) => name)).toEqual([
      'public',
    ])
    await expect(library.get('secret')).rejects.toMatchObject({ code: 'skill-not-found' })
  })
})

it('[BY-15] 600 changes during 60 queries mix no revision', async () => {
  const COUNT = 600
  /** Between two of the three writes. */
  const QUERIES = 20
  const files = (revision: string): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: COUNT }, (_, number) => [
        `s${number}/SKILL.md`,
        skill(`${revision}-${number}`, `Sends letter ${number} of edition ${revision}.`),
      ]),
    )
  const inner = memoryEngine()
  const { library, stored } = await published(inner, files('first'))
  let release = (): void => {}
  // Each write waits for some queries, so that they run between any two of them.
  const engine: SkillEngine = {
    ...inner,
    async put(rows, revision, options) {
      await new Promise<void>(resolve => {
        release = resolve
      })
      return inner.put(rows, revision, options)
    },
  }
  const publishing = publishToEngine(memory(files('second'), { name: 'skills' }), {
    engine,
    files: stored,
  })
  let done = false
  void publishing.then(() => {
    done = true
  })
  const editions = async (): Promise<string[]> => {
    const { matches } = await library.search(`letter ${queries} of edition first or second`, {
      limit: 20,
    })
    return [...new Set(matches.map(({ name }) => name.replace(/-.*/, '')))]
  }
  let queries = 0
  while (!done) {
    expect(await editions()).toEqual(['first'])
    queries++
    if (queries % QUERIES === 0) release()
    // Queries of an engine in memory never leave the task, and the publish would starve.
    await new Promise(resolve => setImmediate(resolve))
  }
  const change = await library.refresh()
  expect(change.revision).toBe(library.snapshot.revision)
  for (let query = 0; query < QUERIES; query++) expect(await editions()).toEqual(['second'])
  expect(queries).toBeGreaterThan(55)
})
