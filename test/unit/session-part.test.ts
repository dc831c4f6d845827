import { describe, expect, it } from 'vitest'
import { connectLibrary } from '../../src/exports/client.js'
import { manusX, omniEmployee } from '../../src/exports/dialects.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'
import { callTool, createSession, type SessionOptions } from '../../src/exports/session.js'
import { skill } from '../skill-file.js'

const FILES = {
  'pdf/SKILL.md': skill('pdf', 'Extracts tables from PDF documents', 'Do.', 'tags: [Office]\n'),
  'forms/SKILL.md': skill('forms', 'Fills the forms of PDF documents', 'Do.', 'tags: [office]\n'),
  'tea/SKILL.md': skill('tea', 'Brews tea', 'Boil.'),
  'tea/green/SKILL.md': skill('green', 'Brews green tea', 'Boil less.'),
  'deploy/SKILL.md': skill('deploy', 'Deploys the service to production', 'Ship.'),
}
const ASKS_PDF = 'extract the tables from this PDF document'
const open = (): Promise<SkillLibrary> => openLibrary(memory(FILES, { name: 'mine' }))

/** Everything of a session that a model sees. */
async function seen(library: SkillLibrary, options: SessionOptions): Promise<string> {
  const session = createSession(library, options)
  const texts: string[] = []
  for (const message of [ASKS_PDF, 'brew green tea', 'ship the service to production']) {
    const { system, tail } = await session.prepare(message)
    texts.push(system, tail)
    for (const { name } of session.tools().filter(({ name }) => name.startsWith('search'))) {
      texts.push((await callTool(session, name, { query: message })).text)
    }
  }
  texts.push(...session.tools().map(({ description }) => description))
  return texts.join('\n')
}

describe('only', () => {
  it.each<[string, SessionOptions['only']]>([
    ['names', ['PDF', 'mine/forms']],
    ['tags', { tags: ['OFFICE'] }],
    ['a function', ({ tags }) => tags.some(tag => /office/i.test(tag))],
  ])('[BY-23] a session over a part of a library by %s has nothing else', async (_, only) => {
    await using library = await open()
    const text = await seen(library, { only })
    expect(text).toMatch(/<name>pdf<[\s\S]*<name>forms</)
    expect(text).not.toMatch(/tea|green|deploy<|production\b.*<\/description>/i)
    const session = createSession(library, { only })
    expect(session.library.snapshot.skills.map(({ name }) => name).sort()).toEqual(['forms', 'pdf'])
    for (const by of ['model', 'user', 'host'] as const) {
      await expect(session.load('tea', { by })).rejects.toMatchObject({ code: 'skill-not-found' })
    }
    await expect(session.read('tea', 'SKILL.md')).rejects.toMatchObject({ code: 'skill-not-found' })
    const { text: error } = await callTool(session, 'load_skill', { skill: 'te' })
    expect(error).not.toContain('tea')
    expect((await session.library.list()).map(({ name }) => name)).toEqual(['forms', 'pdf'])
    expect((await session.load('pdf')).status).toBe('loaded')
  })

  it('[BY-2] scores are those of a library with these skills alone', async () => {
    await using library = await open()
    await using small = await openLibrary(
      memory({ 'pdf/SKILL.md': FILES['pdf/SKILL.md'] }, { name: 'mine' }),
    )
    const part = createSession(library, { only: ['pdf'] })
    const { matches } = await part.prepare(ASKS_PDF)
    const alone = (await createSession(small).prepare(ASKS_PDF)).matches
    expect(matches.map(({ id, score }) => [id, score])).toEqual(
      alone.map(({ id, score }) => [id, score]),
    )
    expect((await part.prepare('brew green tea')).matches).toEqual([])
  })

  it('a library that ignores the ids of a part does not turn its second skill into a match', async () => {
    await using library = await open()
    const match: SkillLibrary['match'] = (query, { ids: _, ...options } = {}) =>
      library.match(query, options)
    const remote = Object.assign(Object.create(library) as SkillLibrary, { match })
    const { matches } = await createSession(remote, { only: ['tea', 'deploy'] }).prepare(ASKS_PDF)
    expect(matches).toEqual([])
  })

  it('[BY-7] [BY-23] a session over a part of a library behind HTTP has nothing else', async () => {
    const handler = createHandler({ library: open() })
    const fetch = async (input: RequestInfo | URL, init?: RequestInit) =>
      handler.fetch(new Request(input, init))
    await using library = await connectLibrary('http://localhost/', { fetch })
    const session = createSession(library, { only: ['tea', 'pdf'] })
    const { matches } = await session.prepare(ASKS_PDF)
    expect(matches.map(({ name }) => name)).toEqual(['pdf'])
    expect((await session.prepare('ship the service to production')).matches).toEqual([])
  })

  it('[BY-21] it follows the library, and a nested skill outside of the part cannot be read', async () => {
    const source = memory(FILES, { name: 'mine' })
    await using library = await openLibrary(source)
    const session = createSession(library, { only: ['tea', 'cocoa'] })
    await expect(session.read('tea', 'green/SKILL.md')).rejects.toMatchObject({
      code: 'resource-not-found',
    })
    await source.write({ put: { 'cocoa/SKILL.md': skill('cocoa', 'Makes cocoa', 'Stir.') } })
    await library.refresh()
    expect(session.offered.map(({ name }) => name)).toEqual(['cocoa', 'tea'])
  })

  it('rejects wrong values', async () => {
    await using library = await open()
    const only = '"only" must be names of skills, { tags: […] } or a function'
    for (const [options, says] of [
      [{ only: 'pdf' }, only],
      [{ only: { tags: 'office' } }, only],
      [{ skills: { pdf: 'hidden' } }, "\"skills.pdf\" must be one of 'pinned', 'name-only'"],
      [{ skills: ['pdf'] }, '"skills" must be an object'],
    ] as [never, string][]) {
      expect(() => createSession(library, options)).toThrow(says)
    }
  })
})

describe('skills', () => {
  it('pinned skills leave a short list last, in each dialect', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`s${at}/SKILL.md`, skill(`s${at}`, `Does ${at}`)]),
    )
    await using library = await openLibrary(memory(files))
    for (const dialect of [undefined, manusX, omniEmployee]) {
      const options = { dialect, catalogTokens: 130 }
      const lists = async (skills: SessionOptions['skills']) =>
        /\bs59\b/.test((await createSession(library, { ...options, skills }).prepare('Hm')).system)
      expect(await lists({})).toBe(false)
      expect(await lists({ s59: 'pinned' })).toBe(true)
    }
  })

  it('of a name-only skill the list has the name', async () => {
    await using library = await open()
    for (const [dialect, line] of [
      [undefined, '<name>pdf</name>\n</skill>'],
      [manusX, '- pdf\n'],
    ] as const) {
      const session = createSession(library, { dialect, skills: { pdf: 'name-only' } })
      const { system, matches } = await session.prepare(ASKS_PDF)
      expect(system).toContain(line)
      expect(system).not.toContain('Extracts')
      expect(matches[0]?.name).toBe('pdf')
    }
  })

  it('a manual skill is in no list and no search, and the model may open it once the user names it', async () => {
    await using library = await open()
    const options: SessionOptions = { skills: { deploy: 'manual' } }
    expect(await seen(library, options)).not.toContain('Deploys')
    const session = createSession(library, options)
    const asks = await session.prepare('ship the service to production')
    expect([asks.matches, asks.tail]).toEqual([[], ''])
    const early = await callTool(session, 'load_skill', { skill: 'deploy' })
    expect(early.text).toContain('can only be opened by people')
    const { tail, system } = await session.prepare('run the deploy skill')
    expect(tail).toContain('<name>deploy</name>')
    expect(system).not.toContain('deploy')
    expect((await callTool(session, 'load_skill', { skill: 'deploy' })).isError).toBe(false)
    expect((await session.prepare('run the deploy skill')).tail).not.toContain('<name>deploy<')
  })
})

describe('allow', () => {
  it('[BY-21] a skill that it refused is not offered again until it is allowed or changes', async () => {
    const source = memory(FILES, { name: 'mine' })
    await using library = await openLibrary(source)
    let answer = false
    const session = createSession(library, { allow: ({ skill }) => skill.name !== 'pdf' || answer })
    expect((await session.prepare(ASKS_PDF)).tail).toContain('<name>pdf</name>')
    await callTool(session, 'load_skill', { skill: 'pdf' })
    const { system, tail, matches } = await session.prepare(ASKS_PDF)
    expect([system, tail].join()).not.toContain('<name>pdf</name>')
    expect(matches.map(({ name }) => name)).not.toContain('pdf')
    const found = await callTool(session, 'search_skills', { query: ASKS_PDF })
    expect(found.text).not.toContain('<name>pdf<')
    await source.write({ put: { 'pdf/SKILL.md': skill('pdf', 'Extracts tables of PDF', 'Do.') } })
    await library.refresh()
    expect((await session.prepare(ASKS_PDF)).system).toContain('<name>pdf</name>')
    await callTool(session, 'load_skill', { skill: 'pdf' })
    expect(session.offered.map(({ name }) => name)).not.toContain('pdf')
    answer = true
    await session.load('pdf')
    expect(session.offered.map(({ name }) => name)).toContain('pdf')
  })
})
