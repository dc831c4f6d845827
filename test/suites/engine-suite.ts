import type {
  EngineFilter,
  EngineQuery,
  EngineRow,
  SkillEngine,
} from '../../src/server/engine/skill-engine.js'
import { check, equal, rejects, type SuiteCase } from '../../src/tools/testing/assertions.js'

type Page = Awaited<ReturnType<SkillEngine['page']>>

const DIMENSIONS = 128

/** Numbers of the rows that each case finds. */
const NUMBERS = Array.from({ length: 20 }, (_, index) => index + 1)

function skillNames(numbers: readonly number[]): string[] {
  return numbers.map(number => `skill-${number}`).sort()
}

function namesOf(rows: readonly { summary: { name: string } }[]): string[] {
  return rows.map(({ summary }) => summary.name)
}

/** A row whose number sets its words, vector and tag. */
function rowOf(number: number, { library = 'a', name = `skill-${number}` } = {}): EngineRow {
  const id = `suite/${library}/${number}`
  return {
    row: `${library === 'a' ? 'aaaaaaaa' : 'bbbbbbbb'}-0000-8000-8000-${number.toString(16).padStart(12, '0')}`,
    version: `version-${number}`,
    attempt: '1-suite',
    summary: {
      id,
      name,
      description: `Does ${number}. 调研`,
      tags: number % 2 === 0 ? ['Even'] : ['Odd', 'even-less'],
      origin: number % 3 === 0 ? 'third' : 'suite',
      path: `${library}/${number}`,
      digest: `sha256:${'0'.repeat(64)}`,
      tokens: { metadata: 1, instructions: number },
    },
    details: `{"metadata":{"name":"${name}"}, "kept": 1.0}`,
    keys: [name, `${number}`],
    // Every row has the word 7, and one of its own.
    words: { hashes: Uint32Array.of(7, ownWord(number)), weights: Uint8Array.of(1 + number, 200) },
    vector: axis(number),
    ranking: Uint8Array.from({ length: 300 }, (_, index) => (index * number) % 256),
  }
}

const rows = (): EngineRow[] => NUMBERS.map(number => rowOf(number))

function ownWord(number: number): number {
  return 4_000_000_000 + number
}

function query(change: Partial<EngineQuery>): EngineQuery {
  return {
    revision: 1,
    words: { hashes: new Uint32Array(0), weights: new Float32Array(0) },
    vector: undefined,
    filter: {},
    limit: 5,
    ...change,
  }
}

const words = (...hashes: number[]): EngineQuery['words'] => ({
  hashes: Uint32Array.from(hashes),
  weights: new Float32Array(hashes.length).fill(1),
})

function axis(number: number): Float32Array {
  const vector = new Float32Array(DIMENSIONS)
  vector[number % DIMENSIONS] = 1
  return vector
}

/**
 * Conformance tests for an implementation of `SkillEngine`: candidates by words and by meaning, filters, names, pages, revisions, and
 * libraries that share a store.
 *
 * @param make Returns the engines of two libraries, `a` and `b`, in one empty store. Called once per case, which then calls `cleanup`.
 * @returns The cases, as plain data for any test runner.
 */
export function engineSuite(
  make: () => Promise<{ a: SkillEngine; b: SkillEngine; cleanup?: () => Promise<void> }>,
): readonly SuiteCase[] {
  const test = (
    name: string,
    body: (a: SkillEngine, b: SkillEngine) => Promise<void>,
  ): SuiteCase => ({
    name,
    async run() {
      const { a, b, cleanup } = await make()
      try {
        await a.prepare?.({ dimensions: DIMENSIONS })
        await a.prepare?.({ dimensions: DIMENSIONS })
        await b.prepare?.({ dimensions: DIMENSIONS })
        await a.put(rows(), 1)
        await body(a, b)
      } finally {
        await cleanup?.()
      }
    },
  })
  const found = async (engine: SkillEngine, change: Partial<EngineQuery>): Promise<string[]> =>
    namesOf((await engine.candidates(query(change))).candidates)
  const listed = async (
    engine: SkillEngine,
    revision: number,
    filter: EngineFilter = {},
  ): Promise<string[]> => {
    const { rows, next } = await engine.page({ revision, filter, limit: 100 })
    equal(next, undefined, 'no further page')
    return namesOf(rows).sort()
  }

  return [
    test('finds the best rows by words, with a sum of products', async a => {
      equal(
        (await found(a, { words: words(7), limit: 3 })).sort(),
        ['skill-18', 'skill-19', 'skill-20'],
        'one word',
      )
      equal(await found(a, { words: words(7, ownWord(2)), limit: 1 }), ['skill-2'], 'the sum')
      equal(await found(a, { words: words(8) }), [], 'an unknown word')
    }),
    test('finds the best rows by meaning, and each row once', async a => {
      equal(await found(a, { vector: axis(4), limit: 1 }), ['skill-4'], 'the nearest')
      equal(
        await found(a, { words: words(ownWord(4)), vector: axis(4), limit: 1 }),
        ['skill-4'],
        'both',
      )
      equal(await found(a, {}), [], 'neither words nor a vector')
    }),
    test('returns rows as they were put', async a => {
      const { row, version, attempt, summary, ranking, details } = rowOf(9)
      const [candidate] = (await a.candidates(query({ words: words(ownWord(9)), limit: 1 })))
        .candidates
      const found = [candidate?.row, candidate?.attempt, candidate?.summary, candidate?.ranking]
      equal(found, [row, attempt, summary, ranking], 'a candidate')
      const [skill] = await a.find({ ids: [summary.id], keys: [] }, 1)
      const opened = [skill?.row, skill?.version, skill?.attempt, skill?.summary, skill?.details]
      equal(opened, [row, version, attempt, summary, details], 'a skill')
      const [listed] = (
        await a.page({ revision: 1, filter: { tags: ['odd'], origins: ['third'] }, limit: 3 })
      ).rows
      equal(listed?.attempt, attempt, 'a row of a page')
    }),
    test('puts rows without words and without a vector', async a => {
      const nothing = { hashes: new Uint32Array(0), weights: new Uint8Array(0) }
      await a.put([{ ...rowOf(30), vector: undefined }], 1)
      await a.put([{ ...rowOf(31), words: nothing }], 1)
      equal(await found(a, { words: words(ownWord(30)) }), ['skill-30'], 'without a vector')
      equal((await found(a, { vector: axis(31), limit: 1 }))[0], 'skill-31', 'without words')
    }),
    test('filters by tag and origin', async a => {
      equal(
        await listed(a, 1, { tags: ['even'] }),
        skillNames(NUMBERS.filter(number => number % 2 === 0)),
        'a tag',
      )
      equal(
        await listed(a, 1, { origins: ['third'], tags: ['odd'] }),
        ['skill-15', 'skill-3', 'skill-9'],
        'both',
      )
      equal(
        await found(a, { words: words(7), filter: { tags: ['even-less'] }, limit: 1 }),
        ['skill-19'],
        'words',
      )
      const near = await found(a, {
        vector: axis(4),
        filter: { origins: ['third'], tags: ['even'] },
        limit: 1,
      })
      check(
        near.every(name => ['skill-6', 'skill-12', 'skill-18'].includes(name)),
        `meaning finds ${near}`,
      )
      equal(await listed(a, 1, { tags: ['none'] }), [], 'an unknown tag')
    }),
    test('finds rows by id and by key, in one revision', async a => {
      const names = async (ids: string[], keys: string[]) =>
        namesOf(await a.find({ ids, keys }, 1)).sort()
      equal(await names(['suite/a/3'], []), ['skill-3'], 'an id')
      equal(await names([], ['skill-5']), ['skill-5'], 'a key')
      equal(
        await names(['suite/a/3', 'suite/a/4'], ['5']),
        ['skill-3', 'skill-4', 'skill-5'],
        'several',
      )
      equal(await names(['suite/a'], ['skill']), [], 'a part')
      equal(await names([], []), [], 'nothing')
    }),
    test('adds named rows to the candidates', async a => {
      const asked = {
        words: words(ownWord(2)),
        filter: { tags: ['even'] },
        also: { ids: [], keys: ['skill-3'] },
      }
      const { candidates, also } = await a.candidates(query(asked))
      equal(namesOf(candidates), ['skill-2'], 'candidates')
      equal(namesOf(also), ['skill-3'], 'also')
    }),
    test('lists all rows in pages without repetition', async a => {
      const names: string[] = []
      let cursor: string | undefined
      let pages = 0
      do {
        const page: Page = await a.page({ revision: 1, filter: {}, limit: 7, cursor })
        check(page.rows.length <= 7, `a page of ${page.rows.length}`)
        names.push(...namesOf(page.rows))
        cursor = page.next
        pages++
      } while (cursor !== undefined && pages < 10)
      equal(names.sort(), skillNames(NUMBERS), 'the skills')
    }),
    test('shows each revision its own rows', async a => {
      const before = await listed(a, 1)
      await a.put([rowOf(40)], 2)
      await a.retire([rowOf(1).row, rowOf(2).row], 2)
      equal(await listed(a, 1), before, 'the old revision')
      const both = words(ownWord(1), ownWord(40))
      equal((await found(a, { words: both })).includes('skill-40'), false, 'a new row')
      equal(
        (await found(a, { revision: 2, words: both })).includes('skill-40'),
        true,
        'the new revision',
      )
      equal(
        (await found(a, { revision: 2, vector: axis(1) })).includes('skill-1'),
        false,
        'a retired row',
      )
      equal(await a.find({ ids: ['suite/a/1'], keys: [] }, 2), [], 'a retired name')
      const { also } = await a.candidates(
        query({ revision: 2, also: { ids: ['suite/a/1'], keys: [] } }),
      )
      equal(also, [], 'a retired row by name')
      await a.retire([rowOf(1).row], undefined)
      equal((await listed(a, 2)).includes('skill-1'), true, 'a row that is shown again')
    }),
    test('scans the state of all rows, removes and sweeps', async a => {
      await a.retire([rowOf(1).row], 2)
      await a.retire([rowOf(2).row], 3)
      await a.put([rowOf(40)], 3)
      const states = async () => (await a.scan({ limit: 100 })).rows
      const state = async (number: number) =>
        (await states()).find(({ row }) => row === rowOf(number).row)
      const stamp = (number: number) => ({
        row: rowOf(number).row,
        version: `version-${number}`,
        attempt: '1-suite',
      })
      equal(await state(1), { ...stamp(1), since: 1, until: 2 }, 'a retired row')
      equal(await state(40), { ...stamp(40), since: 3 }, 'a later row')
      await a.sweep(2)
      equal(
        [await state(1), (await state(2))?.until, (await states()).length],
        [undefined, 3, 20],
        'after the sweep',
      )
      await a.remove([rowOf(40).row, rowOf(3).row])
      equal((await states()).length, 18, 'after the removal')
      const { rows, next } = await a.scan({ limit: 10 })
      equal(
        [rows.length, (await a.scan({ limit: 100, cursor: next })).rows.length],
        [10, 8],
        'in pages',
      )
    }),
    test('keeps the rows of libraries apart', async (a, b) => {
      await b.put([rowOf(1, { library: 'b', name: 'secret' })], 1)
      equal(await listed(b, 1), ['secret'], 'the other library')
      equal((await listed(a, 1)).includes('secret'), false, 'the list')
      const near = await found(a, { words: words(ownWord(1)), vector: axis(1), limit: 50 })
      equal(near.includes('secret'), false, 'candidates')
      const named = { ids: ['suite/b/1'], keys: ['secret'] }
      equal(await a.find(named, 1), [], 'names')
      equal((await a.candidates(query({ also: named }))).also, [], 'named candidates')
      equal((await a.scan({ limit: 100 })).rows.length, 20, 'the scan')
      const { row } = rowOf(1, { library: 'b' })
      await a.retire([row], 1)
      await a.remove([row])
      await a.sweep(9)
      equal(await listed(b, 1), ['secret'], 'after the other library removes it')
    }),
    test('rejects with "aborted" for an aborted signal', async a => {
      const options = { signal: AbortSignal.abort() }
      await rejects(
        () => a.candidates(query({ words: words(7) }), options),
        'aborted',
        'candidates',
      )
      await rejects(() => a.find({ ids: ['x'], keys: [] }, 1, options), 'aborted', 'find')
      await rejects(() => a.page({ revision: 1, filter: {}, limit: 1 }, options), 'aborted', 'page')
      await rejects(() => a.put([rowOf(50)], 1, options), 'aborted', 'put')
    }),
  ]
}
