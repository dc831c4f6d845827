import { describe, expect, it } from 'vitest'
import { connectLibrary } from '../../src/exports/client.js'
import { memoryEngine, openEngineLibrary, publishToEngine } from '../../src/exports/engine.js'
import { memory, openLibrary, type SkillSource } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'
import {
  callTool,
  catalogSection,
  createSession,
  type SessionOptions,
} from '../../src/exports/session.js'
import { pack } from '../../src/exports/store.js'
import { parseSkill } from '../../src/skill/parse.js'
import { temporaryFolder } from '../folders.js'
import { cli } from '../node/cli-world.js'
import { packedFiles, packFiles } from '../packed-files.js'
import { manySkills } from '../pieces-world.js'

const skill = (name: string, requires = '', body = `Do ${name}.`): string =>
  `---\nname: ${name}\ndescription: Is good at ${name}.\n${requires && `requires: ${requires}\n`}---\n${body}\n`

/** A session over skills, and the names of the open ones. */
async function world(
  files: Readonly<Record<string, string>>,
  options: SessionOptions = {},
  source: SkillSource = memory(files),
) {
  const library = await openLibrary(source, { onDiagnostic: () => {}, embedder: false })
  const session = createSession(library, options)
  return { session, open: () => session.open.map(one => one.skill.name) }
}

const CHAIN = {
  'router/core/SKILL.md': skill('core'),
  'router/core/loading/SKILL.md': skill('loading', '[core]'),
  'router/react/SKILL.md': skill('react', '[core, core/loading]'),
  'other/core/SKILL.md': skill('core', '', 'Another core.'),
}

describe('skills that require others', () => {
  it.each([
    ['requires: [core, shop#tea]', ['core', 'shop#tea']],
    ['requires:\n  - core', ['core']],
    ['requires: core, tea', ['core', 'tea']],
    ['depends: core', ['core']],
    ['dependencies: [core, core]', ['core']],
    ['requires: { bins: [curl], skills: [core] }', ['core']],
    ['metadata:\n  requires: [core]', ['core']],
    ['requires: { bins: [curl], env: [KEY] }', undefined],
    ['requires: []', undefined],
  ])('[BY-38] reads %j', async (field, expected) => {
    const { metadata, diagnostics } = await parseSkill(
      `---\nname: a\ndescription: Does a.\n${field}\n---\nDo it.\n`,
    )
    expect(metadata.requires).toEqual(expected)
    expect(diagnostics.filter(({ code }) => code === 'field-type')).toEqual([])
  })

  it.each([
    ['a folder', async () => memory(CHAIN)],
    ['a packed library', async () => memory(await packedFiles(memory(CHAIN)))],
  ])('[BY-38] opens them before it, each once, the nearest of a name: %s', async (_, source) => {
    const { session, open } = await world(CHAIN, {}, await source())
    const { text } = await callTool(session, 'load_skill', { skill: 'react' })
    expect(open()).toEqual(['core', 'loading', 'react'])
    expect(session.open[0]?.skill.path).toBe('router/core')
    const places = ['core', 'loading', 'react'].map(name => text.indexOf(`Do ${name}.`))
    expect(places.every(place => place > 0)).toBe(true)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  it.each([
    [
      'in an engine',
      async () => {
        const parts = { engine: memoryEngine(), files: memory() }
        await publishToEngine(memory(CHAIN), parts)
        return openEngineLibrary({ ...parts, listUpTo: 0 })
      },
    ],
    [
      'in pieces',
      async () => {
        const files = await packFiles({ ...manySkills(), ...CHAIN }, 'm', { pieces: true })
        return openLibrary(memory(files), { embedder: false, onDiagnostic: () => {} })
      },
    ],
  ])('[BY-38] finds them in a library that lists no skill at first: %s', async (_, open) => {
    await using library = await open()
    expect(library.snapshot.skills).toEqual([])
    const session = createSession(library)
    expect((await session.load('react')).missing).toBeUndefined()
    expect(session.open.map(one => one.skill.path)).toEqual([
      'router/core',
      'router/core/loading',
      'router/react',
    ])
  })

  it('[BY-38] closes them with it, unless something else needs them', async () => {
    const { session, open } = await world({
      ...CHAIN,
      'router/vue/SKILL.md': skill('vue', '[core]'),
    })
    await session.load('react')
    await session.load('vue')
    await session.load('loading')
    session.unload('react')
    expect(open()).toEqual(['core', 'vue', 'loading'])
    session.unload('loading')
    expect(open()).toEqual(['core', 'vue'])
    session.unload('vue')
    expect(open()).toEqual([])
  })

  it('[BY-38] opens circles once, and says what is missing', async () => {
    const { session, open } = await world({
      'a/SKILL.md': skill('a', '[b, gone]'),
      'b/SKILL.md': skill('b', '[a]'),
    })
    const { missing, required } = await session.load('a')
    expect([open(), missing, required?.map(({ name }) => name)]).toEqual([
      ['b', 'a'],
      ['gone'],
      ['b'],
    ])
    session.unload('a')
    const { text } = await callTool(session, 'load_skill', { skill: 'a' })
    expect(text).toContain('<skill_missing name="gone">')
  })

  it('[BY-38] opens no more than the budget has room for', async () => {
    const { session, open } = await world(
      {
        'long/SKILL.md': skill('long', '', 'word '.repeat(3_000)),
        'short/SKILL.md': skill('short', '[long]'),
      },
      { budgets: { skill: 1_000 } },
    )
    expect((await session.load('short')).missing).toEqual(['long'])
    expect(open()).toEqual(['short'])
  })

  it('[BY-38] a host gets both, and the next turn reminds the model of them', async () => {
    const { session } = await world(CHAIN)
    const { required } = await session.load('loading')
    expect(required?.map(({ instructions }) => instructions)).toEqual(['Do core.'])
    const { messages } = await session.prepare({
      messages: [{ role: 'user', content: 'go on' }],
    })
    expect(JSON.stringify(messages)).toContain('<skill_open name=\\"core\\">')
  })

  it('[BY-38] lists, catalogs and prompts say what a skill requires', async () => {
    const files = memory(CHAIN, { name: 'm' })
    const packed = await packedFiles(files)
    const handler = createHandler({ library: openLibrary(files, { embedder: false }) })
    const fetch = async (input: RequestInfo | URL, init?: RequestInit) =>
      handler.fetch(new Request(input, init))
    const parts = { engine: memoryEngine(), files: memory() }
    await publishToEngine(files, parts)
    const libraries = [
      await openLibrary(files, { embedder: false }),
      await openLibrary(memory(packed), { embedder: false }),
      await connectLibrary('http://localhost/', { fetch }),
      await openEngineLibrary(parts),
    ]
    for (const library of libraries) {
      const requires = (await library.list()).flatMap(({ name, requires }) =>
        requires ? [[name, requires]] : [],
      )
      expect(requires.sort()).toEqual([
        ['loading', ['core']],
        ['react', ['core', 'core/loading']],
      ])
      const prompt = catalogSection(library.snapshot.skills)
      expect(prompt).toContain('Is good at react. Requires core, core/loading.<')
      const { text } = await callTool(createSession(library), 'search_skills', { query: 'react' })
      expect(text).toContain('Requires core, core/loading.')
    }
  })

  it('[BY-38] a catalog says nothing of what is not required', async () => {
    const { 'skillshelf.json': catalog } = await packFiles({ 'a/SKILL.md': skill('a') }, 'm')
    expect(new TextDecoder().decode(catalog)).not.toContain('requires')
  })

  it('[BY-38] validate and pack report what is missing, and circles', async () => {
    const files = {
      's/a/SKILL.md': skill('a', '[b, gone]'),
      's/b/SKILL.md': skill('b', '[a]'),
    }
    const { out } = await cli(['validate', 's', '--json'], { cwd: temporaryFolder(files) })
    const codes = JSON.parse(out).diagnostics.map(({ code }: { code: string }) => code)
    expect(codes).toEqual(expect.arrayContaining(['required-missing', 'required-circle']))
    const packing = pack(memory(files))
    let next = await packing.next()
    while (!next.done) next = await packing.next()
    expect(next.value.diagnostics.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'The skill requires "gone", which is not here',
        'Skills require each other in a circle: a, b, a',
      ]),
    )
  })
})
