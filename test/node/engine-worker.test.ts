import { readFileSync } from 'node:fs'
import { appendFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { r2 } from '../../src/exports/cloudflare.js'
import { openEngineLibrary, publishToEngine, qdrant } from '../../src/exports/engine.js'
import { createHandler } from '../../src/exports/server.js'
import { writeArchive } from '../../src/source/archive/write.js'
import { memory } from '../../src/source/memory.js'
import { deferred } from '../deferred.js'
import { SAMPLE_COUNT } from '../samples.js'
import { manySkills } from './cli-publish-fixtures.js'
import { cli, demo, skill, temporaryFolder } from './cli-world.js'
import {
  buildWorker,
  type EngineProxy,
  type RunningWorker,
  startProxy,
  TOKEN,
} from './engine-worker-world.js'
import { hasQdrant, type QdrantStandIn, startQdrant } from './qdrant/stand-in.js'
import { connectMcp } from './serve-world.js'

const KEY = 'engine-key'
const tea = { 'skills/tea/SKILL.md': skill('tea', 'Brews green tea.') }
const ppt = { 'skills/ppt/SKILL.md': skill('ppt', 'Makes slides for talks and launches.') }
const ink = { 'skills/ink/SKILL.md': skill('ink', 'Mixes black ink.') }

/** Calls tools of a client. */
const calling = (client: Client) => async (name: string, input: Record<string, string>) =>
  JSON.stringify((await client.callTool({ name, arguments: input })).content)

let workerd: RunningWorker
beforeAll(async () => {
  workerd = await buildWorker('test/workerd/bindings.ts').start()
})
afterAll(() => workerd?.stop())

it('[BY-16] a Worker is warm before its first request, with and without a model', async () => {
  expect(await (await workerd.fetch('')).json()).toEqual([true, true])
})

/** The Worker of the repository in workerd, with R2, and the engine's own shard code behind HTTP. */
describe.skipIf(!hasQdrant)('a Worker with a library in Qdrant', () => {
  let engine: QdrantStandIn
  let proxy: EngineProxy
  let worker: ReturnType<RunningWorker['withBindings']>
  let collections = 0
  let collection = ''

  beforeAll(async () => {
    engine = await startQdrant({ key: KEY })
    proxy = await startProxy(engine.url)
  })
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]()
    await engine?.stop()
  })
  beforeEach(async () => {
    collection = `worker-${++collections}`
    await workerd.clear()
    worker = workerd.withBindings({
      QDRANT_URL: proxy.url,
      QDRANT_API_KEY: KEY,
      QDRANT_COLLECTION: collection,
      QDRANT_TIMEOUT: '60000',
    })
  })
  afterEach(() => {
    proxy.intercept = undefined
  })

  /** The last option of a name counts. */
  const publish = (
    cwd: string,
    argv: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    io: Omit<Parameters<typeof cli>[1], 'cwd' | 'env'> = {},
  ) =>
    cli(
      [
        'publish',
        '--to',
        worker.address,
        '--engine',
        proxy.url,
        '--collection',
        collection,
        ...argv,
      ],
      {
        ...io,
        cwd,
        env: { SKILLSHELF_TOKEN: TOKEN, QDRANT_API_KEY: KEY, ...env },
      },
    )
  const get = async (path: string, init?: RequestInit) => {
    const response = await worker.fetch(path, init)
    // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
    const body: any = await response.json()
    return { status: response.status, headers: response.headers, body }
  }
  const find = async (message: string) =>
    (await get(`v1/match?message=${encodeURIComponent(message)}`)).body.matches[0]?.name

  /** Holds requests of this path. */
  const holdAt = (at: EngineProxy, wanted: string) => {
    const [reached, held] = [deferred(), deferred()]
    at.intercept = async path => {
      if (path !== wanted) return undefined
      reached.resolve()
      await held.promise
      return undefined
    }
    return { reached: reached.promise, release: held.resolve }
  }

  it('[BY-15] [BY-5] skillshelf publish --engine fills it, and every read works with one request to the engine', async () => {
    expect((await get('v1/match?message=make+slides')).body).toMatchObject({
      matches: [],
      abstained: 'empty-library',
    })
    expect(proxy.takeRequests()).toEqual([])
    expect(await publish(demo, ['.'])).toMatchObject({
      code: 0,
      out: `${SAMPLE_COUNT} added, 0 retired, ${SAMPLE_COUNT} skills in revision 1 of skills\n`,
    })
    const own = /^engine\/skills\/(files\/|counts\/|skillshelf\.json$)/
    expect((await workerd.keys()).filter(key => !own.test(key))).toEqual([])

    proxy.takeRequests()
    const matched = await get('v1/match?message=make+slides+about+our+launch')
    expect(matched.body.model).toMatch(/^hybrid\//)
    expect(matched.body.matches[0]?.name).toBe('ppt')
    expect(proxy.takeRequests()).toEqual([`POST /collections/${collection}/points/query/batch`])
    expect((await get('v1/search?message=make+slides')).body.matches).toHaveLength(5)
    expect(proxy.takeRequests()).toHaveLength(1)
    const opened = await get('v1/skills/skills/ppt')
    expect(opened.body).toMatchObject({
      id: 'skills/ppt',
      instructions: expect.stringContaining('#'),
    })
    expect((await worker.fetch('v1/skills/skills/ppt/files/SKILL.md')).status).toBe(200)
    expect((await get('v1/explain?message=make+slides&skill=ppt')).body).toMatchObject({ rank: 1 })

    await using client = await connectMcp(worker.address)
    const call = calling(client)
    expect(await call('search_skills', { query: 'make slides' })).toContain('ppt')
    expect(await call('load_skill', { skill: 'ppt' })).toContain('skill')

    // A match reads no file: neither of the skills nor the head.
    await workerd.clear()
    proxy.takeRequests()
    expect(await find('make slides about our launch')).toBe('ppt')
    expect(proxy.takeRequests()).toHaveLength(1)
  })

  it('[BY-15] [BY-5] publishes only what changed, and nothing the second time', async () => {
    const cwd = temporaryFolder({ ...tea, ...ink, ...ppt })
    expect((await publish(cwd)).out).toContain('3 added')
    proxy.takeRequests()
    expect(await publish(cwd)).toMatchObject({
      code: 0,
      out: 'nothing to change, 3 skills in revision 1 of skills\n',
    })
    // It checks that the collection has rows.
    expect(proxy.takeRequests().filter(path => !/\/(?:exists|index|scroll)$/.test(path))).toEqual(
      [],
    )
    expect(await find('brew some green tea')).toBe('tea')

    await rm(join(cwd, 'skills/tea'), { recursive: true })
    await appendFile(join(cwd, 'skills/ppt/SKILL.md'), '\nMore.\n')
    expect((await publish(cwd, ['--dry-run'])).out).toBe(
      '1 to add, 2 to retire, 2 skills in revision 2 of skills\n',
    )
    expect(await find('brew some green tea')).toBe('tea')
    const summary = {
      library: 'skills',
      revision: 2,
      skills: 2,
      added: 1,
      retired: 2,
      dryRun: false,
    }
    expect((await publish(cwd, ['--json'])).json()).toMatchObject(summary)
    expect(await find('brew some green tea')).not.toBe('tea')
    expect((await get('v1/skills/skills/ppt')).body.instructions).toContain('More.')
  })

  it('[BY-15] [BY-5] a second publisher loses, and the first one ends as if it was alone', async () => {
    const one = temporaryFolder(tea)
    const two = temporaryFolder(ink)
    const { reached, release } = holdAt(proxy, `PUT /collections/${collection}/points`)
    const first = publish(one)
    await reached
    const second = await publish(two)
    expect(second).toMatchObject({ code: 2, out: '' })
    expect(second.err).toContain('Other skills are being published to skills since')
    release()
    expect(await first).toMatchObject({
      code: 0,
      out: '1 added, 0 retired, 1 skill in revision 1 of skills\n',
    })
    expect(await find('mix black ink')).toBeUndefined()
    expect(await find('brew green tea')).toBe('tea')
  })

  it('[BY-15] [BY-5] of two publishers that read the same head, the later one loses', async () => {
    const one = temporaryFolder(tea)
    const two = temporaryFolder(ink)
    await using slow = await startProxy(worker.address.replace(/\/$/, ''))
    const { reached, release } = holdAt(slow, 'POST /v1/engine')
    // It has read the head when it writes its mark.
    const late = publish(two, ['--to', slow.url])
    await reached
    expect((await publish(one)).code).toBe(0)
    release()
    expect(await late).toMatchObject({
      code: 2,
      err: expect.stringContaining('was changed by another writer'),
    })
    expect(await find('brew green tea')).toBe('tea')
    expect((await publish(one)).out).toContain('nothing to change')
  })

  it('[BY-15] [BY-5] a publish survives a lost response to its last write', async () => {
    const cwd = temporaryFolder(tea)
    await using lossy = await startProxy(worker.address.replace(/\/$/, ''))
    let lost = 0
    lossy.after = async path => {
      if (path !== 'POST /v1/engine' || ++lost % 2 === 0) return undefined
      return new Response('', { status: 502, headers: { 'retry-after': '0' } })
    }
    expect(await publish(cwd, ['--to', lossy.url])).toMatchObject({
      code: 0,
      out: '1 added, 0 retired, 1 skill in revision 1 of skills\n',
    })
    expect(lost).toBeGreaterThan(3)
    expect(await find('brew green tea')).toBe('tea')
  })

  it('[BY-15] [BY-5] an interrupted publish goes on where it stopped', async () => {
    // More than one batch. One skill has more than its SKILL.md.
    const skills = Object.entries(manySkills(260)).filter(
      ([path]) => path.endsWith('/SKILL.md') || path.endsWith('/259.md'),
    )
    const cwd = temporaryFolder(Object.fromEntries(skills))
    const stopping = new AbortController()
    let batches = 0
    proxy.intercept = async path => {
      if (!path.startsWith('PUT') || !path.endsWith('/points') || ++batches < 2) return undefined
      stopping.abort()
      return new Response('', { status: 503 })
    }
    const progress = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
    const interrupted = await publish(cwd, [], {}, { progress, signal: stopping.signal })
    expect(interrupted).toMatchObject({
      code: 130,
      err: expect.stringContaining('run it again to go on'),
    })
    expect(String(progress.read())).toMatch(/writing .*256\/260/)
    proxy.intercept = undefined
    expect((await get('v1/match?message=case')).body.abstained).toBe('empty-library')
    expect((await publish(cwd)).out).toBe(
      '4 added, 0 retired, 260 skills in revision 1 of skills\n',
    )
    expect(await (await worker.fetch('v1/skills/skills/skill-259/files/notes/259.md')).text()).toBe(
      'Notes on 259.\n',
    )
    expect((await get('v1/skills/skills/skill-000')).body.name).toBe('skill-000')
  })

  it('[BY-15] [BY-5] refuses a wrong token, a wrong key, another library and an unreadable folder', async () => {
    const cwd = temporaryFolder(tea)
    const errorOf = async (...args: Parameters<typeof publish>) => {
      const { code, err } = await publish(...args)
      expect(code).toBe(2)
      return err
    }
    expect(await errorOf(cwd, [], { SKILLSHELF_TOKEN: 'wrong' })).toContain('rejected the token')
    expect(await errorOf(cwd, [], { QDRANT_API_KEY: 'wrong' })).toContain('answered 403: Forbidden')
    expect(await errorOf(cwd, ['--library', 'other'])).toContain(
      'serves the library skills, not other',
    )
    expect(await errorOf(cwd, ['--prune'])).toContain('exclude each other')
    expect(await errorOf(temporaryFolder({ 'skills/x.txt': '' }))).toContain('has no skills')
    const env = { SKILLSHELF_TOKEN: TOKEN }
    const without = (...argv: string[]) =>
      cli(['publish', '--to', worker.address, ...argv], { cwd, env })
    expect((await without('--library', 'x')).err).toContain('need `--engine`')
    expect((await without()).err).toContain('use: skillshelf publish --engine')
    const plain = workerd.withBindings({})
    const refused = await cli(['publish', '--to', plain.address, '--engine', proxy.url], {
      cwd,
      env,
    })
    const needed = 'the Worker of skillshelf needs QDRANT_URL'
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(needed)])
    expect(await publish(cwd)).toMatchObject({ code: 0 })
  })

  it('[BY-15] [BY-9] refuses other writes, and files that no publish writes', async () => {
    const authorization = `Bearer ${TOKEN}`
    const headers = { authorization, 'content-type': 'text/markdown' }
    const put = await get('v1/store/tea', {
      method: 'PUT',
      headers,
      body: tea['skills/tea/SKILL.md'],
    })
    expect(put).toMatchObject({
      status: 403,
      body: { code: 'not-allowed', hint: 'use: skillshelf publish --engine' },
    })
    const upload = async (path: string, headers: Record<string, string> = {}, query = '') =>
      get(`v1/engine${query}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/zip', ...headers },
        body: await writeArchive({ [path]: '{}' }, { format: 'zip' }),
      })
    for (const path of ['index.html', 'files/a/b.md', 'skillshelf.json'])
      expect([path, (await upload(path)).status]).toEqual([path, 400])
    expect((await upload('files/a.md', {}, '?remove=skillshelf.json')).status).toBe(400)
    expect((await upload('files/a.md', { authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await get('v1/engine')).status).toBe(401)
    expect(await workerd.keys()).toEqual([])
    expect(await upload('files/a.md')).toMatchObject({ status: 200, body: { stored: 1 } })
    expect(await workerd.keys()).toEqual(['engine/skills/files/a.md'])
  })

  it('[BY-15] [BY-5] --no-meaning publishes without vectors, and --replicas is passed on', async () => {
    const bodies: string[] = []
    await using recording = await startProxy(proxy.url)
    recording.body = (path, body) =>
      void (path === `PUT /collections/${collection}` && bodies.push(body))
    const options = ['--engine', recording.url, '--no-meaning', '--replicas', '2']
    expect(await publish(temporaryFolder(tea), options)).toMatchObject({ code: 0 })
    expect(bodies.map(body => JSON.parse(body))).toMatchObject([{ replication_factor: 2 }])
    expect(await find('brew green tea')).toBe('tea')
    expect((await get('v1/library')).body.diagnostics).toMatchObject([{ code: 'vectors-missing' }])
  })

  it('[BY-15] answers 503 with Retry-After while the engine is down, and recovers', async () => {
    await publish(temporaryFolder({ ...ppt, ...ink }))
    expect(await find('make slides about our launch')).toBe('ppt')
    expect((await get('v1/skills/skills/ppt')).status).toBe(200)
    proxy.intercept = async () => new Response('no upstream', { status: 502 })
    const failed = await get('v1/match?message=make+slides')
    expect(failed).toMatchObject({ status: 503, body: { code: 'source-failed' } })
    expect(Number(failed.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await get('v1/health')).status).toBe(200)
    // It was opened before.
    expect((await get('v1/skills/skills/ppt')).body.instructions).not.toBe('')
    expect((await worker.fetch('v1/skills/skills/ppt/files/SKILL.md')).status).toBe(200)
    expect((await get('v1/skills/skills/ink')).status).toBe(503)
    proxy.intercept = undefined
    expect(await find('make slides about our launch')).toBe('ppt')
  })

  it('[BY-15] a library of more skills than a snapshot lists is read by REST and MCP', async () => {
    const many = Object.entries(manySkills(1_200)).map(([path, text]) => [
      path.replace(/^skills\//, ''),
      text,
    ])
    const engine = qdrant({
      url: proxy.url,
      apiKey: KEY,
      collection,
      library: 'skills',
      timeout: 30_000,
    })
    const stored = memory({})
    await publishToEngine(memory(Object.fromEntries(many), { name: 'skills' }), {
      engine,
      files: stored,
    })
    await using fresh = await openEngineLibrary({ engine, files: stored })
    const handler = createHandler({ library: fresh })
    const read = async (path: string) =>
      (await (await handler.fetch(new Request(`http://localhost/${path}`))).json()) as Record<
        string,
        unknown
      >
    expect(await read('v1/health')).toMatchObject({ skills: 1_200 })
    expect(await read('.well-known/agent-skills/index.json')).toMatchObject({
      code: 'resource-not-found',
      status: 404,
    })
    const names = new Set<unknown>()
    let cursor: unknown = ''
    while (cursor !== undefined) {
      const page = await read(`v1/skills?limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`)
      expect(page['total']).toBe(1_200)
      for (const { name } of page['skills'] as { name: string }[]) names.add(name)
      cursor = page['nextCursor']
    }
    expect(names.size).toBe(1_200)
    expect((await read('v1/skills?tag=none'))['skills']).toEqual([])
    expect(await read('v1/skills/skills/skill-1100')).toMatchObject({ name: 'skill-1100' })

    await using client = await connectMcp('http://localhost/', (url, init) =>
      handler.fetch(new Request(url, init)),
    )
    const call = calling(client)
    expect(await call('search_skills', { query: 'Handles case 1077' })).toContain('skill-1077')
    expect(await call('load_skill', { skill: 'skill-900' })).toContain('Body 900.')
    expect(await call('read_skill_file', { skill: 'skill-901', path: 'notes/901.md' })).toContain(
      'Notes on 901.',
    )
  })

  it('[BY-15] [AC-5] answers 503 and names the problem if QDRANT_URL is not an address', async () => {
    const misconfigured = workerd.withBindings({ QDRANT_URL: 'nowhere' })
    const response = await misconfigured.fetch('v1/match?message=tea')
    const detail = 'The library cannot be opened: "url" is not an address: "nowhere"'
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'source-failed', detail })
  })

  describe('the Workers of docs/engines.md', () => {
    const guide = ['docs/engines.md', 'examples/qdrant/README.md']
      .map(file => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))
      .join('\n')
    const snippets = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
    // A busy machine may take longer than the default.
    const snippetWith = (text: string): string =>
      (snippets.find(code => code.includes(text)) as string).replace(
        'qdrant({',
        'qdrant({ timeout: 60_000,',
      )
    /** Both in one script: requests to hosts below `.example` are for that of tenants. */
    const both = `
      import one from './one.js'
      import tenants from './tenants.js'
      export default {
        fetch(request, env, execution) {
          const worker = new URL(request.url).hostname.endsWith('.example') ? tenants : one
          return worker.fetch(request, env, execution)
        },
      }`
    let running: RunningWorker
    beforeAll(async () => {
      const code = {
        'one.ts': snippetWith('// for `publish --engine`'),
        'tenants.ts': snippetWith('MAX_HANDLERS'),
      }
      const variables = { QDRANT_URL: proxy.url, QDRANT_API_KEY: KEY, SKILLSHELF_TOKEN: TOKEN }
      running = await buildWorker(both, '', code).start(variables)
    })
    afterAll(() => running?.stop())

    it('[BY-15] [CARD-5] one library is published and served', async () => {
      const argv = ['--to', running.address, '--collection', 'skillshelf']
      const published = await publish(temporaryFolder(tea), argv)
      expect(published.out).toBe('1 added, 0 retired, 1 skill in revision 1 of registry\n')
      const response = await running.fetch('v1/match?message=brew+green+tea')
      const found = expect.arrayContaining([expect.objectContaining({ id: 'registry/tea' })])
      expect(await response.json()).toMatchObject({ matches: found })
    })

    it('[BY-15] [CARD-5] each tenant finds its own skills', async () => {
      const bucket = running.bucket
      for (const tenant of ['acme', 'globex'])
        await publishToEngine(
          memory({ 'tea/SKILL.md': skill(`${tenant}-tea`, 'Brews green tea.') }),
          {
            engine: qdrant({ url: proxy.url, apiKey: KEY, library: tenant, timeout: 30_000 }),
            files: r2(bucket, { prefix: `engine/${tenant}/` }),
          },
        )
      for (const tenant of ['acme', 'globex', 'acme']) {
        const response = await running.dispatch(
          `https://${tenant}.example/v1/search?message=brew+green+tea`,
        )
        const { matches } = (await response.json()) as { matches: { name: string }[] }
        expect(matches.map(({ name }) => name)).toEqual([`${tenant}-tea`])
      }
      expect((await running.dispatch('https://other.example/v1/search?message=tea')).status).toBe(
        503,
      )
    })
  })
})
