import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import {
  http,
  memory,
  openLibrary,
  type SkillLibrary,
  SkillshelfError,
} from '../../src/exports/index.js'
import { createHandler, type ServedLibrary, type SkillHandler } from '../../src/exports/server.js'
import { archive, type WritableSource } from '../../src/exports/sources.js'
import { skillStore } from '../../src/exports/store.js'
import { deferred } from '../deferred.js'
import { packFiles } from '../packed-files.js'
import { beforeReads, watchReads } from '../watch-reads.js'

const skill = (fields: string, body = 'Do it.'): string => `---\n${fields}\n---\n\n${body}\n`
const LOGO = Uint8Array.from({ length: 256 }, (_, index) => 255 - index)
const FILES = {
  'slides/SKILL.md': skill(
    'name: slides\ndescription: Makes presentation slides and pitch decks.\ntags: [office]',
  ),
  'slides/scripts/layout.py': 'print(1)\n',
  'slides/assets/logo.bin': LOGO,
  'slides/page.html': '<script>alert(1)</script>',
  'tea/SKILL.md': skill('name: tea\ndescription: Brews tea for guests.'),
  'work/sales-report/SKILL.md': skill(
    'name: sales-report\ndescription: Sums up sales figures.\ntags: [office, data]',
  ),
}
/** Files of a plain bucket that a browser would run. */
const PLAIN_FILES =
  'demo/logo.svg demo/logo.svgz demo/LOGO.SVG page.html a/b.xhtml feed.rss a.mhtml paper.pdf sw.js logo'.split(
    ' ',
  )
const TOKEN = 'a-token-of-writers'
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
/** A writer's upload of a SKILL.md. */
const put = (body: string, headers: Record<string, string> = {}) => ({
  method: 'PUT',
  headers: { ...bearer(TOKEN).headers, 'content-type': 'text/markdown', ...headers },
  body,
})
const tea = (text: string): string => skill('name: tea\ndescription: Brews tea.', text)

const packed = async (): Promise<WritableSource> =>
  memory(await packFiles(FILES, 'shelf'), { name: 'shelf' })

async function opened(more: Partial<ServedLibrary> = {}) {
  const source = await packed()
  const library = await openLibrary(source)
  const store = skillStore(source, { keepOld: true })
  return { ask: serving({ library, store, files: source, token: TOKEN, ...more }), library, source }
}

/** Names of the skills in a well-known index. */
async function names(ask: Ask): Promise<string[]> {
  const { skills } = await read<{ skills: { name: string }[] }>(
    ask('/.well-known/agent-skills/index.json'),
  )
  return skills.map(({ name }) => name)
}

async function read<T = unknown>(answer: Promise<Response>): Promise<T> {
  return (await answer).json() as Promise<T>
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>
function asking(handler: SkillHandler<unknown>): Ask {
  return async (path, init) => handler.fetch(new Request(`https://shelf.test${path}`, init))
}
const serving = (served: ServedLibrary): Ask =>
  asking(createHandler({ refreshAfter: 0, ...served }))
const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
/** Expects a refusal with this status and code, and a detail like this. */
async function fails(
  response: Promise<Response>,
  status: number,
  code: string,
  detail: string | RegExp = '',
) {
  expect(await refusal(response)).toMatchObject({
    status,
    code,
    detail: expect.stringMatching(detail),
  })
}
async function refusal(
  response: Promise<Response>,
): Promise<{ status: number; code: string; detail: string }> {
  const answer = await response
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  const { status, code, detail, type } = (await answer.json()) as Record<string, string> & {
    status: number
  }
  expect([status, type]).toEqual([answer.status, `urn:skillshelf:error:${code}`])
  return { status, code: code as string, detail: detail as string }
}

describe('private link', () => {
  const secret = 'f2c0ffee'
  const opened = async (options: Partial<ServedLibrary> = {}) => {
    const library = await openLibrary(memory({ 'tea/SKILL.md': tea('Boil.') }, { name: 'shelf' }))
    return serving({ library, readToken: 'read', linkToken: secret, ...options })
  }

  it('[BY-9] opens every read without a header, and nothing else', async () => {
    const ask = await opened()
    const paths = [
      '/v1/skills/shelf/tea',
      '/v1/match?message=tea',
      '/openapi.json',
      '/.well-known/agent-skills/index.json',
    ]
    for (const path of paths) {
      expect((await ask(path)).status, path).toBe(401)
      const response = await ask(`/s/${secret}${path}`)
      expect([response.status, response.headers.get('referrer-policy')], path).toEqual([
        200,
        'no-referrer',
      ])
      expect(response.headers.get('cache-control'), path).toMatch(/private|no-store/)
      expect(await response.text(), path).not.toContain(secret)
    }
    const { matches } = await read<{ matches: object[] }>(
      ask(`/s/${secret}/v1/search`, post({ message: 'tea' })),
    )
    expect(matches).toHaveLength(1)
    expect((await ask(`/s/${secret}/v1/store/tea`, { method: 'DELETE' })).status).not.toBe(200)
  })

  it('[BY-9] is closed by default, and no answer or error contains a token', async () => {
    const ask = await opened()
    for (const path of [
      '/s/wrong/v1/health',
      '/s/',
      `/s/${secret.slice(1)}/openapi.json`,
      `/s/${secret}/none`,
    ]) {
      const response = await ask(path)
      expect([path, response.status]).toEqual([path, 404])
      const text = await response.text()
      for (const token of ['wrong', secret, secret.slice(1)]) expect(text).not.toContain(token)
    }
    const closed = await opened({ linkToken: undefined })
    expect((await closed(`/s/${secret}/v1/health`)).status).toBe(401)
    const empty = await opened({ linkToken: '' })
    expect((await empty('/s//v1/health')).status).toBe(401)
  })

  it('[BY-9] counts once for the rate limit, also if the token is wrong', async () => {
    let requests = 0
    const ask = await opened({ rateLimit: { limit: async () => ({ success: ++requests < 3 }) } })
    expect((await ask(`/s/${secret}/v1/health`)).status).toBe(200)
    expect((await ask('/s/wrong/v1/health')).status).toBe(404)
    expect((await ask(`/s/${secret}/v1/health`)).status).toBe(429)
  })
})

describe('createHandler, reads', () => {
  it('[BY-7] REST lists skills by page, sorted by id, with tag and origin filters', async () => {
    const { ask } = await opened()
    const ids: string[] = []
    let path = '/v1/skills?limit=2'
    for (;;) {
      const page = await read<{ total: number; skills: { id: string }[]; nextCursor?: string }>(
        ask(path),
      )
      expect(page.total).toBe(3)
      ids.push(...page.skills.map(({ id }) => id))
      if (page.nextCursor === undefined) break
      path = `/v1/skills?limit=2&cursor=${encodeURIComponent(page.nextCursor)}`
    }
    expect(ids).toEqual(['shelf/slides', 'shelf/tea', 'shelf/work/sales-report'])
    expect(await read(ask('/v1/skills?tag=data&tag=nothing'))).toMatchObject({
      skills: [{ name: 'sales-report' }],
    })
    expect(await read(ask('/v1/skills?tag=office&origin=elsewhere'))).toMatchObject({ skills: [] })
  })

  it('[BY-7] REST opens a skill by id and by name', async () => {
    const { ask, library } = await opened()
    for (const name of ['tea', 'shelf%2Fwork%2Fsales-report'])
      expect(await (await ask(`/v1/skills/${name}`)).json()).toEqual(
        JSON.parse(JSON.stringify(await library.get(decodeURIComponent(name)))),
      )
    await fails(ask('/v1/skills/coffee'), 404, 'skill-not-found')
  })

  it('[BY-7] REST takes ids with slashes that are not encoded, also with folders called files and archive', async () => {
    const paths = ['a/b', 'a/archive', 'a/files/c', 'a/files/files/files']
    const files = Object.fromEntries(
      paths.flatMap((path, at) => [
        [`${path}/SKILL.md`, skill(`name: s${at}\ndescription: A skill.`)],
        [`${path}/files/archive`, path],
      ]),
    )
    const ask = serving({ library: await openLibrary(memory(files, { name: 'team' })) })
    for (const id of [
      ...paths.map(path => `team/${path}`),
      ...paths.map(path => encodeURIComponent(`team/${path}`)),
    ]) {
      const skill = await read<{ id: string }>(ask(`/v1/skills/${id}`))
      expect(skill.id).toBe(decodeURIComponent(id))
      expect(await (await ask(`/v1/skills/${id}/files/files/archive`)).text()).toBe(
        skill.id.replace('team/', ''),
      )
      expect((await ask(`/v1/skills/${id}/archive`)).headers.get('content-type')).toBe(
        'application/zip',
      )
    }
    for (const path of [
      '/v1/skills/team/a',
      '/v1/skills/team/x/archive',
      '/v1/skills/team/x/files/y',
    ])
      await fails(ask(path), 404, 'skill-not-found')
  })

  it('[BY-7] REST serves files whole, by range, for HEAD, and with 304', async () => {
    const { ask } = await opened()
    const path = '/v1/skills/slides/files/assets/logo.bin'
    const whole = await ask(path)
    const tag = whole.headers.get('etag') as string
    expect(new Uint8Array(await whole.arrayBuffer())).toEqual(LOGO)
    const { headers } = whole
    expect([headers.get('content-type'), headers.get('skill-size')]).toEqual([
      'application/octet-stream',
      '256',
    ])
    const part = await ask(path, { headers: { range: 'bytes=250-999' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 250-255/256'])
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(LOGO.slice(250))
    const last = await ask(path, { headers: { range: 'bytes=-3' } })
    expect(new Uint8Array(await last.arrayBuffer())).toEqual(LOGO.slice(253))
    expect((await ask(path, { headers: { range: 'bytes=999-' } })).status).toBe(416)
    expect(
      (await ask(path, { headers: { range: 'bytes=0-1', 'if-range': '"other"' } })).status,
    ).toBe(200)
    expect((await ask(path, { headers: { 'if-none-match': `W/"x", ${tag}` } })).status).toBe(304)
    const head = await ask(path, { method: 'HEAD', headers: { range: 'bytes=0-1' } })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      '256',
      '',
    ])
    // Slashes in the path may be percent-encoded.
    expect((await ask('/v1/skills/slides/files/scripts%2Flayout.py')).status).toBe(200)
  })

  it('[BY-9] every answer has nosniff, and every error and file of a skill is sandboxed', async () => {
    const { ask } = await opened({
      readToken: 'a-token-of-readers',
      fallback: () => new Response('a page'),
    })
    const limited = await opened({ rateLimit: { limit: async () => ({ success: false }) } })
    const plain = await opened()
    const bucket = memory(Object.fromEntries(PLAIN_FILES.map(path => [path, LOGO])))
    const { ask: folder } = await opened({ files: bucket })
    const closed = asking(
      createHandler({ library: Promise.reject(new SkillshelfError('source-failed', 'down')) }),
    )
    const read = bearer('a-token-of-readers')
    const file = '/v1/skills/slides/files/page.html'
    const tag = (await ask(file, read)).headers.get('etag') as string
    type Answer = [status: number, isSandboxed: boolean, Promise<Response>]
    const answers: Answer[] = [
      [200, true, ask(file, read)],
      [200, true, ask(file, { method: 'HEAD', ...read })],
      [206, true, ask(file, { headers: { ...read.headers, range: 'bytes=0-3' } })],
      [304, true, ask(file, { headers: { ...read.headers, 'if-none-match': tag } })],
      [416, true, ask(file, { headers: { ...read.headers, range: 'bytes=999-' } })],
      [200, false, ask('/nothing', read)],
      [200, false, ask('/openapi.json', read)],
      [200, true, ask('/skillshelf.json', read)],
      ...PLAIN_FILES.map((path): Answer => [200, true, folder(`/${path}`)]),
      [200, true, ask('/.well-known/agent-skills/index.json', read)],
      ...['/archive', '', '/files/page.html'].map(
        (path): Answer => [200, true, plain.ask(`/v1/skills/slides${path}`)],
      ),
      ...['skills', 'library', 'prompt'].map(
        (path): Answer => [200, true, plain.ask(`/v1/${path}`)],
      ),
      [
        204,
        false,
        ask(file, { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } }),
      ],
      [401, true, ask('/v1/skills')],
      [404, true, ask('/v1/skills/coffee', read)],
      [404, true, plain.ask('/nothing')],
      [400, true, ask('/v1/match', read)],
      [400, true, ask('/v1/match', { ...post('{'), ...read })],
      [405, true, plain.ask('/v1/match', { method: 'DELETE' })],
      [412, true, plain.ask('/v1/store/new', put('x', { 'if-match': '*' }))],
      [413, true, plain.ask('/v1/match', post('x'.repeat(1_048_577)))],
      [415, true, plain.ask('/v1/store/new', put('x', { 'content-type': 'text/html' }))],
      [429, true, limited.ask('/v1/skills')],
      [503, true, closed('/v1/skills')],
      [405, true, plain.ask('/mcp')],
    ]
    for (const [index, [status, isSandboxed, answer]] of answers.entries()) {
      const { headers, status: answered } = await answer
      expect([answered, headers.get('x-content-type-options')], `${index}`).toEqual([
        status,
        'nosniff',
      ])
      if (!isSandboxed) continue
      expect(headers.get('content-security-policy'), `${index}`).toBe("sandbox; default-src 'none'")
      expect(headers.get('content-type') ?? '', `${index}`).not.toContain('html')
    }
  })

  it('[BY-7] REST serves a reproducible archive with every file', async () => {
    const { ask } = await opened()
    const types = { zip: 'application/zip', 'tar.gz': 'application/gzip' }
    for (const [format, type] of Object.entries(types)) {
      const path = `/v1/skills/slides/archive?format=${format}`
      const first = await ask(path)
      const bytes = new Uint8Array(await first.arrayBuffer())
      expect(first.headers.get('content-type')).toBe(type)
      expect(new Uint8Array(await (await ask(path)).arrayBuffer())).toEqual(bytes)
      const paths = (await archive(bytes).list?.())?.map(file => file.path).sort()
      expect(paths).toEqual(['SKILL.md', 'assets/logo.bin', 'page.html', 'scripts/layout.py'])
      expect(
        (await ask(path, { headers: { 'if-none-match': first.headers.get('etag') as string } }))
          .status,
      ).toBe(304)
    }
  })

  it('[BY-7] REST matches, searches and explains like the library, by GET and POST', async () => {
    const { ask, library } = await opened()
    const message = 'slides for a pitch deck'
    const query = `message=${encodeURIComponent(message)}`
    const options = { threshold: 0.1, limit: 2, language: 'zh' } as const
    const matched = await library.match(message, options)
    expect(matched.matches[0]?.name).toBe('slides')
    const tags = ['office']
    const history = ['hello']
    for (const [path, parameters, body, expected] of [
      ['/v1/match', 'threshold=0.1&limit=2&language=zh', options, matched],
      ['/v1/search', 'tag=office', { tags }, await library.search(message, { tags })],
      [
        '/v1/explain',
        'history=hello&skill=slides',
        { history, skill: 'slides' },
        await library.explain({ message, history }, 'slides'),
      ],
    ] as const) {
      const data = JSON.parse(JSON.stringify(expected))
      expect(await read(ask(`${path}?${query}&${parameters}`)), path).toEqual(data)
      expect(await read(ask(path, post({ message, ...body }))), path).toEqual(data)
    }
    expect(await read(ask('/v1/match?message=%3F'))).toMatchObject({
      matches: [],
      abstained: 'empty-message',
    })
  })

  it('[BY-7] REST serves the prompt section within a token budget', async () => {
    const { ask } = await opened()
    const full = await (await ask('/v1/prompt')).text()
    expect(full).toContain('<name>tea</name>')
    expect((await (await ask('/v1/prompt?tokens=60')).text()).length).toBeLessThan(full.length)
  })

  it('[AC-6] [BY-7] responses that depend on the library alone have its revision as ETag', async () => {
    const { ask, library, source } = await opened()
    const paths = ['/v1/library', '/v1/skills', '/v1/skills/tea', '/v1/prompt']
    const tags = await Promise.all(
      paths.map(async path => (await ask(path)).headers.get('etag') as string),
    )
    expect(new Set(tags).size).toBe(1)
    const held = { headers: { 'if-none-match': tags[0] as string } }
    const again = () => Promise.all(paths.map(async path => (await ask(path, held)).status))
    expect(await again()).toEqual([304, 304, 304, 304])
    for (const tag of [tags[0] as string, `W/${tags[0]}`, '*']) {
      const held = { headers: { 'if-none-match': tag } }
      expect((await ask('/v1/skills/tea', held)).status).toBe(304)
      await fails(ask('/v1/skills/coffee', held), 404, 'skill-not-found')
      await fails(ask('/v1/skills?limit=zzz', held), 400, 'invalid-input')
    }
    await skillStore(source).remove('shelf/slides')
    await library.refresh()
    expect(await again()).toEqual([200, 200, 200, 200])
  })

  it('[BY-5] packed files are served for openLibrary', async () => {
    const { ask } = await opened()
    const fetch: typeof globalThis.fetch = (url, init) => ask(new URL(String(url)).pathname, init)
    await using library = await openLibrary(http('https://shelf.test/', { fetch }))
    expect(library.snapshot.skills.map(({ name }) => name)).toEqual([
      'slides',
      'tea',
      'sales-report',
    ])
    expect((await library.read('slides', 'assets/logo.bin')).bytes).toEqual(LOGO)
    for (const path of ['/files/..%2f..%2fsecret', '/.git/config', '/files/.hidden', '/%ff'])
      expect((await ask(path)).status).toBe(404)
  })

  it('[BY-5] packed files have a valid ETag, whatever version the source reports', async () => {
    const source = await packed()
    const versions = [
      undefined,
      '"abc"',
      'W/"abc"',
      'Wed, 21 Oct 2015 07:28:00 GMT',
      'é',
      'abc-1.5',
    ]
    const tags: (string | null)[] = []
    for (const version of versions) {
      const { ask } = await opened({
        files: {
          async read(path, options) {
            const { bytes } = (await source.read(path, options)) as {
              bytes: Uint8Array<ArrayBuffer>
            }
            return { bytes, ...(version === undefined ? {} : { version }) }
          },
        },
      })
      const tag = (await ask('/skillshelf.json')).headers.get('etag')
      tags.push(tag)
      expect(
        (await ask('/skillshelf.json', { headers: { 'if-none-match': `"x", ${tag}` } })).status,
      ).toBe(304)
    }
    expect(tags).toEqual([...Array(5).fill(expect.stringMatching(/^"[\da-f]{16}"$/)), '"abc-1.5"'])
    expect(new Set(tags).size).toBe(2)
  })

  it('[BY-5] [BY-7] well-known v0.2 serves every byte of each skill', async () => {
    const { ask } = await opened({ files: { read: async () => undefined } })
    const reach = (url: string, init: unknown): Promise<Response> =>
      ask(new URL(url).pathname, init as RequestInit)
    await using library = await openLibrary(
      http('https://shelf.test/', { fetch: reach, maxRetries: 0 }),
    )
    expect(library.snapshot.diagnostics).toEqual([])
    expect(library.snapshot.skills.map(({ name }) => name).sort()).toEqual([
      'sales-report',
      'slides',
      'tea',
    ])
    expect((await library.read('slides', 'assets/logo.bin')).bytes).toEqual(LOGO)
    const index = await ask('/.well-known/agent-skills/index.json')
    expect(index.headers.get('content-type')).toBe('application/json')
    const { skills } = (await index.json()) as {
      skills: { name: string; type: string; url: string }[]
    }
    const types = { 'sales-report': 'skill-md', slides: 'archive', tea: 'skill-md' }
    expect(skills.map(({ name, type }) => [name, type])).toEqual(Object.entries(types))
    expect((await ask('/.well-known/agent-skills/slides.tgz')).headers.get('content-type')).toBe(
      'application/gzip',
    )
    for (const path of ['agent-skills/coffee/SKILL.md', 'skills/index.json', 'skills/tea/SKILL.md'])
      expect((await ask(`/.well-known/${path}`)).status).toBe(404)
  })

  it('[BY-7] well-known indexes read the skills once for each revision', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, number) => [
        [`s${number}/SKILL.md`, skill(`name: s${number}\ndescription: Is ${number}.`)],
        [`s${number}/x.txt`, `${number}`.repeat(1_000)],
      ]).flat(),
    )
    const { source, reads } = watchReads(memory(files))
    const library = await openLibrary(source)
    const ask = serving({ library })
    const digests = async (): Promise<string[]> => {
      const index = await read<{ skills: { digest: string }[] }>(
        ask('/.well-known/agent-skills/index.json'),
      )
      return index.skills.map(({ digest }) => digest)
    }
    const first = await digests()
    const readsOfFirst = reads.length
    expect([first.length, await digests()]).toEqual([20, first])
    expect(reads).toHaveLength(readsOfFirst)
    const bytes = new Uint8Array(
      await (await ask('/.well-known/agent-skills/s7.tgz')).arrayBuffer(),
    )
    expect(first).toContain(digestOf(bytes))

    await source.write({ put: { 's7/x.txt': 'changed' } })
    await library.refresh()
    const second = await digests()
    expect(first.filter(digest => !second.includes(digest))).toEqual([digestOf(bytes)])
  })

  it.each(['known', 'unknown'])(
    '[BY-9] a skill that is too large gets no archive, with %s sizes',
    async sizes => {
      const half = new Uint8Array(17 * 1_048_576)
      const files: Record<string, Uint8Array> = {
        'large/one.bin': half,
        'large/two.bin': half,
        'small/x.txt': LOGO,
      }
      for (const name of ['large', 'small'])
        files[`${name}/SKILL.md`] = new TextEncoder().encode(
          skill(`name: ${name}\ndescription: Is ${name}.`),
        )
      const library = await openLibrary({
        name: 'shelf',
        list: async () =>
          Object.entries(files).map(([path, { length }]) => ({
            path,
            ...(sizes === 'known' ? { size: length } : {}),
          })),
        read: async path => files[path] && { bytes: files[path] as Uint8Array<ArrayBuffer> },
      })
      const ask = serving({ library })
      for (const path of ['/v1/skills/large/archive', '/.well-known/agent-skills/large.tgz'])
        await fails(ask(path), 413, 'too-large')
      expect(await names(ask)).toEqual(['small'])
    },
  )

  it('[BY-7] OpenAPI: the document is valid, has every operation, examples and conditional writes', async () => {
    interface Operation {
      operationId: string
      parameters?: {
        name: string
        in: string
        required: boolean
        schema: { examples?: unknown[] }
      }[]
      responses: object
    }
    const { ask } = await opened()
    const document = await read<{ paths: Record<string, Record<string, Operation>> }>(
      ask('/openapi.json'),
    )
    const validator = new Validator()
    expect(await validator.validate(structuredClone(document))).toMatchObject({ valid: true })
    expect(validator.version).toBe('3.1')
    const operations = Object.values(document.paths).flatMap(path => Object.values(path))
    const reads =
      'archiveSkill explain explainByBody getSkill health library listSkills match matchByBody prompt readFile'
    const writes =
      'getEngineHead getStored listStore putEngineFiles putSkill putSkills removeSkill sweep'
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      `${reads} search searchByBody ${writes}`.split(' ').sort(),
    )
    const guide = readFileSync(new URL('../../docs/edge.md', import.meta.url), 'utf8')
    const listed = [...guide.matchAll(/^\| (`[A-Z`, ]+) (\/v1\/\S+)` \|/gm)].flatMap(
      ([, methods = '', path]) => (methods.match(/[A-Z]+/g) ?? []).map(one => `${one} ${path}`),
    )
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
    )
    expect(listed.sort()).toEqual(routes.sort())
    const required = operations.flatMap(({ parameters = [] }) =>
      parameters.filter(one => one.required),
    )
    expect(required.length).toBeGreaterThan(8)
    expect(required.filter(({ schema }) => !schema.examples?.length)).toEqual([])
    for (const method of ['put', 'delete']) {
      const operation = document.paths['/v1/store/{folder}']?.[method]
      const headers = operation?.parameters
        ?.filter(one => one.in === 'header')
        .map(({ name }) => name)
      expect(headers).toEqual(expect.arrayContaining(['If-Match', 'If-None-Match']))
      expect(operation?.responses).toHaveProperty('412')
    }
  })
})

describe('createHandler, refused requests', () => {
  it('[BY-7] [BY-9] invalid inputs are named in the problem document', async () => {
    const { ask } = await opened()
    const cases: [Promise<Response>, string | RegExp][] = [
      ...['match', 'search'].flatMap((name): [Promise<Response>, RegExp][] => [
        [ask(`/v1/${name}`), /^message is missing \(/],
        [ask(`/v1/${name}?message=`), /^message is missing/],
        [ask(`/v1/${name}?message=+`), /^message is missing/],
        [ask(`/v1/${name}`, post({})), /^message is missing/],
        [ask(`/v1/${name}`, post({ message: ' ' })), /^message is missing/],
      ]),
      [ask('/v1/explain?skill=tea&message='), /^message is missing/],
      [ask('/v1/explain?message=tea'), /^skill is missing/],
      [ask('/v1/match', post({ message: 7 })), /^message: /],
      [ask('/v1/match?message=a&message=b'), /^message: /],
      [ask('/v1/match?message=a&limit=0'), /^limit: /],
      [ask('/v1/match?message=a&limit=1.5'), /^limit: /],
      [ask('/v1/match?message=a&threshold=two'), /^threshold: /],
      [ask(`/v1/match?message=${'a'.repeat(2_001)}`), /^message: /],
      [ask('/v1/match', post({ message: 'a'.repeat(10_001) })), /^message: /],
      [ask('/v1/match', post('{')), /^The request body is not valid JSON/],
      [ask('/v1/match', post('')), /^The request body is not valid JSON/],
      [ask('/v1/match', post('null')), /^body: /],
      [ask('/v1/match', post({ message: 'a', else: 1 })), /else/],
      [ask('/v1/match', post({ message: 'a', tags: [1] })), /^tags/],
      [ask('/v1/match', post('['.repeat(100_000))), /body/],
      [
        ask('/v1/match', post(`{"message":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)),
        /^message: /,
      ],
      [ask('/v1/skills?limit=1001'), /^limit: /],
      [ask('/v1/match?message=tea&treshold=0.9'), /Unknown query parameter "treshold".*threshold/],
    ]
    for (const [answer, detail] of cases) await fails(answer, 400, 'invalid-input', detail)
  })

  it('[TD-8] [BY-9] paths that leave the skill are refused in every encoding', async () => {
    const { ask } = await opened()
    const paths =
      '..%2ftea%2fSKILL.md ..%5ctea%5cSKILL.md %2fetc%2fpasswd scripts%2f..%2f..%2ftea%2fSKILL.md ' +
      '%252e%252e%252ftea%252fSKILL.md a%00b C:%5csecret'
    for (const path of paths.split(' ')) {
      const { status, code } = await refusal(ask(`/v1/skills/slides/files/${path}`))
      expect([path, status, code]).toEqual([path, 400, 'invalid-path'])
    }
    for (const id of ['..%2f..%2fskillshelf.json', '%2e%2e', 'shelf%2F..%2Fslides'])
      expect((await ask(`/v1/skills/${id}`)).status).toBe(404)
    for (const folder of ['..%2fother', '%2fetc', 'a%2f..%2f..%2fb'])
      await fails(ask(`/v1/store/${folder}`, put(FILES['tea/SKILL.md'])), 400, 'invalid-path')
  })

  it('[BY-7] [BY-9] DELETE removes the skill in the folder, not one of the same name', async () => {
    const store = skillStore(memory({}, { name: 'skills' }))
    await store.install({ 'y/SKILL.md': skill('name: skills/x\ndescription: Is another.') })
    const library = await openLibrary(store)
    const ask = serving({ library, store, token: TOKEN })
    const remove = (folder: string) =>
      ask(`/v1/store/${folder}`, { method: 'DELETE', ...bearer(TOKEN) })
    await fails(remove('x'), 404, 'skill-not-found')
    expect(await (await remove('y')).json()).toMatchObject({ removed: ['skills/y'] })
    await fails(remove('y'), 404, 'skill-not-found')
  })

  it('[BY-7] PUT and DELETE honor If-Match and If-None-Match of the stored skill', async () => {
    const store = skillStore(memory({}, { name: 'skills' }))
    const library = await openLibrary(store)
    const ask = serving({ library, store, token: TOKEN })
    const upload = (text: string, headers: Record<string, string> = {}) =>
      ask('/v1/store/tea', put(tea(text), headers))
    const send = (method: 'GET' | 'DELETE', headers: Record<string, string> = {}) =>
      ask('/v1/store/tea', { method, headers: { ...bearer(TOKEN).headers, ...headers } })
    const failed = { status: 412, code: 'conflict' }

    expect(await refusal(upload('one', { 'if-match': '*' }))).toMatchObject(failed)
    const created = await upload('one', { 'if-none-match': '*' })
    const first = created.headers.get('etag') as string
    expect([created.status, first]).toEqual([
      200,
      expect.stringMatching(/^"[0-9a-f]{16}-[0-9a-f]{16}"$/),
    ])
    expect(await refusal(upload('two', { 'if-none-match': '*' }))).toMatchObject(failed)
    expect(await refusal(upload('two', { 'if-none-match': first }))).toMatchObject(failed)
    const second = (await upload('two', { 'if-match': `"other", ${first}` })).headers.get(
      'etag',
    ) as string
    expect(second).not.toBe(first)
    const third = await refusal(upload('three', { 'if-match': first }))
    expect(third).toMatchObject({ ...failed, detail: expect.stringContaining(second) })
    // The same content again has the same ETag.
    expect((await upload('two')).headers.get('etag')).toBe(second)

    const stored = await send('GET')
    expect([stored.headers.get('etag'), ((await stored.json()) as { etag: string }).etag]).toEqual([
      second,
      second,
    ])
    expect((await send('GET', { 'if-none-match': second })).status).toBe(304)
    const { skills } = await read<{ skills: { etag: string }[] }>(ask('/v1/store', bearer(TOKEN)))
    expect(skills.map(({ etag }) => etag)).toEqual([second])

    expect(await refusal(send('DELETE', { 'if-match': first }))).toMatchObject(failed)
    expect((await send('DELETE', { 'if-match': second })).status).toBe(200)
    expect(await refusal(send('DELETE', { 'if-match': second }))).toMatchObject({ status: 404 })
    await fails(send('GET'), 404, 'skill-not-found')
  })

  it('[BY-7] If-Match is checked again if another writer is faster', async () => {
    const source = memory({}, { name: 'skills' })
    const other = skillStore(source)
    await other.install({ 'tea/SKILL.md': tea('one') })
    let overtaken = false
    const store = skillStore({
      ...source,
      write: async (changes, options) => {
        if (!overtaken) {
          overtaken = true
          await other.install({ 'tea/SKILL.md': tea('of another writer') })
        }
        return source.write(changes, options)
      },
    } satisfies WritableSource)
    const ask = serving({ library: openLibrary(store), store, token: TOKEN })
    const tag = (await ask('/v1/store/tea', bearer(TOKEN))).headers.get('etag') as string
    const answer = ask('/v1/store/tea', put(tea('two'), { 'if-match': tag }))
    expect(await refusal(answer)).toMatchObject({ status: 412 })
    expect(overtaken).toBe(true)
    expect(await (await openLibrary(source)).get('tea')).toMatchObject({
      instructions: 'of another writer',
    })
  })

  it('[BY-7] POST /v1/sweep removes unused files of the store, with the write token only', async () => {
    const { ask, source } = await opened()
    const sweep = (body: object, token = TOKEN) =>
      ask('/v1/sweep', {
        ...post(body),
        headers: { ...bearer(token).headers, 'content-type': 'application/json' },
      })
    expect((await ask('/v1/store/tea', { method: 'DELETE', ...bearer(TOKEN) })).status).toBe(200)
    const before = await source.list?.()
    expect(await refusal(sweep({}, 'wrong'))).toMatchObject({ status: 401 })
    expect(await refusal(sweep({ olderThan: -1 }))).toMatchObject({ status: 400 })
    const planned = await (await sweep({ olderThan: 0, dryRun: true })).json()
    expect(await source.list?.()).toEqual(before)
    expect(await (await sweep({ olderThan: 0 })).json()).toEqual(planned)
    expect(await (await sweep({ olderThan: 0 })).json()).toEqual({ removed: [], bytes: 0, kept: 0 })
    expect((await ask('/v1/skills/slides')).status).toBe(200)
  })

  it('[BY-9] an upload without a skill is invalid-input, not 404', async () => {
    const { ask } = await opened()
    await fails(ask('/v1/store/x', put('')), 400, 'invalid-input')
    const noZip = put('no zip', { 'content-type': 'application/zip' })
    await fails(
      ask('/v1/store/x', noZip),
      400,
      'invalid-input',
      /^[^(]*\(send a zip or a tar.gz\)[^(]*$/,
    )
  })

  it('[BY-9] unknown methods and paths are answered with 405 and 404', async () => {
    const { ask } = await opened()
    expect(await refusal(ask('/v1/match', { method: 'DELETE' }))).toMatchObject({ status: 405 })
    expect((await ask('/v1/match', { method: 'DELETE' })).headers.get('allow')).toBe('GET, POST')
    expect(await refusal(ask('/v2/match'))).toMatchObject({ status: 404 })
    const page = await opened({ fallback: () => new Response('a page') })
    expect(await (await page.ask('/v2/match')).text()).toBe('a page')
  })

  it('[BY-9] names of skills cannot inject headers', async () => {
    const evil = skill('name: "a\\r\\nset-cookie: b=c"\ndescription: x')
    const library = await openLibrary({ 'evil/SKILL.md': evil, 'evil/é\u2028.txt': 'x' })
    const ask = serving({ library })
    const { id } = library.snapshot.skills[0] as { id: string }
    const answer = await ask(
      `/v1/skills/${encodeURIComponent(id)}/files/${encodeURIComponent('é\u2028.txt')}`,
    )
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null])
    expect(decodeURIComponent(answer.headers.get('skill-path') as string)).toBe('é\u2028.txt')
    expect(
      (await ask(`/v1/skills/${encodeURIComponent('a\r\nset-cookie: b=c')}`)).headers.get(
        'set-cookie',
      ),
    ).toBe(null)
  })

  it('[BY-9] responses do not depend on the Host header, and CORS allows no credentials', async () => {
    const { ask } = await opened()
    const paths = ['/openapi.json', '/v1/library', '/.well-known/agent-skills/index.json']
    const texts = async (headers: HeadersInit) =>
      Promise.all(paths.map(async path => (await ask(path, { headers })).text()))
    const headers = {
      host: 'evil.test',
      'x-forwarded-host': 'evil.test',
      origin: 'https://evil.test',
    }
    expect(await texts(headers)).toEqual(await texts({}))
    const answer = await ask('/v1/library', { headers })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-credentials')).toBe(null)
    const preflight = await ask('/v1/store/tea', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.test',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization',
      },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      204,
      '*',
    ])
    for (const name of ['authorization', 'if-match'])
      expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain(name)
  })

  it('[BY-9] readToken is required everywhere, in the header only, and responses are private', async () => {
    const { ask } = await opened({ readToken: 'a-token-of-readers' })
    for (const path of [
      '/v1/library',
      '/v1/match?message=tea',
      '/skillshelf.json',
      '/mcp',
      '/.well-known/agent-skills/index.json',
      '/v1/library?token=a-token-of-readers',
      '/v1/library?access_token=a-token-of-readers',
    ])
      await fails(ask(path), 401, 'not-allowed')
    for (const token of ['a-token-of-reader', 'a-token-of-readers2', ''])
      expect((await ask('/v1/library', bearer(token))).status).toBe(401)
    const answer = await ask('/v1/library', bearer('a-token-of-readers'))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toContain('private')
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('authorization')
    expect((await ask('/v1/library', bearer(TOKEN))).status).toBe(200)
    expect((await ask('/v1/store', bearer('a-token-of-readers'))).status).toBe(401)
  })

  it('[BY-9] requests over the rate limit are answered with 429', async () => {
    const keys: string[] = []
    const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) < 2 })
    const { ask } = await opened({ rateLimit: { limit } })
    const headers = { 'cf-connecting-ip': '192.0.2.7' }
    expect((await ask('/v1/health', { headers })).status).toBe(200)
    const refused = await ask('/v1/health', { headers })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(keys).toEqual(['192.0.2.7', '192.0.2.7'])
  })
})

describe('createHandler, failing or changing library', () => {
  it('[AC-5] a library that fails to open is tried again by the next request', async () => {
    let tries = 0
    const ask = asking(
      createHandler(async () => {
        if (++tries === 1) throw new Error('no network')
        return { library: openLibrary(FILES) }
      }),
    )
    const failed = await ask('/v1/health')
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await failed.json()).toMatchObject({
      code: 'source-failed',
      detail: expect.stringContaining('no network'),
    })
    expect((await ask('/v1/health')).status).toBe(200)
    expect(tries).toBe(2)
  })

  it('[AC-5] [BY-7] an unreadable file is a 503 and hides no other skill in well-known indexes', async () => {
    const source = memory(FILES, { name: 'shelf' })
    let broken = /^$/
    const fragile = beforeReads(source, path => {
      if (broken.test(path)) throw new Error('the bucket is down')
    })
    const serve = async (): Promise<Ask> => serving({ library: await openLibrary(fragile) })
    const ask = await serve()
    broken = /tea.SKILL.md/
    expect(await names(ask)).toEqual(['sales-report', 'slides'])
    expect((await ask('/.well-known/agent-skills/sales-report/SKILL.md')).status).toBe(200)
    broken = /^$/
    expect(await names(ask)).toEqual(['sales-report', 'slides', 'tea'])
    // An archive needs every file of its skill.
    const next = await serve()
    broken = /logo.bin/
    expect(await names(next)).toEqual(['sales-report', 'tea'])
    const failed = await next('/v1/skills/slides/files/assets/logo.bin')
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '2'])
    broken = /^$/
    expect(await names(next)).toEqual(['sales-report', 'slides', 'tea'])

    const other = await serve()
    broken = /SKILL.md/
    await fails(other('/.well-known/agent-skills/index.json'), 503, 'source-failed')
    // An abort is not a failure of a skill.
    const library = await openLibrary(source)
    const stopped: SkillLibrary = {
      ...library,
      snapshot: library.snapshot,
      get: name =>
        name === 'shelf/tea'
          ? Promise.reject(new SkillshelfError('aborted', 'The operation was aborted'))
          : library.get(name),
    }
    const answer = serving({ library: stopped })('/.well-known/agent-skills/index.json')
    await fails(answer, 503, 'aborted')
  })

  it('[AC-5] a request that exceeds the timeout is answered with 503', async () => {
    const library = await openLibrary(FILES)
    const never = {
      ...library,
      get: () => new Promise<never>(() => {}),
      snapshot: library.snapshot,
    }
    const ask = serving({ library: never, timeout: 1 })
    await fails(ask('/v1/skills/tea'), 503, 'source-failed')
  })

  it('[AC-6] a refresh runs after a response, and the next request sees the change', async () => {
    const source = await packed()
    const library = await openLibrary(source)
    const waiting: Promise<unknown>[] = []
    const handler = createHandler({ library, refreshAfter: -1 })
    const ask = () =>
      handler.fetch(
        new Request('https://shelf.test/v1/skills/tea'),
        {},
        { waitUntil: work => void waiting.push(work) },
      )
    await skillStore(source, { keepOld: true }).remove('shelf/tea')
    expect((await ask()).status).toBe(200)
    await Promise.all(waiting)
    expect((await ask()).status).toBe(404)
  })

  it('[AC-6] a write is visible to the next request, even if a refresh was in progress', async () => {
    const source = await packed()
    const [started, held] = [deferred(), deferred()]
    let isHeld = false
    const library = await openLibrary({
      name: 'shelf',
      async read(path, options) {
        const found = await source.read(path, options)
        if (isHeld) started.resolve()
        if (isHeld) await held.promise
        return found
      },
    })
    isHeld = true
    const before = library.refresh()
    await started.promise
    // The first refresh continues once the write waits for its own refresh.
    const { refresh } = library
    const waited: SkillLibrary = Object.assign(library, {
      async refresh() {
        const refreshed = refresh()
        held.resolve()
        return refreshed
      },
    })
    const ask = serving({ library: waited, store: skillStore(source), token: TOKEN })
    const upload = ask('/v1/store/new', put(skill('name: new\ndescription: Is new.')))
    expect(await read(upload)).toMatchObject({ added: ['shelf/new'] })
    expect((await before).added).toEqual([])
    expect((await ask('/v1/skills/new')).status).toBe(200)
  })

  it('[AC-6] files that only the old catalog names are read from the new one', async () => {
    const { ask, source } = await opened()
    await skillStore(source).edit('tea', { put: { 'SKILL.md': tea('Boil.') } })
    const answer = await ask('/v1/skills/tea')
    expect(await answer.json()).toMatchObject({ instructions: 'Boil.' })
    expect(answer.headers.get('etag')).toBe((await ask('/v1/library')).headers.get('etag'))
    await skillStore(source).remove('tea')
    expect((await ask('/v1/skills/tea/files/SKILL.md')).status).toBe(404)
  })
})
