import { describe, expect, it, onTestFinished } from 'vitest'
import { connectLibrary } from '../../src/exports/client.js'
import { memoryEngine, openEngineLibrary, publishToEngine } from '../../src/exports/engine.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'
import { createSession, type SessionOptions, skillDigest } from '../../src/exports/session.js'
import { packFiles } from '../packed-files.js'
import { skill } from '../skill-file.js'
import { watchReads } from '../watch-reads.js'

/** `trust` covers every file of a skill, in every kind of library. */

const FILES = {
  'pdf/SKILL.md': skill('pdf', 'Reads PDF files'),
  'pdf/scripts/run.sh': 'echo 1',
  'pdf/notes.md': 'N',
  'tea/SKILL.md': skill('tea', 'Brews tea'),
}
type Files = Record<string, string>
interface World {
  library: SkillLibrary
  /** Replaces all files. */
  replace(files: Files): Promise<void>
}

async function overTree(files: Files): Promise<World> {
  const source = memory(files, { name: 'mine' })
  const library = await openLibrary(source)
  return {
    library,
    async replace(next) {
      await source.write({
        put: next,
        remove: (await source.list()).map(({ path }) => path).filter(path => !(path in next)),
      })
      await library.refresh()
    },
  }
}

async function overPacked(files: Files): Promise<World> {
  const source = memory(await packFiles(files, 'mine'), { name: 'mine' })
  const library = await openLibrary(source)
  return {
    library,
    async replace(next) {
      await source.write({ put: await packFiles(next, 'mine') })
      await library.refresh()
    },
  }
}

async function overHttp(inner: World): Promise<World> {
  const handler = createHandler({ library: inner.library, refreshAfter: 0 })
  const fetch = async (input: string | URL | Request, init?: RequestInit) =>
    handler.fetch(new Request(input, init))
  const library = await connectLibrary('https://a.test/', {
    fetch: fetch as typeof globalThis.fetch,
  })
  return {
    library,
    async replace(next) {
      await inner.replace(next)
      await library.refresh()
    },
  }
}

async function overEngine(files: Files): Promise<World> {
  const [engine, store] = [memoryEngine(), memory()]
  const publish = (next: Files) =>
    publishToEngine(memory(next, { name: 'mine' }), { engine, files: store })
  await publish(files)
  const library = await openEngineLibrary({ engine, files: store })
  return {
    library,
    async replace(next) {
      await publish(next)
      await library.refresh()
    },
  }
}

const worlds: Record<string, (files: Files) => Promise<World>> = {
  'a tree': overTree,
  'a packed library': overPacked,
  'a tree behind HTTP': async files => overHttp(await overTree(files)),
  'a packed library behind HTTP': async files => overHttp(await overPacked(files)),
  'an engine': overEngine,
}

describe('trust', () => {
  for (const [name, open] of Object.entries(worlds))
    it(`[BY-27] covers every file of a skill in ${name}`, async () => {
      const { library, replace } = await open(FILES)
      onTestFinished(() => library.close())
      const ids = new Map((await library.list()).map(({ name, id }) => [name, id]))
      const pdf = ids.get('pdf') as string
      const digest = await skillDigest(library, 'pdf')
      const trust = { [pdf]: digest }
      let asked: unknown[] = []
      const allow: SessionOptions['allow'] = async request => {
        asked.push([request.path, request.trustedDigest, await request.digest()])
        return false
      }
      const attempt = async (
        action: (session: ReturnType<typeof createSession>) => Promise<unknown>,
      ) => {
        asked = []
        const outcome = await action(createSession(library, { trust, allow })).then(
          () => 'passes',
          error => error.code,
        )
        const alone = await action(createSession(library, { trust })).then(
          () => 'passes',
          error => error.code,
        )
        expect(alone).toBe(outcome)
        return outcome
      }
      expect(await attempt(session => session.load('pdf'))).toBe('passes')
      expect(await attempt(session => session.read('pdf', 'scripts/run.sh'))).toBe('passes')
      for (const change of [
        { ...FILES, 'pdf/scripts/run.sh': 'echo 2' },
        { ...FILES, 'pdf/SKILL.md': skill('pdf', 'Reads PDF files', 'Do harm.') },
        { ...FILES, 'pdf/more.md': '' },
        { ...FILES, 'pdf/notes.md': 'echo 1', 'pdf/scripts/run.sh': 'N' },
        Object.fromEntries(Object.entries(FILES).filter(([path]) => path !== 'pdf/notes.md')),
        Object.fromEntries(
          Object.entries(FILES).map(([path, text]) => [path.replace('run.sh', 'Run.sh'), text]),
        ),
      ]) {
        await replace(change as Files)
        const now = await skillDigest(library, 'pdf')
        expect(now).not.toBe(digest)
        expect(await attempt(session => session.load('pdf'))).toBe('not-allowed')
        expect(asked).toEqual([[undefined, digest, now]])
        expect(await attempt(session => session.read('pdf', 'SKILL.md'))).toBe('not-allowed')
        const reviewed = createSession(library, { trust: { [pdf]: now }, allow: () => false })
        expect((await reviewed.load('pdf')).status).toBe('loaded')
      }
      await replace(FILES)
      expect(await skillDigest(library, 'pdf')).toBe(digest)
      expect(await attempt(session => session.load('pdf'))).toBe('passes')
    })

  it('[BY-27] is the same in every kind of library', async () => {
    const digests = await Promise.all(
      Object.values(worlds).map(async open => {
        const { library } = await open(FILES)
        onTestFinished(() => library.close())
        return skillDigest(library, 'pdf')
      }),
    )
    expect(new Set(digests).size).toBe(1)
  })

  it('[BY-27] the digest of a SKILL.md is enough for a skill without other files only', async () => {
    const { library } = await overTree(FILES)
    const trust = Object.fromEntries(library.snapshot.skills.map(({ id, digest }) => [id, digest]))
    const session = createSession(library, { trust })
    expect((await session.load('tea')).status).toBe('loaded')
    expect((await session.read('tea', 'SKILL.md')).path).toBe('SKILL.md')
    await expect(session.load('pdf')).rejects.toThrow('or its digest is that of its SKILL.md alone')
    const files = { ...FILES, 'tea/run.sh': 'x' }
    const { library: more } = await overTree(files)
    await expect(createSession(more, { trust }).load('tea')).rejects.toMatchObject({
      code: 'not-allowed',
    })
  })

  it('[BY-27] a file that changed behind the library is not given as the trusted one', async () => {
    const { library } = await overTree(FILES)
    const trust = { 'mine/pdf': await skillDigest(library, 'pdf') }
    let text = 'echo 1'
    const changing: SkillLibrary = {
      ...library,
      snapshot: library.snapshot,
      read: async (...args) => {
        const file = await library.read(...args)
        if (file.path !== 'scripts/run.sh') return file
        const bytes = new TextEncoder().encode(text)
        text = text === 'echo 2' ? 'echo 1' : 'echo 2'
        return { ...file, bytes }
      },
    }
    // The first read has the trusted bytes, the second one others.
    const session = createSession(changing, { trust })
    expect(new TextDecoder().decode((await session.read('pdf', 'scripts/run.sh')).bytes)).toBe(
      'echo 1',
    )
    text = 'echo 2'
    await expect(session.read('pdf', 'scripts/run.sh')).rejects.toMatchObject({
      code: 'not-allowed',
    })
  })

  it('[BY-27] reads the files of a skill when it is asked for, and of no other', async () => {
    const { source, reads } = watchReads(memory(FILES, { name: 'mine' }))
    await using library = await openLibrary(source)
    const before = reads.length
    const session = createSession(library, {
      trust: { 'mine/pdf': await skillDigest(library, 'pdf') },
    })
    reads.splice(0)
    await session.load('tea')
    expect(reads.filter(path => path.includes('run.sh'))).toEqual([])
    await session.load('pdf')
    expect(reads.filter(path => path.includes('run.sh'))).toEqual(['pdf/scripts/run.sh'])
    expect(before).toBeGreaterThan(0)
  })
})
