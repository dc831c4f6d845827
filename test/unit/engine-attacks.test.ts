import { describe, expect, it } from 'vitest'
import {
  memoryEngine,
  openEngineLibrary,
  publishToEngine,
  qdrant,
  type SkillEngine,
} from '../../src/exports/engine.js'
import {
  decodeRanking,
  encodeRanking,
  type RowRanking,
} from '../../src/server/engine/ranking-bytes.js'
import type { EngineRow } from '../../src/server/engine/skill-engine.js'
import { memory } from '../../src/source/memory.js'
import { letters } from '../node/packed-attacks.js'
import { LONG_FILES, PATH_BOMBS } from '../path-bombs.js'

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\nallowed-tools: [Read]\n---\nDo ${name}.\n`
const SKILLS = {
  'pdf/SKILL.md': skill('pdf', 'Reads tables of PDF files.'),
  'pdf/notes.md': 'Notes.',
  'tea/SKILL.md': skill('tea', 'Brews oolong in a pot.'),
}

type Row = Record<string, unknown> & { summary: Record<string, unknown> }
type Attack = readonly [
  name: string,
  change: (row: Row & EngineRow, rows: readonly EngineRow[]) => unknown,
]

const ranking =
  (change: (ranking: RowRanking) => Partial<RowRanking>) => (row: Row & EngineRow) => {
    const decoded = decodeRanking(row.ranking, 8) as RowRanking
    const { hashes, ...rest } = decoded
    row.ranking = encodeRanking({
      ...rest,
      hashes: hashes.map(hash => hash << 8),
      ...change(decoded),
    })
  }
const summary = (change: object) => (row: Row & EngineRow) =>
  Object.assign(row, { summary: { ...row.summary, ...change } })
const replaced = (from: string, to: string) => (row: Row & EngineRow) =>
  Object.assign(row, { details: row.details.replace(from, to) })
const cut = (row: Row & EngineRow, field: keyof EngineRow) =>
  delete (row as Partial<EngineRow>)[field]

/** Changes to the row of `pdf` that lists and searches notice. */
const LISTED: readonly Attack[] = [
  ['no summary', row => cut(row, 'summary')],
  ['a summary of null', row => Object.assign(row, { summary: null })],
  ['a summary that is text', row => Object.assign(row, { summary: 'pdf' })],
  ['no name', summary({ name: undefined })],
  ['a name that is an object', summary({ name: {} })],
  ['a description that is a number', summary({ description: 1 })],
  ['the id of another origin', summary({ id: 'other/pdf' })],
  ['a path that leaves its folder', summary({ path: '../pdf', id: 'memory/../pdf' })],
  ['an origin that is no text', summary({ origin: 1 })],
  ['no digest', summary({ digest: undefined })],
  ['a digest that is a path', summary({ digest: '../../secret' })],
  ['no tokens', summary({ tokens: null })],
  [
    'endless tokens',
    summary({ tokens: { metadata: 1e300, instructions: Number.POSITIVE_INFINITY } }),
  ],
]
const RANKED: readonly Attack[] = [
  ['no bytes for ranking', row => Object.assign(row, { ranking: new Uint8Array(0) })],
  ['truncated bytes for ranking', row => Object.assign(row, { ranking: row.ranking.slice(0, 40) })],
  ['a huge scale', ranking(() => ({ scale: 1e30 }))],
  ['an infinite scale', ranking(() => ({ scale: Number.POSITIVE_INFINITY }))],
  ['a scale that is no number', ranking(() => ({ scale: Number.NaN }))],
  ['a negative scale', ranking(({ scale }) => ({ scale: -scale }))],
  ['a scale twice as large', ranking(({ scale }) => ({ scale: scale * 2 }))],
  [
    '60,000 dimensions',
    ranking(() => ({ vector: new Int8Array(60_000).fill(1), scale: 1 / Math.sqrt(60_000) })),
  ],
  ['half of the dimensions', ranking(() => ({ vector: new Int8Array(4).fill(1), scale: 0.5 }))],
  ['a head longer than the text', ranking(() => ({ head: 60_000 }))],
]
/** Changes that are noticed when the skill is opened. */
const OPENED: readonly Attack[] = [
  ['no details', row => cut(row, 'details')],
  ['details that are an object', row => Object.assign(row, { details: JSON.parse(row.details) })],
  ['details that are not JSON', row => Object.assign(row, { details: '{' })],
  ['all tools allowed', replaced('"allowedTools":["Read"]', '"x":1')],
  ['another file', replaced('notes.md', 'other.md')],
  ['the digest of another skill', (row, rows) => summary({ digest: rows[1]?.summary.digest })(row)],
  ['another description', summary({ description: 'Reads everything.' })],
  [
    'the details of another skill',
    (row, rows) => Object.assign(row, { details: rows[1]?.details }),
  ],
  [
    'the version of another skill',
    (row, rows) => Object.assign(row, { version: rows[1]?.version }),
  ],
  ['no version', row => cut(row, 'version')],
]

/** A published library whose engine changes the rows of `pdf` in every answer. */
async function attacked(change: Attack[1], listUpTo = 0) {
  const engine = memoryEngine()
  const files = memory()
  await publishToEngine(memory(SKILLS), { engine, files, embedder: letters })
  const found = await engine.find({ ids: ['memory/pdf', 'memory/tea'], keys: [] }, 1)
  const stored = found.toSorted((a, b) => (a.summary.id < b.summary.id ? -1 : 1)) as EngineRow[]
  const attack = <R>(rows: readonly R[]): R[] =>
    rows.map(row => {
      if ((row as EngineRow).row !== stored[0]?.row) return row
      const changed = { ...row } as R
      change(changed as never, stored)
      return changed
    })
  const hostile: SkillEngine = {
    ...engine,
    async candidates(...query) {
      const { candidates, also } = await engine.candidates(...query)
      return { candidates: attack(candidates), also: attack(also) }
    },
    find: async (...query) => attack(await engine.find(...query)),
    async page(...query) {
      const { rows, next } = await engine.page(...query)
      return { rows: attack(rows), next }
    },
  }
  return openEngineLibrary({ engine: hostile, files, embedder: letters, listUpTo })
}

describe('a row of an engine with', () => {
  it.each([...LISTED, ...RANKED])(
    '[BY-22] [BY-15] %s is left out of searches with a diagnostic',
    async (_, change) => {
      await using library = await attacked(change)
      const { matches } = await library.search('read tables and brew oolong in a pot', { limit: 9 })
      expect(matches.map(({ id }) => id)).toEqual(['memory/tea'])
      expect((await library.match('brew oolong in a pot')).matches[0]?.id).toBe('memory/tea')
      expect(library.snapshot.diagnostics).toMatchObject([
        { code: 'skill-left-out', hint: 'publish again' },
      ])
    },
  )

  it.each(Object.entries(PATH_BOMBS))(
    '[BY-22] [BY-15] paths such as %s cost no other row its place',
    async (_, paths) => {
      await using library = await attacked(summary({ paths, pathsRequired: true }), 10)
      const [, tea] = library.snapshot.skills
      expect(library.snapshot.skills[0]?.paths?.length ?? 0).toBeLessThanOrEqual(100)
      const query = { message: 'read tables and brew oolong in a pot', files: LONG_FILES }
      const { matches } = await library.search(query, { limit: 9 })
      expect(matches.map(({ id }) => id)).toContain(tea?.id)
      for (const { score } of matches) expect(score >= 0 && score <= 1).toBe(true)
    },
  )

  it.each(LISTED)('[BY-22] [BY-15] %s is left out of lists and look-ups', async (_, change) => {
    await using library = await attacked(change, 10)
    expect(library.snapshot.skills.map(({ id }) => id)).toEqual(['memory/tea'])
    expect((await library.list()).map(({ id }) => id)).toEqual(['memory/tea'])
    await expect(library.get('pdf')).rejects.toMatchObject({ code: 'skill-not-found' })
    expect((await library.get('tea')).instructions).toBe('Do tea.')
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'skill-left-out' }])
  })

  it.each(OPENED)('[BY-22] [BY-15] %s is not opened', async (_, change) => {
    await using library = await attacked(change)
    await expect(library.get('pdf')).rejects.toMatchObject({ code: 'skill-not-found' })
    await expect(library.read('memory/pdf', 'notes.md')).rejects.toMatchObject({
      code: 'skill-not-found',
    })
    expect(library.snapshot.diagnostics).toMatchObject([
      { code: 'skill-left-out', path: 'memory/pdf' },
    ])
    expect((await library.get('tea')).metadata.allowedTools).toEqual(['Read'])
  })

  it('[BY-15] nothing changed is found, listed and opened', async () => {
    await using library = await attacked(() => {}, 10)
    const { matches } = await library.search('read tables and brew oolong in a pot', { limit: 9 })
    expect(matches.map(({ id }) => id).sort()).toEqual(['memory/pdf', 'memory/tea'])
    expect((await library.get('pdf')).files.map(({ path }) => path)).toEqual(['notes.md'])
    expect(library.snapshot.diagnostics).toEqual([])
  })
})

describe('an engine that', () => {
  const repeating = async (change: (engine: SkillEngine) => Partial<SkillEngine>) => {
    const engine = memoryEngine()
    const files = memory()
    await publishToEngine(memory(SKILLS), { engine, files })
    return { engine: { ...engine, ...change(engine) }, files, listUpTo: 0 }
  }

  it('[BY-15] returns a row many times counts it once', async () => {
    const many = <R>(rows: readonly R[]): R[] => Array.from({ length: 60 }, () => rows).flat()
    const options = await repeating(engine => ({
      async candidates(...query) {
        const { candidates, also } = await engine.candidates(...query)
        return { candidates: many(candidates), also: many(also) }
      },
      find: async (...query) => many(await engine.find(...query)),
      page: async (...query) => ({ rows: many((await engine.page(...query)).rows) }),
    }))
    await using library = await openEngineLibrary(options)
    expect((await library.search('brew oolong in a pot')).matches.map(({ id }) => id)).toEqual([
      'memory/tea',
    ])
    expect((await library.get('tea')).id).toBe('memory/tea')
    expect((await library.list()).map(({ id }) => id)).toEqual(['memory/pdf', 'memory/tea'])
  })

  it('[BY-15] repeats its cursors is an error of lists and publishes', async () => {
    let calls = 0
    const next = () => `page ${calls++ % 3}`
    const { engine, files } = await repeating(memory => ({
      page: async query => ({
        ...(await memory.page({ ...query, cursor: undefined })),
        rows: [],
        next: next(),
      }),
      scan: async query => ({
        ...(await memory.scan({ ...query, cursor: undefined })),
        next: next(),
      }),
    }))
    const failed = {
      code: 'source-failed',
      message: expect.stringContaining('the same page again'),
    }
    await using library = await openEngineLibrary({ engine, files, listUpTo: 0 })
    await expect(library.list()).rejects.toMatchObject(failed)
    await expect(openEngineLibrary({ engine, files })).rejects.toMatchObject(failed)
    await expect(publishToEngine(memory(SKILLS), { engine, files })).rejects.toMatchObject(failed)
  })

  it('[BY-15] answers with more than 32 MiB is not read to the end', async () => {
    let sent = 0
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 1_048_576
          controller.enqueue(new Uint8Array(1_048_576).fill(32))
        },
      })
    const { files } = await repeating(() => ({}))
    const engine = qdrant({
      url: 'http://qdrant.test',
      library: 'memory',
      fetch: async () => new Response(body()),
    })
    await using library = await openEngineLibrary({ engine, files, listUpTo: 0 })
    const message = expect.stringContaining('more than 33554432 bytes')
    await expect(library.search('brew oolong')).rejects.toMatchObject({
      code: 'source-failed',
      message,
    })
    expect(sent).toBeLessThan(40 * 1_048_576)
  })

  it('[BY-22] [BY-15] stores damaged base64 has the row left out; one of another library is dropped', async () => {
    const { files } = await repeating(() => ({}))
    const points = ['%%%', 7, undefined].map((ranking, index) => ({
      id: `row-${index}`,
      payload: {
        library: 'memory',
        since: 1,
        until: 9,
        attempt: 'x',
        skill: { id: 'memory/pdf' },
        ranking,
      },
    }))
    const like = (id: string, change: object) => ({
      id,
      payload: { ...points[0]?.payload, ...change },
    })
    const all = [
      ...points,
      like('row', { skill: undefined }),
      like('theirs', { library: 'another' }),
    ]
    const fetch = async () => Response.json({ result: [{ points: all }] })
    const engine = qdrant({ url: 'http://qdrant.test', library: 'memory', fetch })
    await using library = await openEngineLibrary({ engine, files, listUpTo: 0 })
    expect((await library.search('brew oolong')).matches).toEqual([])
    expect(library.snapshot.diagnostics).toHaveLength(4)
  })
})
