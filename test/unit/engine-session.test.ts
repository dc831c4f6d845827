import { describe, expect, it } from 'vitest'
import { connectLibrary } from '../../src/exports/client.js'
import type { EngineLibrary } from '../../src/exports/engine.js'
import { memoryEngine, openEngineLibrary, publishToEngine } from '../../src/exports/engine.js'
import { type SkillLibrary, SkillshelfError } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'
import { createSession } from '../../src/exports/session.js'
import { memory } from '../../src/source/memory.js'

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nSteps of ${name}.\n`

/** A library that lists no skill when it opens, as one of more than a thousand skills. */
async function openUnlisted(): Promise<EngineLibrary> {
  const engine = memoryEngine()
  const files = memory()
  const skills = memory({
    'pdf/SKILL.md': skill('pdf', 'Reads and merges PDF files.'),
    'pdf/notes.md': 'Use pdftotext.',
    'chart/SKILL.md': skill('chart', 'Draws bar charts of sales.'),
    'people/SKILL.md': skill(
      'people',
      'Draws charts of organizations.\ndisable-model-invocation: true',
    ),
  })
  await publishToEngine(skills, { engine, files })
  return openEngineLibrary({ engine, files, listUpTo: 0 })
}

/** The same library behind HTTP. */
async function connectUnlisted(asked: string[] = []): Promise<SkillLibrary> {
  const handler = createHandler({ library: openUnlisted() })
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    asked.push(new URL(request.url).pathname)
    return handler.fetch(request)
  }
  return connectLibrary('http://localhost/', { fetch })
}

it('[BY-15] an engine that is down leaves opened skills readable by id and by name', async () => {
  const engine = memoryEngine()
  const files = memory()
  const pdf = skill('pdf', 'Reads PDF files.\ndisplay_name: PDF files')
  const skills = memory({ 'pdf/SKILL.md': pdf, 'tea/SKILL.md': skill('tea', 'Brews tea.') })
  await publishToEngine(skills, { engine, files })
  let isDown = false
  const find: typeof engine.find = async (...query) => {
    if (isDown) throw new SkillshelfError('source-failed', 'the engine is down')
    return engine.find(...query)
  }
  await using library = await openEngineLibrary({ engine: { ...engine, find }, files, listUpTo: 0 })
  await library.get('memory/pdf')
  isDown = true
  for (const name of ['memory/pdf', 'pdf', 'PDF', 'PDF files'])
    expect((await library.get(name)).instructions).toBe('Steps of pdf.')
  expect((await library.read('pdf', 'SKILL.md')).text).toContain('Steps of pdf.')
  await expect(library.get('tea')).rejects.toMatchObject({ code: 'source-failed' })
})

describe.each([
  ['in an engine', openUnlisted],
  ['in an engine behind HTTP', connectUnlisted],
])('a session over a library %s that lists no skill', (_, open) => {
  it('[BY-15] [BY-7] finds, opens and reads skills by tools', async () => {
    await using library = await open()
    expect(library.snapshot.skills).toEqual([])
    const session = createSession(library)
    const call = async (name: string, input: Record<string, string>) => {
      const tool = session.dialect.tools(session).find(one => one.name === name)
      return (await tool?.execute(input))?.text
    }
    expect(await call('search_skills', { query: 'draw charts' })).toMatch(
      /^<skills>\n<skill>\n<name>chart<\/name>/,
    )
    expect(await call('search_skills', { query: 'charts of organizations' })).not.toContain(
      'people',
    )
    expect(await call('load_skill', { skill: 'pdf' })).toContain('Steps of pdf.')
    expect(await call('read_skill_file', { skill: 'pdf', path: 'notes.md' })).toContain(
      'Use pdftotext.',
    )
  })

  it('[BY-15] [BY-7] prepares a turn with the matching skill', async () => {
    await using library = await open()
    const session = createSession(library)
    const { matches, tail } = await session.prepare('merge these PDF files')
    expect(matches.map(({ name }) => name)).toEqual(['pdf'])
    expect(tail).toContain('pdf')
  })

  it('[BY-15] [BY-7] a session over a part finds what is in it', async () => {
    await using library = await open()
    const session = createSession(library, { only: ['pdf'] })
    const { matches } = await session.prepare('merge these PDF files')
    expect(matches.map(({ name }) => name)).toEqual(['pdf'])
    expect((await session.prepare('draw bar charts of sales')).matches).toEqual([])
  })

  it('[BY-15] [BY-7] obeys ids', async () => {
    await using library = await open()
    const ids = ['memory/pdf', 'memory/gone']
    expect((await library.list({ ids })).map(({ id }) => id)).toEqual(['memory/pdf'])
    const { skills } = (await library.page?.({ ids: ['memory/chart'] })) ?? {}
    expect(skills?.map(({ id }) => id)).toEqual(['memory/chart'])
    const { matches } = await library.search('draw bar charts of sales', { ids })
    expect(matches.map(({ id }) => id)).not.toContain('memory/chart')
  })
})

it('[BY-15] [BY-7] connectLibrary lists a library without a snapshot by pages, finds and opens its skills', async () => {
  const asked: string[] = []
  await using library = await connectUnlisted(asked)
  expect(library.snapshot).toMatchObject({ skills: [], total: 3 })
  expect((await library.list()).map(({ name }) => name)).toEqual(['chart', 'pdf', 'people'])
  expect((await library.list({ origins: ['elsewhere'] })).length).toBe(0)
  expect(asked).toEqual(['/v1/library', '/v1/skills', '/v1/skills'])
  expect((await library.match('merge these PDF files')).matches.map(({ name }) => name)).toEqual([
    'pdf',
  ])
  expect((await library.get('pdf')).instructions).toBe('Steps of pdf.')
  const first = await library.page?.({ limit: 2 })
  const rest = await library.page?.({ limit: 2, cursor: first?.next })
  const names = [...(first?.skills ?? []), ...(rest?.skills ?? [])].map(({ name }) => name)
  expect(names.sort()).toEqual(['chart', 'pdf', 'people'])
  expect(rest?.next).toBeUndefined()
})
