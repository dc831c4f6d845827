import {
  build,
  createServer,
  type InlineConfig,
  mergeConfig,
  type Plugin,
  type Rolldown,
  type UserConfig,
} from 'vite'
import { expect, it, onTestFinished } from 'vitest'
import { rerunIfCalled } from '../../src/core/concurrency.js'
import { openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { type SkillshelfOptions, skillshelf } from '../../src/exports/vite.js'
import { BREAD, createProject, INVOICES, type Project, serveProject, skill } from './vite-world.js'

/** The plugin without a browser: serving, packing, logging and building. */

const PAGE = {
  'index.html': '<script type="module" src="./main.js"></script>',
  'main.js': "import 'virtual:skillshelf'",
}

const served = (at: Project, options?: SkillshelfOptions, more: InlineConfig = {}) =>
  serveProject(at, options, mergeConfig({ plugins: [unoptimized] }, more))

/** Disables dependency optimization, which would still write files while the folder is removed. */
const unoptimized: Plugin = {
  name: 'unoptimized',
  enforce: 'post',
  config(config) {
    config.optimizeDeps = { noDiscovery: true, include: [] }
  },
}

async function opened(address: string): Promise<SkillLibrary> {
  const library = await openLibrary(address)
  onTestFinished(() => library.close())
  return library
}

const names = (library: SkillLibrary): string[] => library.snapshot.skills.map(one => one.name)
const first = async (library: SkillLibrary, message: string): Promise<string | undefined> =>
  (await library.match(message)).matches[0]?.name

it('[TD-11] packs changed, added and removed skills again and notifies pages', async () => {
  const at = createProject({ 'skills/invoices/SKILL.md': INVOICES, 'skills/bread/SKILL.md': BREAD })
  const { address, changeEvents } = await served(at)
  const library = await opened(`${address}skills/`)
  expect(names(library)).toEqual(['bread', 'invoices'])
  const edited = async (edit: () => void): Promise<unknown> => {
    const before = changeEvents()
    edit()
    await expect.poll(changeEvents).toBeGreaterThan(before)
    const { added, changed, removed } = await library.refresh()
    return { added, changed, removed }
  }

  expect(await first(library, 'water the plants')).toBeUndefined()
  const none = { added: [], changed: [], removed: [] }
  const plants = (description: string) => () =>
    at.write({ 'skills/plants/SKILL.md': skill('plants', description) })
  expect(await edited(plants('Says when to water plants'))).toEqual({
    ...none,
    added: ['skills/plants'],
  })
  expect(await first(library, 'water the plants')).toBe('plants')
  expect(await edited(plants('Says when to repot a cactus'))).toEqual({
    ...none,
    changed: ['skills/plants'],
  })
  expect(await first(library, 'repot my cactus')).toBe('plants')
  const reference = () => at.write({ 'skills/plants/references/cactus.md': 'Twice a year.' })
  expect(await edited(reference)).toEqual({ ...none, changed: ['skills/plants'] })
  expect((await library.read('plants', 'references/cactus.md')).text).toBe('Twice a year.')
  expect(await edited(() => at.remove('skills/plants'))).toEqual({
    ...none,
    removed: ['skills/plants'],
  })
  expect(names(library)).toEqual(['bread', 'invoices'])
  expect(at.warnings).toEqual([])
})

it('[TD-11] keeps the last valid version of a broken SKILL.md, warns once, and applies other changes', async () => {
  const at = createProject({ 'skills/invoices/SKILL.md': INVOICES, 'skills/bread/SKILL.md': BREAD })
  const { address } = await served(at)
  const library = await opened(`${address}skills/`)

  at.write({ 'skills/invoices/SKILL.md': '---\nname: inv' })
  await expect.poll(() => at.warnings.length).toBe(1)
  expect(at.warnings[0]).toMatch(
    /^\[skillshelf\] skills\/invoices\/SKILL\.md .*no description.*\(.*; the page keeps the last valid version\)$/,
  )
  expect(await library.refresh()).toMatchObject({ added: [], changed: [], removed: [] })
  expect(await first(library, 'check this invoice')).toBe('invoices')

  at.write({ 'skills/bread/SKILL.md': skill('bread', 'Plans the baking of rye bread') })
  await expect.poll(async () => (await library.refresh()).changed).toEqual(['skills/bread'])
  expect(at.warnings).toHaveLength(1)
  at.write({ 'skills/invoices/SKILL.md': skill('invoices', 'Checks invoices and receipts') })
  await expect.poll(async () => (await library.refresh()).changed).toEqual(['skills/invoices'])

  at.write({ 'skills/invoices/SKILL.md': '---\nname: inv' })
  await expect.poll(() => at.warnings.length).toBe(2)
})

it('[TD-11] runs work once at a time, and once more after calls during a run', async () => {
  const log: string[] = []
  const gates: (() => void)[] = []
  const run = rerunIfCalled(async () => {
    log.push('start')
    await new Promise<void>(resolve => gates.push(resolve))
    log.push('end')
  })
  const all = [run(), run(), run()]
  expect(log).toEqual(['start'])
  gates[0]?.()
  await expect.poll(() => gates.length).toBe(2)
  gates[1]?.()
  await Promise.all(all)
  expect(log).toEqual(['start', 'end', 'start', 'end'])
  const later = run()
  gates[2]?.()
  await later
  expect(log).toHaveLength(6)
})

it('starts with an empty library for a missing folder and follows when the folder appears', async () => {
  const at = createProject(PAGE)
  const { address, changeEvents } = await served(at, { dir: 'my/skills' })
  const library = await opened(`${address}skills/`)
  expect(names(library)).toEqual([])
  expect(library.snapshot.diagnostics).toEqual([])
  expect(at.warnings).toEqual([
    expect.stringMatching(
      /^\[skillshelf\] my\/skills No such folder: .* \(.*npx skillshelf new.*`dir`.*\)$/,
    ),
  ])
  const before = changeEvents()
  at.write({ 'my/skills/bread/SKILL.md': BREAD })
  await expect.poll(changeEvents).toBeGreaterThan(before)
  expect((await library.refresh()).added).toEqual(['skills/bread'])
})

it('[TD-11] watches a folder outside the root and keeps the last library if packing fails', async () => {
  const at = createProject({ 'app/index.html': '', 'skills/bread/SKILL.md': BREAD })
  const { address, server } = await served(at, { dir: '../skills' }, { root: `${at.root}/app` })
  const watched = (): readonly string[] => Object.values(server.watcher.getWatched()).flat()
  await expect.poll(watched).toContain('SKILL.md')
  const library = await opened(`${address}skills/`)
  expect(names(library)).toEqual(['bread'])
  at.write({ 'skills/skillshelf.json': '{}', 'skills/invoices/SKILL.md': INVOICES })
  await expect.poll(() => at.warnings.length).toBe(1)
  expect(at.warnings[0]).toMatch(/^\[skillshelf\] Cannot pack \.\.\/skills: .*is packed already/)
  expect((await library.refresh()).removed).toEqual([])
  at.remove('skills/skillshelf.json')
  // A busy watcher may miss the removal of a new file, but reports later changes.
  let saved = 0
  const added = async (): Promise<readonly string[]> => {
    at.write({ 'skills/invoices/notes.txt': String(++saved) })
    return (await library.refresh()).added
  }
  await expect.poll(added, { interval: 500 }).toEqual(['skills/invoices'])
})

it('serves only packed files, with ETags and inert media types', async () => {
  const at = createProject({
    ...PAGE,
    'skills/bread/SKILL.md': BREAD,
    'skills/bread/page.html': '<script>1</script>',
  })
  const { address, server } = await served(at, { out: 'data/my skills' }, { base: '/sub/' })
  expect(address).toMatch(/\/sub\/$/)
  const place = `${address}data/my%20skills/`
  const catalog = await fetch(`${place}skillshelf.json`)
  expect(catalog.headers.get('content-type')).toBe('application/json')
  const tag = catalog.headers.get('etag') as string
  expect(
    (await fetch(`${place}skillshelf.json`, { headers: { 'if-none-match': tag } })).status,
  ).toBe(304)
  const library = await opened(place)
  expect(library.snapshot.skills.map(({ id }) => id)).toEqual(['my skills/bread'])
  const [html] = (await library.get('bread')).files
  const page = await fetch(`${place}files/${html?.digest?.slice(7, 23)}.txt`)
  expect(page.headers.get('content-type')).toBe('text/plain')
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  expect((await fetch(`${place}skillshelf.json`, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(`${place}bread/SKILL.md`)).headers.get('content-type')).toBe('text/html')
  const module = await server.transformRequest('virtual:skillshelf')
  expect(module?.code).toContain('"/sub/data/my skills/"')
})

it('logs each error and warning with its location, at most 20 at a time', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [
      `skills/s${at}/SKILL.md`,
      skill(`s${at}`, 'Does it', ''),
    ]),
  )
  const odd = '---\nname: a\nnaem: b\ndescription: "Does it\u001b[31m\n---\nText'
  const at = createProject({ ...PAGE, ...many, 'skills/a/SKILL.md': odd })
  await served(at)
  await expect.poll(() => at.warnings.length).toBe(21)
  expect(at.warnings[0]).toMatch(/^\[skillshelf\] skills\/a\/SKILL\.md:\d+ .+ \(.+\)$/)
  expect(at.warnings.join('')).not.toContain('\u001b')
  expect(at.warnings[20]).toMatch(/^\[skillshelf\] … and \d+ more: npx skillshelf validate DIR$/)
})

it('rejects the virtual module on a server and names the alternative', async () => {
  const at = createProject({ 'skills/bread/SKILL.md': BREAD })
  const server = await createServer(
    at.config(
      {},
      { plugins: [unoptimized], server: { middlewareMode: true, ws: false }, appType: 'custom' },
    ),
  )
  onTestFinished(() => server.close())
  await expect(server.ssrLoadModule('virtual:skillshelf')).rejects.toThrow(
    /directory\(\) from skillshelf\/node/,
  )
})

it('rejects a Web Worker build without ES modules', async () => {
  const at = createProject({
    'index.html': PAGE['index.html'],
    'main.js': "new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })",
    'worker.js': "import 'virtual:skillshelf'",
    'skills/bread/SKILL.md': BREAD,
  })
  await expect(built(at)).rejects.toThrow(/needs ES modules: set worker: \{ format: 'es' \}/)
})

async function built(
  at: Project,
  options?: Parameters<Project['config']>[0],
  more?: InlineConfig,
): Promise<string[]> {
  const result = await build(at.config(options, more))
  return (result as Rolldown.RolldownOutput).output.map(({ fileName }) => fileName).sort()
}

it('emits the library beside the page and finds it under any base', async () => {
  const at = createProject({
    ...PAGE,
    'skills/bread/SKILL.md': BREAD,
    'skills/bread/notes.txt': 'Rye',
  })
  const files = await built(at, { out: 'data/skills' }, { base: './', build: { assetsDir: 'a/b' } })
  const emitted = files.flatMap(
    file => /^data\/skills\/(.*)/.exec(file)?.[1]?.replace(/[0-9a-f]{16}/, 'DIGEST') ?? [],
  )
  const expected = 'DIGEST.seg files/DIGEST.json files/DIGEST.md files/DIGEST.txt skillshelf.json'
  expect(emitted).toEqual(expect.arrayContaining(expected.split(' ')))
  const script = files.find(file => /^a\/b\/index-[\w-]{8}\.js$/.test(file))
  expect(at.read(`dist/${script}`)).toMatch(
    /new URL\([`'"]\.\.\/\.\.\/data\/skills\/skillshelf\.json/,
  )
  expect(at.warnings).toEqual([])
})

it('rebuilds when a skill is changed or added in watch mode', async () => {
  const at = createProject({ ...PAGE, 'skills/bread/SKILL.md': BREAD })
  const watcher = (await build(at.config({}, { build: { watch: {} } }))) as Rolldown.RolldownWatcher
  onTestFinished(() => watcher.close())
  const catalog = (): string => {
    try {
      return at.read('dist/skills/skillshelf.json')
    } catch {
      return ''
    }
  }
  await expect.poll(catalog).toContain('sourdough')
  // Written again at intervals: the watcher may not watch yet when the first build is written.
  const catalogAfter = (files: Record<string, string>) => (): string => {
    at.write(files)
    return catalog()
  }
  const change = { 'skills/bread/SKILL.md': skill('bread', 'Plans the baking of rye bread') }
  await expect.poll(catalogAfter(change), { interval: 1_000 }).toContain('rye bread')
  const other = catalogAfter({ 'skills/invoices/SKILL.md': INVOICES })
  await expect.poll(other, { interval: 1_000 }).toContain('Checks an invoice')
})

const CONTENT = {
  ...PAGE,
  '.git/HEAD': '',
  '.gitignore': '*.log\n',
  'skills/.gitignore': 'drafts/\n',
  'skills/bread/SKILL.md': BREAD,
  'skills/bread/.gitignore': '/data/*\n!/data/keep.txt\n',
  'skills/bread/data/big.txt': 'Big',
  'skills/bread/data/keep.txt': 'Kept',
  'skills/bread/oven.log': 'Hot',
  'skills/drafts/cake/SKILL.md': skill('cake', 'Plans a cake'),
  'skills/release/SKILL.md': `---
name: release
description: Releases this repository
metadata:
  internal: true
---
`,
}

const texts = async (library: SkillLibrary): Promise<string[]> =>
  (await library.get('bread')).files.map(({ path }) => path)

it('[BY-5] builds neither what Git ignores nor internal skills, which is said', async () => {
  const at = createProject(CONTENT)
  await built(at)
  const { skills } = JSON.parse(at.read('dist/skills/skillshelf.json'))
  expect(skills.map(({ name }: { name: string }) => name)).toEqual(['bread'])
  expect(at.warnings).toEqual([
    '[skillshelf] 3 files left out by .gitignore',
    expect.stringMatching(/^\[skillshelf\] skills\/release\/SKILL\.md release is internal/),
  ])
  await built(at, { internal: true })
  expect(at.read('dist/skills/skillshelf.json')).toContain('Releases this repository')
})

it('[BY-5] serves neither what Git ignores nor internal skills, and follows ignore files', async () => {
  const at = createProject(CONTENT)
  const { address } = await served(at)
  const library = await opened(`${address}skills/`)
  expect(names(library)).toEqual(['bread'])
  expect(await texts(library)).toEqual(['.gitignore', 'data/keep.txt'])
  at.write({ 'skills/bread/.gitignore': '/data/keep.txt\n' })
  await expect
    .poll(async () => {
      await library.refresh()
      return texts(library)
    })
    .toEqual(['.gitignore', 'data/big.txt'])
})

it('logs problems as warnings, and fails on errors with strict', async () => {
  const at = createProject({ ...PAGE, 'skills/bread/SKILL.md': BREAD, 'skills/empty/SKILL.md': '' })
  expect(await built(at)).toContain('skills/skillshelf.json')
  expect(at.warnings).toEqual([expect.stringMatching(/skills\/empty\/SKILL\.md .*left out/)])
  const says = /The skills in skills have errors; fix them, or remove the option strict/
  await expect(built(at, { strict: true })).rejects.toThrow(says)
})

it('[BY-5] fails a build without a usable skill', async () => {
  const at = createProject({
    ...PAGE,
    'skills/bread/SKILL.md': BREAD,
    'empty/notes.txt': 'x',
    'broken/a/SKILL.md': '',
  })
  const hint = /set `dir` to the folder of your skills/
  await expect(built(at, { dir: 'nope' })).rejects.toThrow(
    /No skills to build in nope: No such folder: /,
  )
  await expect(built(at, { dir: 'nope' })).rejects.toThrow(hint)
  await expect(built(at, { dir: 'empty' })).rejects.toThrow(/to build in empty: No SKILL\.md found/)
  expect(at.warnings).toEqual([])
  await expect(built(at, { dir: 'broken' })).rejects.toThrow(
    /No usable skill in broken; see the warnings/,
  )
  expect(at.warnings).toEqual([expect.stringMatching(/broken\/a\/SKILL\.md .*left out/)])
  expect(await built(at)).toContain('skills/skillshelf.json')
})

it.each([
  [{ dir: 5 as unknown as string }, '`dir` of skillshelf() must be a non-empty string'],
  [{ dir: '' }, '`dir` of skillshelf() must be a non-empty string'],
  [{ out: {} as unknown as string }, '`out` of skillshelf() must be a non-empty string'],
])('[BY-5] rejects the invalid options %j', (options, message) => {
  expect(() => skillshelf(options)).toThrow(
    expect.objectContaining({
      code: 'invalid-input',
      message: expect.stringContaining(`${message} (pass the path`),
    }),
  )
})

it('raises the build target in Vite 6, which lacks top-level await', () => {
  const { config } = skillshelf()
  const targetFor = (context: object, user: UserConfig): unknown =>
    (config as (user: UserConfig) => UserConfig).call(context, user).build?.target
  expect(targetFor({}, {})).toBe('es2022')
  expect(targetFor({}, { build: { target: 'chrome120' } })).toBeUndefined()
  expect(targetFor({ meta: { viteVersion: '8.0.0' } }, {})).toBeUndefined()
})

it('refuses an `out` outside the output folder', () => {
  expect(() => createProject({}).config({ out: '../elsewhere' })).toThrow(/Invalid path/)
})
