import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { connectLibrary } from '../../src/exports/client.js'
import { type LocalLibrary, openLibrary } from '../../src/exports/index.js'
import { bundled } from '../../src/exports/model.js'
import { learnedFile } from '../../src/exports/node.js'
import { createHandler } from '../../src/exports/server.js'
import { createSession } from '../../src/exports/session.js'
import type { LearnedStore } from '../../src/exports/sources.js'
import { temporaryFolder } from '../folders.js'

const FILES: Readonly<Record<string, string>> = {
  'deck/SKILL.md': '---\nname: deck\ndescription: Makes slides for a talk\n---\n',
  'sql/SKILL.md': '---\nname: sql\ndescription: Writes database queries\n---\n',
}

const newFile = (): string => join(temporaryFolder(), 'learned.json')

it('[BY-14] a file keeps messages for the next process, readable by its owner only', async () => {
  const path = newFile()
  {
    await using library = await openLibrary(FILES, { learn: learnedFile(path) })
    expect(await library.learned()).toEqual([])
    await Promise.all([library.learn('the usual', 'deck'), library.learn('numbers', 'sql')])
  }
  expect(JSON.parse(readFileSync(path, 'utf8'))).toHaveLength(2)
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
  await using library = await openLibrary(FILES, { learn: learnedFile(path) })
  expect((await library.match('the usual')).matches.map(({ name }) => name)).toEqual(['deck'])
})

it('[BY-14] a damaged file is reported and replaced; a file that cannot be read is not', async () => {
  const path = newFile()
  writeFileSync(path, '[{"skill":')
  const diagnostics: string[] = []
  const open = (path: string): Promise<LocalLibrary> =>
    openLibrary(FILES, {
      learn: learnedFile(path),
      onDiagnostic: ({ code }) => void diagnostics.push(code),
    })
  {
    await using library = await open(path)
    expect(diagnostics).toEqual(['learned-unreadable'])
    await library.learn('the usual', 'deck')
  }
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject([{ message: 'the usual', count: 1 }])
  await using library = await open(join(path, '..'))
  expect(diagnostics).toEqual(['learned-unreadable', 'learned-unreadable'])
  await expect(library.learn('the usual', 'deck')).rejects.toMatchObject({ code: 'EISDIR' })
})

it.each<[string, (library: LocalLibrary) => Promise<unknown>]>([
  ['everything', library => library.forget({ all: true })],
  ['a message', library => library.forget({ message: 'the usual' })],
])(
  '[BY-14] after %s is forgotten, nothing of it is in the folder, also of processes that were killed',
  async (_, forget) => {
    const path = newFile()
    const folder = join(path, '..')
    const learned = JSON.stringify([{ skill: 'deck', message: 'the usual', count: 1 }])
    // What a process leaves that is killed before it has written all, or before it renames the file.
    for (const [number, text] of [learned, learned.slice(0, 40), ''].entries())
      writeFileSync(`${path}.${[3_141_592_653, 27, 1_618][number]}`, text)
    const others = ['learned.json.bak', 'learned.json.1.txt', 'other.json.27', 'learned-json.27']
    for (const name of others) writeFileSync(join(folder, name), 'mine')
    mkdirSync(`${path}.5`)
    symlinkSync(join(folder, 'other.json.27'), `${path}.6`)
    await using library = await openLibrary(FILES, { learn: learnedFile(path) })
    await forget(library)
    expect(readdirSync(folder).sort()).toEqual(
      ['learned.json', 'learned.json.5', 'learned.json.6', ...others].sort(),
    )
    expect(readFileSync(path, 'utf8')).toBe('[]\n')
  },
)

it('[BY-14] a process that is killed while it learns leaves nothing that the next one does not remove', async () => {
  const path = newFile()
  const script = `
    import { learnedFile } from ${JSON.stringify(new URL('../../dist/exports/node.js', import.meta.url).href)}
    const store = learnedFile(${JSON.stringify(path)})
    const messages = Array.from({ length: 2000 }, (_, index) => ({ skill: 'deck', message: 'secret ' + index, count: 1 }))
    console.log('ready')
    for (;;) await store.save(messages)
  `
  for (let kill = 0; kill < 3; kill++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    await eventuallyLeft(path)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await using library = await openLibrary(FILES, { learn: learnedFile(path) })
  await library.forget({ all: true })
  expect(readdirSync(join(path, '..'))).toEqual(['learned.json'])
  expect(readFileSync(path, 'utf8')).not.toContain('secret')
})

/** Waits until there is a temporary file. */
async function eventuallyLeft(path: string): Promise<void> {
  const isLeft = () => readdirSync(join(path, '..')).some(name => /^learned\.json\.\d+$/.test(name))
  while (!isLeft()) await new Promise(resolve => setImmediate(resolve))
}

it('[BY-14] a message of the same meaning raises the skill, in another language too', async () => {
  await using library = await openLibrary(FILES, {
    learn: learnedFile(newFile()),
    embedder: bundled(),
  })
  const sql = async (message: string) =>
    (await library.search(message)).matches.find(({ name }) => name === 'sql')
  const messages = ['predicting the weather', '天气预报']
  const before = await Promise.all(messages.map(sql))
  await library.learn('weather forecast', 'sql')
  for (const [index, message] of messages.entries()) {
    const after = await sql(message)
    expect(after?.signals.learned).toEqual({ message: 'weather forecast', exact: false })
    expect(after?.score).toBeGreaterThan(before[index]?.score ?? 0)
  }
})

it('[BY-14] a message that is unrelated to those learned changes nothing, with a model', async () => {
  await using plain = await openLibrary(FILES, { embedder: bundled() })
  await using library = await openLibrary(FILES, {
    learn: learnedFile(newFile()),
    embedder: bundled(),
  })
  await library.learn('weather predictions for the next day', 'sql')
  for (const message of ['slides for a talk', 'Datenbank abfragen', '写一封信', 'qwxyz tomorrow'])
    expect(await library.search(message)).toEqual(await plain.search(message))
})

it('[BY-14] a remote library has nothing to learn with: no request is made for it', async () => {
  await using served = await openLibrary(FILES)
  const handler = createHandler({ library: served })
  const requests: string[] = []
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    requests.push(`${request.method} ${new URL(request.url).pathname}`)
    return handler.fetch(request)
  }
  await using remote = await connectLibrary('https://skills.example.com/', { fetch })
  const opened = [...requests]
  expect(opened).toHaveLength(1)
  for (const name of ['learns', 'learn', 'forget', 'learned', 'importLearned'])
    expect(remote).not.toHaveProperty(name)
  expect(() => createSession(remote, { learn: true })).toThrow(
    /"learn" needs a library that learns/,
  )
  expect(requests).toEqual(opened)
})

it('[BY-14] a library that learns is not served', async () => {
  await using library = await openLibrary(FILES, { learn: learnedFile(newFile()) })
  const response = await createHandler({ library }).fetch(
    new Request('http://localhost/v1/match?message=hello'),
  )
  expect(response.status).toBe(503)
  const problem = { code: 'source-failed', detail: expect.stringContaining('cannot be served') }
  expect(await response.json()).toMatchObject(problem)
})

it('[BY-14] learning makes no request', async () => {
  const fetch = vi.spyOn(globalThis, 'fetch')
  onTestFinished(() => fetch.mockRestore())
  const store: LearnedStore = { load: async () => undefined, save: async () => undefined }
  await using library = await openLibrary(FILES, { learn: store })
  await library.learn('the usual', 'deck')
  await library.match('the usual')
  await library.forget({ all: true })
  expect(fetch).not.toHaveBeenCalled()
})
