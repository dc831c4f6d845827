import { expect, it } from 'vitest'
import { connectLibrary } from '../../src/exports/client.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'
import { callTool, createSession } from '../../src/exports/session.js'
import { applyPlace, placeOf } from '../../src/search/decide/place.js'
import type { RankedMatch } from '../../src/search/match/skill-match.js'
import { LONG_FILES, PATH_BOMBS } from '../path-bombs.js'

const skill = (name: string, fields: string): string =>
  `---\nname: ${name}\ndescription: Tests a component of the app.\n${fields}\n---\nTest it.\n`
const FILES = {
  'react/SKILL.md': skill('react', 'paths: "*.{tsx,jsx}"'),
  'vue/SKILL.md': skill('vue', 'paths: ["*.vue"]'),
  'swift/SKILL.md': skill('swift', 'paths: Sources/**/*.swift\npaths-required: yes'),
  'any/SKILL.md': skill('any', 'paths: ["**", "**/*", "*.*"]\npaths-required: true'),
}
const MESSAGE = 'test this component of the app'
const open = () => openLibrary(memory(FILES, { name: 'mine' }), { embedder: false })

it.each<[glob: string, fits: string[], not: string[]]>([
  ['*.ts', ['a.ts', 'src/b/a.ts', './a.ts'], ['a.tsx', 'a.ts/b']],
  ['src/**/*.ts', ['src/a.ts', 'src/b/c/a.ts', 'src\\b\\a.ts'], ['lib/src/a.ts', 'src/a.js']],
  ['/src/**', ['src/a', '/src/a/b'], ['lib/src/a']],
  ['docs/', ['docs/a.md', 'lib/docs/b/c.md'], ['docs.md']],
  ['a/*/c', ['a/b/c'], ['a/c', 'a/b/b/c']],
  ['a/**/c', ['a/c', 'a/b/b/c'], ['a/b']],
  ['{Dockerfile,*.y{a,}ml}', [], ['b/Dockerfile']],
  ['{Dockerfile,*.yaml}', ['b/Dockerfile', 'c.yaml'], ['c.yml']],
  ['report-[0-9]?.{md,txt}', ['report-1a.md', 'x/report-99.txt'], ['report-a1.md']],
  ['[!a]b', ['bb'], ['ab']],
  ['[', ['['], ['a']],
  ['src/components', ['src/components/a.vue', 'src/components'], ['src/componentsX/a.vue']],
  ['components', ['src/components/b/a.vue'], ['components.ts']],
  ['app/[id]/*.tsx', ['app/[id]/a.tsx', 'app/i/a.tsx'], ['app/id/a.tsx']],
  ['app/[...slug]', ['app/[...slug]/a.tsx'], ['app/slug/a.tsx']],
  ['app/[[...slug]]/**', ['app/[[...slug]]/a.tsx'], ['app/a.tsx']],
  ['app/(shop)/*', ['app/(shop)/a.tsx'], ['app/shop/a.tsx']],
  ['caf\u00e9/*', ['cafe\u0301/a', 'caf\u00e9/a'], []],
  ['数据/*.csv', ['数据/一.csv'], ['数据/一.tsv']],
  [`${'*a'.repeat(120)}b`, [], ['a'.repeat(900)]],
])('[BY-26] the glob %s', (glob, fits, not) => {
  const fit = (file: string) => placeOf({ files: [file] }).weigh({ paths: [glob] }).fits
  expect(fits.map(fit)).toEqual(fits)
  expect(not.map(fit)).toEqual(not.map(() => undefined))
})

it('[BY-26] a path with ! makes an exception of those before it', () => {
  const weigh = (paths: string[], file: string) =>
    placeOf({ files: [file] }).weigh({ paths, pathsRequired: true })
  const paths = ['src/**', '!src/{gen,[id]}/**', 'src/gen/keep.ts']
  expect(weigh(paths, 'src/a.ts').fits).toBe('src/a.ts')
  expect(weigh(paths, 'src/gen/a.ts')).toEqual({ weight: 0 })
  expect(weigh(paths, 'src/[id]/a.ts')).toEqual({ weight: 0 })
  expect(weigh(paths, 'src/gen/keep.ts').fits).toBe('src/gen/keep.ts')
  // Only exceptions: they say nothing of where the skill is used.
  expect(weigh(['!src/**'], 'src/a.ts')).toEqual({ weight: 1 })
  expect(placeOf({ files: ['src/gen/a.ts', 'src/b.ts'] }).weigh({ paths }).fits).toBe('src/b.ts')
})

it('[BY-26] globs with a scheme fit the whole address, others the path of the page', () => {
  const placeThatFits = (glob: string, url: string) =>
    placeOf({ url }).weigh({ paths: [glob] }).fits
  const docs = placeThatFits('https://*.example.com/docs/**', 'https://a.example.com/docs/b?c#d')
  expect(docs).toBe('https://a.example.com/docs/b')
  expect(placeThatFits('https://example.com', 'https://example.com/')).toBe('https://example.com/')
  expect(placeThatFits('https://example.com/*', 'http://example.com/a')).toBeUndefined()
  expect(placeThatFits('*.pdf', 'https://example.com/a%20b.pdf')).toBe(
    'https://example.com/a%20b.pdf',
  )
  expect(placeThatFits('*.com', 'https://example.com/a')).toBeUndefined()
})

it.each(Object.entries(PATH_BOMBS))(
  '[BY-26] %s spend the steps of their own skill alone',
  (_, paths) => {
    const place = placeOf({ files: LONG_FILES })
    const match = (id: string): RankedMatch =>
      ({
        id,
        name: id,
        score: 0.01,
        reason: '',
        signals: { terms: [], rules: [], missing: [], relevance: 0 },
      }) as never
    const bombs = Array.from({ length: 60 }, (_, index) => match(`bomb-${index}`))
    const pathsOf = ({ id }: RankedMatch) =>
      id === 'good'
        ? {
            paths: [...Array<string>(10).fill('src/**/*.{ts,tsx}'), '*.pot'],
            pathsRequired: true as const,
          }
        : { paths, pathsRequired: true as const }
    const result = {
      model: '',
      revision: '',
      served: 0.7,
      complete: true,
      matches: [...bombs, match('good')],
    }
    const { matches } = applyPlace(result, place, pathsOf, undefined)
    expect(matches[0]).toMatchObject({ id: 'good', signals: { place: LONG_FILES[0] } })
    // Paths that were not all compared leave no skill out.
    if (paths.length > 32) expect(matches).toHaveLength(61)
  },
)

it('[BY-26] a skill whose paths fit comes first and says so; one that requires an absent path is left out', async () => {
  await using library = await open()
  const plain = await library.search(MESSAGE)
  expect(plain.matches.map(({ name }) => name)).toEqual(['any', 'react', 'swift', 'vue'])
  const { matches, served } = await library.search({
    message: MESSAGE,
    files: ['readme.md', 'src/App.vue'],
  })
  expect(matches.map(({ name }) => name)).toEqual(['vue', 'any', 'react'])
  expect(matches[0]).toMatchObject({
    signals: { place: 'src/App.vue' },
    reason: expect.stringMatching(/; its paths fit “src\/App\.vue”$/),
  })
  // Three times as likely as one that is equal in all else, and together as likely as the library serves the message.
  expect(matches[0]?.score).toBeCloseTo(3 * (matches[1]?.score ?? 0), 10)
  expect(matches.reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(served, 10)
  const chinese = await library.search({ message: MESSAGE, files: ['a.vue'] }, { language: 'zh' })
  expect(chinese.matches[0]?.reason).toMatch(/；适用于“a\.vue”$/)
})

it('[BY-26] scores stay the same for messages without a place, and where no path says anything', async () => {
  await using library = await open()
  const { 'any/SKILL.md': any } = FILES
  const plain = await openLibrary(memory({ 'any/SKILL.md': any }), { embedder: false })
  expect(await plain.search({ message: MESSAGE, files: ['a.md'] })).toEqual(
    await plain.search(MESSAGE),
  )
  await plain.close()
  const bare = Object.entries(FILES).map(([path, text]) => [path, text.replace(/paths.*\n/g, '')])
  await using without = await openLibrary(memory(Object.fromEntries(bare), { name: 'mine' }), {
    embedder: false,
  })
  const scores = async (one: typeof library) => (await one.match(MESSAGE, { threshold: 0 })).matches
  expect(await scores(library)).toEqual(await scores(without))
})

it('[BY-26] a session remembers the place of the turn, and its search takes another', async () => {
  await using library = await open()
  const session = createSession(library)
  const first = async (input: object) =>
    (
      (await callTool(session, 'search_skills', { query: MESSAGE, ...input })).data as {
        skills: { name: string }[]
      }
    ).skills[0]?.name
  expect(await first({})).toBe('any')
  const turn = await session.prepare({ message: MESSAGE, files: ['src/App.vue'] }, { threshold: 0 })
  expect(turn.matches[0]?.name).toBe('vue')
  expect(turn.matches.map(({ name }) => name)).not.toContain('swift')
  expect(await first({})).toBe('vue')
  expect(await first({ files: ['App.tsx'] })).toBe('react')
  expect((await session.prepare(MESSAGE, { threshold: 0 })).matches[0]?.name).toBe('any')
})

it('[BY-26] tools speak of files only if a skill has paths', async () => {
  await using library = await open()
  await using plain = await openLibrary(memory({ 'any/SKILL.md': skill('any', '') }), {
    embedder: false,
  })
  const inputs = (one: typeof library) =>
    Object.keys(createSession(one).tools()[0]?.inputSchema.properties ?? {})
  expect(inputs(library)).toEqual(['query', 'limit', 'files', 'url'])
  expect(inputs(plain)).toEqual(['query', 'limit'])
})

it('[BY-26] over HTTP, files are in the body or in the query', async () => {
  await using library = await open()
  const handler = createHandler({ library })
  const fetch = async (url: string | URL | Request, init?: RequestInit) =>
    handler.fetch(new Request(url, init))
  const got = await fetch(
    `http://fake.invalid/v1/search?message=${encodeURIComponent(MESSAGE)}&file=a.md&file=b.vue`,
  )
  expect(await got.json()).toMatchObject({
    matches: [{ name: 'vue', signals: { place: 'b.vue' } }, {}, {}],
  })
  await using remote = await connectLibrary('http://fake.invalid/', {
    fetch: fetch as typeof globalThis.fetch,
  })
  const query = {
    message: MESSAGE,
    files: Array.from({ length: 300 }, (_, index) => `${index}.tsx`),
  }
  expect(await remote.search(query)).toEqual(await library.search(query))
  const swift = remote.snapshot.skills.find(({ name }) => name === 'swift')
  expect(swift).toMatchObject({ paths: ['Sources/**/*.swift'], pathsRequired: true })
})
