import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { http, openLibrary } from '../../src/exports/index.js'
import { cli, expectRefusal, main, skill, temporaryFolder, two } from './cli-world.js'
import { connectMcp, serving } from './serve-world.js'

afterEach(() => void vi.useRealTimers())

const ORIGIN = 'http://localhost:5173'
const SANDBOX = "sandbox; default-src 'none'"
const SITE = '.well-known/agent-skills/index.json'

/** A folder with a packed library in `out`, served. */
async function servedFolder(more: Readonly<Record<string, string>> = {}) {
  const cwd = temporaryFolder({ ...two, ...more })
  await cli(['pack', '--out', 'out'], { cwd })
  return { cwd, ...(await serving(['out'], cwd)) }
}

/** Writes a file, or a folder with this SKILL.md, in one atomic step. */
async function place(cwd: string, path: string, text: string): Promise<void> {
  const isFolder = !path.split('/').at(-1)?.includes('.')
  const draft = join(cwd, 'draft')
  if (isFolder) await mkdir(draft)
  await writeFile(isFolder ? join(draft, 'SKILL.md') : draft, text)
  await rename(draft, join(cwd, path))
}

/** Requests an unnormalized path with any Host header. `fetch` would normalize the path. */
async function raw(
  address: string,
  path: string,
  host?: string,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(address)
  const asked = request({
    hostname,
    port,
    path,
    agent: false,
    headers: host === undefined ? {} : { host },
  }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, text: await text(response) }
}

describe('skillshelf serve with a packed library', () => {
  it('[BY-5] serves the files and prints how to open them', async () => {
    const { address, out, err, stop } = await servedFolder()
    expect(err()).toBe('')
    expect(out()).toBe(
      [
        `Serving 2 skills of out at ${address}`,
        `  in a page    openLibrary('${address}')`,
        `  to install   npx skills add ${address}`,
        `  well-known   ${address}${SITE}`,
        'Press Ctrl-C to stop.',
        '',
      ].join('\n'),
    )
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    await using library = await openLibrary(address)
    expect((await library.search('bread')).matches[0]?.name).toBe('b')
    expect((await library.read('a', 'scripts/a.py')).text).toBe('print(1)')
    expect(await stop()).toBe(0)
    await expect(fetch(address)).rejects.toThrow()
  })

  it('[BY-5] prints no well-known URL if no skills are published', async () => {
    const cwd = temporaryFolder(two)
    await cli(['pack', '--out', 'out', '--no-well-known'], { cwd })
    const { out } = await serving(['out/skillshelf.json'], cwd)
    expect(out()).not.toContain('well-known')
    expect(out()).not.toContain('skills add')
  })

  it('[BY-5] [BY-9] sends the headers of _headers and the media types', async () => {
    const copy = '.well-known/skills/a/page.js'
    const more = { [`out/${copy}`]: '<script>alert(1)</script>', 'out/mine.txt': 'x' }
    const { address, cwd } = await servedFolder(more)
    const catalog = JSON.parse(await readFile(join(cwd, 'out/skillshelf.json'), 'utf8'))
    const site = JSON.parse(await readFile(join(cwd, 'out', SITE), 'utf8'))
    const headersOf = async (path: string) => {
      const { headers, status } = await fetch(new URL(path, address), {
        headers: { origin: ORIGIN },
      })
      expect(status).toBe(200)
      expect(headers.get('access-control-allow-origin')).toBe(ORIGIN)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      return [
        headers.get('content-type'),
        headers.get('cache-control'),
        headers.get('content-security-policy'),
      ]
    }
    const forever = 'public, max-age=31536000, immutable'
    const [archive, markdown] = site.skills.map(({ url }: { url: string }) =>
      url.slice('../../'.length),
    )
    for (const [path, type, caching] of [
      ['skillshelf.json', 'application/json', 'no-cache'],
      [catalog.segments[0].file, 'application/octet-stream', forever],
      [archive, 'application/gzip', forever],
      [markdown, 'text/markdown; charset=utf-8', forever],
      [SITE, 'application/json', 'no-cache'],
      [copy, 'text/plain; charset=utf-8', 'no-cache'],
      ['mine.txt', 'text/plain; charset=utf-8', 'no-cache'],
    ])
      expect([path, ...(await headersOf(path))]).toEqual([path, type, caching, SANDBOX])
    // Every rule of the file applies.
    const rules = await readFile(join(cwd, 'out/_headers'), 'utf8')
    for (const block of rules.split(/\n(?=\/)/).slice(1)) {
      const [path = '', ...lines] = block.trim().split('\n')
      const some = {
        '/*': 'skillshelf.json',
        '/files/*': archive,
        '/files/*.tgz': archive,
        '/.well-known/*': SITE,
      }
      const one = some[path as keyof typeof some] ?? path
      const { headers } = await fetch(new URL(one, address))
      for (const line of lines) {
        const [name = '', ...value] = line.trim().split(': ')
        // On a loopback address only local origins are allowed.
        const expected = name === 'Access-Control-Allow-Origin' ? null : value.join(': ')
        expect([path, name, headers.get(name)]).toEqual([path, name, expected])
      }
    }
  })

  it('[BY-5] answers conditional and range requests', async () => {
    const copy = '.well-known/skills/a/SKILL.md'
    const { address, cwd } = await servedFolder({ [`out/${copy}`]: two['skills/a/SKILL.md'] })
    const url = address + copy
    const whole = await readFile(join(cwd, 'skills/a/SKILL.md'), 'utf8')
    const first = await fetch(url)
    const etag = first.headers.get('etag') ?? ''
    expect([await first.text(), first.headers.get('content-length')]).toEqual([
      whole,
      String(whole.length),
    ])
    expect(etag).toMatch(/^"[^"]+"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await fetch(url, { headers: { 'if-none-match': known } })
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    }
    expect((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    const head = await fetch(url, { method: 'HEAD' })
    const size = whole.length
    expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([
      200,
      '',
      String(size),
    ])

    const part = async (range: string, more: Record<string, string> = {}) => {
      const response = await fetch(url, { headers: { range, ...more } })
      return [response.status, response.headers.get('content-range'), await response.text()]
    }
    expect(await part('bytes=0-2')).toEqual([206, `bytes 0-2/${size}`, '---'])
    expect(await part('bytes=4-')).toEqual([206, `bytes 4-${size - 1}/${size}`, whole.slice(4)])
    expect(await part('bytes=-3')).toEqual([
      206,
      `bytes ${size - 3}-${size - 1}/${size}`,
      whole.slice(-3),
    ])
    expect(await part(`bytes=4-${size + 9}`)).toEqual([
      206,
      `bytes 4-${size - 1}/${size}`,
      whole.slice(4),
    ])
    expect(await part('bytes=-99999')).toEqual([206, `bytes 0-${size - 1}/${size}`, whole])
    expect(await part(`bytes=${size}-`)).toEqual([
      416,
      `bytes */${size}`,
      `The file has ${size} bytes.\n`,
    ])
    expect(await part('bytes=-0')).toEqual([
      416,
      `bytes */${size}`,
      `The file has ${size} bytes.\n`,
    ])
    for (const odd of ['bytes=0-1,4-5', 'bytes=5-2', 'bytes=-', 'lines=1-2'])
      expect(await part(odd)).toEqual([200, null, whole])
    expect((await part('bytes=0-2', { 'if-range': etag }))[0]).toBe(206)
    for (const range of ['bytes=0-2', `bytes=${size}-`]) {
      const { status, headers } = await fetch(url, { method: 'HEAD', headers: { range } })
      expect([status, headers.get('content-range'), headers.get('content-length')]).toEqual([
        200,
        null,
        String(size),
      ])
    }
    expect(await part('bytes=0-2', { 'if-range': '"other"' })).toEqual([200, null, whole])

    await writeFile(join(cwd, 'out', copy), 'changed')
    expect(await (await fetch(url, { headers: { 'if-none-match': etag } })).text()).toBe('changed')
  })

  it('[BY-5] rejects methods that write, and answers CORS preflights', async () => {
    const { address } = await servedFolder()
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await fetch(`${address}skillshelf.json`, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
    const preflight = await fetch(`${address}skillshelf.json`, {
      method: 'OPTIONS',
      headers: { origin: ORIGIN, 'access-control-request-headers': 'if-none-match' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain(
      'if-none-match',
    )
  })

  it('[BY-9] serves no API without --api', async () => {
    const { address, out } = await servedFolder()
    expect(out()).not.toMatch(/API|MCP/)
    for (const path of [
      'v1/health',
      'v1/skills',
      'v1/match?message=bread',
      'docs',
      'openapi.json',
      'mcp',
    ]) {
      const { status, headers } = await fetch(address + path)
      expect([path, status, headers.get('content-type')]).toEqual([
        path,
        404,
        'text/plain; charset=utf-8',
      ])
    }
  })

  it('[BY-9] rejects requests for other host names on a loopback address', async () => {
    const cwd = temporaryFolder(two)
    for (const argv of [[], ['--api']]) {
      const { address, stop } = await serving(argv, cwd)
      const { port } = new URL(address)
      for (const host of [
        `127.0.0.1:${port}`,
        `localhost:${port}`,
        `LocalHost:${port}`,
        `[::1]:${port}`,
      ])
        expect([host, (await raw(address, '/skillshelf.json', host)).status]).toEqual([host, 200])
      const names = [
        'evil.example',
        '127.0.0.1.evil.example',
        'localhost.evil.example',
        '192.0.2.1',
      ]
      const others = ['evil.example', 'localhost', `localhost:${Number(port) + 1}`]
      const refusal = {
        status: 403,
        text: `This server accepts local requests only, at http://localhost:${port}/.\n`,
      }
      for (const host of [...names.map(name => `${name}:${port}`), ...others]) {
        for (const path of ['/skillshelf.json', '/mcp', '/v1/skills'])
          expect([host, await raw(address, path, host)]).toEqual([host, refusal])
      }
      await stop()
    }
    const { address } = await serving(['--host', '0.0.0.0'], cwd)
    expect((await raw(address, '/skillshelf.json', 'shelf.example')).status).toBe(200)
  })

  it('[BY-9] rejects pages of other origins on a loopback address', async () => {
    const cwd = temporaryFolder(two)
    for (const argv of [[], ['--api']]) {
      const { address, stop } = await serving(argv, cwd)
      const { port } = new URL(address)
      for (const origin of [
        ORIGIN,
        `http://127.0.0.1:${port}`,
        `http://[::1]:${port}`,
        'https://localhost',
      ]) {
        const { status, headers } = await fetch(`${address}skillshelf.json`, {
          headers: { origin },
        })
        expect([status, headers.get('access-control-allow-origin')]).toEqual([200, origin])
        expect(headers.get('vary')).toContain('Origin')
      }
      const evil = [
        'http://localhost.evil.example',
        'http://127.0.0.1.evil.example',
        'https://evil.example',
        'null',
      ]
      for (const origin of evil) {
        for (const path of ['skillshelf.json', 'v1/skills', 'mcp']) {
          for (const method of ['GET', 'POST', 'OPTIONS']) {
            const { status, headers } = await fetch(address + path, { method, headers: { origin } })
            const allowed = headers.get('access-control-allow-origin')
            expect([path, method, status, allowed]).toEqual([path, method, 403, null])
          }
        }
      }
      const { headers } = await fetch(`${address}skillshelf.json`)
      expect(headers.get('access-control-allow-origin')).toBeNull()
      await stop()
    }
  })

  it('[BY-9] serves no files outside the folder, no hidden files and no listings', async () => {
    const { address, cwd } = await servedFolder({
      'secret.txt': 'secret',
      'out/.env': 'secret',
      'out/.git/config': 'secret',
      'out/sub/.hidden/x.txt': 'secret',
      'out/sub/x.txt': 'fine',
    })
    await mkdir(join(cwd, 'out/links'))
    await symlink(join(cwd, 'secret.txt'), join(cwd, 'out/links/out.txt'))
    await symlink(cwd, join(cwd, 'out/links/folder'))
    await symlink(join(cwd, 'out/sub/x.txt'), join(cwd, 'out/links/in.txt'))
    expect(await raw(address, '/sub/x.txt')).toEqual({ status: 200, text: 'fine' })
    expect(await raw(address, '/sub/x.txt?v=1')).toEqual({ status: 200, text: 'fine' })
    expect(await raw(address, '/links/in.txt')).toEqual({ status: 200, text: 'fine' })
    for (const path of [
      ...'/ /sub /sub/ /.well-known/ /nothing /% /%00 /sub/x.txt%00.md'.split(' '),
      ...'/../secret.txt /sub/../../secret.txt /%2e%2e/secret.txt /..%2fsecret.txt /%2e%2e%2fsecret.txt'.split(
        ' ',
      ),
      ...'/%252e%252e%252fsecret.txt /..%5csecret.txt /links/out.txt /links/folder/secret.txt'.split(
        ' ',
      ),
      ...'/.env /%2eenv /.well-known/../.env /.well-known/%2e%2e/.env'.split(' '),
      ...'/.git/config /sub/.hidden/x.txt /.skillshelf-pack'.split(' '),
      `/${encodeURIComponent(join(cwd, 'secret.txt'))}`,
      `/${join(cwd, 'secret.txt')}`,
    ]) {
      const { status, text } = await raw(address, path)
      expect([path, status]).toEqual([path, 404])
      expect(text).not.toContain('secret')
    }
    const missing = await fetch(`${address}nothing`)
    expect(missing.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(missing.headers.get('cache-control')).toBeNull()
  })

  it('[BY-5] serves hidden files of skills', async () => {
    const { address } = await servedFolder({
      'out/.well-known/skills/a/.config/x.txt': 'x',
      'out/deeper/.well-known/skills/b/.y': 'y',
      'out/.deeper/.well-known/skills/b/.y': 'y',
    })
    expect(await raw(address, '/.well-known/skills/a/.config/x.txt')).toEqual({
      status: 200,
      text: 'x',
    })
    expect(await raw(address, '/deeper/.well-known/skills/b/.y')).toEqual({
      status: 200,
      text: 'y',
    })
    expect((await raw(address, '/.deeper/.well-known/skills/b/.y')).status).toBe(404)
  })
})

describe('skillshelf serve with a folder of skills', () => {
  it('[BY-5] packs the folder in memory for all clients and prints problems', async () => {
    const cwd = temporaryFolder({ ...two, 'skills/c/SKILL.md': skill('My C', 'Counts.') })
    const { address, out, err } = await serving([], cwd)
    expect(out()).toContain(`Serving 3 skills of skills at ${address}\n`)
    expect(out()).toContain('Changes in the folder are served at once.')
    expect(err()).toContain('c/SKILL.md:2: The name "My C" must be 1-64 lowercase letters')
    const { skills } = (await (await fetch(address + SITE)).json()) as {
      skills: { name: string }[]
    }
    expect(skills.map(({ name }) => name)).toEqual(['a', 'b', 'my-c'])
    await using library = await openLibrary(address)
    expect((await library.list()).map(({ name }) => name)).toEqual(['a', 'b', 'My C'])
  })

  it('[TD-11] [BY-5] packs changes again, and open libraries follow with refresh', async () => {
    const cwd = temporaryFolder(two)
    const { address, printed, err } = await serving(['skills', '--name', 'team'], cwd)
    await using library = await openLibrary(http(address, { name: 'page' }))
    const old = await (await fetch(`${address}skillshelf.json`)).json()
    await place(cwd, 'skills/a/scripts/a.py', 'print(2)')
    await printed('\nPacked again: 2 skills')
    await place(cwd, 'skills/new', skill('new', 'Paints walls.'))
    await printed('\nPacked again: 3 skills')
    expect(old.name).toBe('team')
    // Clients that hold the previous catalog can still read its files.
    expect((await fetch(address + old.segments[0].file)).status).toBe(200)
    const { added } = await library.refresh()
    expect(added).toEqual(['page/new'])
    expect((await library.read('a', 'scripts/a.py')).text).toBe('print(2)')

    await rm(join(cwd, 'skills/new'), { recursive: true })
    await printed('Packed again: 3 skills\nPacked again: 2 skills')
    expect(err()).toBe('')
  })

  it('[BY-5] keeps the last library if the folder cannot be packed', async () => {
    const cwd = temporaryFolder(two)
    const { address, printed, out, err } = await serving([], cwd)
    await rm(join(cwd, 'skills/b'), { recursive: true })
    await printed('Packed again: 1 skill')
    await writeFile(join(cwd, 'skills/a/SKILL.md'), '')
    await printed('the served library is unchanged')
    expect(err()).toContain('skillshelf: No skills left in skills\n')
    await using library = await openLibrary(address)
    expect((await library.list()).map(({ name }) => name)).toEqual(['a'])
    await place(cwd, 'skills/a/SKILL.md', skill('a', 'Mends cars.'))
    await printed('Packed again: 1 skill\nPacked again: 1 skill')
    await library.refresh()
    expect((await library.list())[0]?.description).toBe('Mends cars.')
    expect(out()).not.toContain('0 skills')
  })

  it('[BY-5] prints each problem once, and limits their number', async () => {
    const cwd = temporaryFolder({ ...two, 'skills/c/SKILL.md': skill('My C', 'Counts.') })
    const { printed, err } = await serving([], cwd)
    const first = err()
    await place(cwd, 'skills/a/more.txt', 'x')
    await printed('Packed again: 3 skills')
    expect(err()).toBe(first)
    const many: Record<string, string> = {}
    for (let at = 0; at < 12; at++)
      many[`skills/n${at}/SKILL.md`] = skill(`N_${at}`, 'Is named otherwise.')
    const other = await serving([], temporaryFolder(many))
    expect(other.err().split('\n')).toHaveLength(12)
    expect(other.err()).toMatch(/\n… and 26 more: skillshelf validate skills\n$/)
  })

  it('[BY-5] accepts --strict, and packs vectors', async () => {
    const cwd = temporaryFolder({
      ...two,
      'skills/c/SKILL.md': '---\nname: c\n---\n\nPaints walls.\n',
    })
    const { address, out } = await serving(['--strict'], cwd)
    expect(out()).toContain('Serving 2 skills')
    const ran = await cli(['match', '烤面包', '--skills', address, '--json'])
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.json().matches[0].name).toBe('b')
  })
})

describe('skillshelf serve --api', () => {
  const namesAt = async (address: string): Promise<string[]> => {
    const { skills } = (await (await fetch(`${address}v1/skills`)).json()) as {
      skills: { name: string }[]
    }
    return skills.map(({ name }) => name)
  }

  it('[BY-7] serves REST, OpenAPI and MCP beside the files, and follows the folder', async () => {
    const cwd = temporaryFolder({ ...two, 'secret.txt': 'secret' })
    await mkdir(join(cwd, 'skills/links'))
    await symlink(join(cwd, 'secret.txt'), join(cwd, 'skills/links/out.txt'))
    const { address, out, printed, stop } = await serving(['--api'], cwd)
    expect(out()).toContain(
      `\n  API          ${address}openapi.json\n  MCP          ${address}mcp\n`,
    )
    expect(await namesAt(address)).toEqual(['a', 'b'])
    const matched = await fetch(`${address}v1/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"message":"bread"}',
    })
    expect(((await matched.json()) as { matches: object[] }).matches[0]).toMatchObject({
      name: 'b',
    })
    const file = await fetch(`${address}v1/skills/a/files/scripts/a.py`, {
      headers: { range: 'bytes=0-4' },
    })
    expect([file.status, await file.text()]).toEqual([206, 'print'])
    expect(await (await fetch(`${address}openapi.json`)).json()).toMatchObject({
      openapi: expect.any(String),
    })
    expect((await fetch(`${address}v1/store`, { method: 'POST', body: 'x' })).status).toBe(403)

    const page = await openLibrary(http(address, { name: 'page' }))
    expect((await page.read('a', 'scripts/a.py')).text).toBe('print(1)')
    expect(
      ((await (await fetch(address + SITE)).json()) as { skills: object[] }).skills,
    ).toHaveLength(2)
    expect((await raw(address, '/links/out.txt')).status).toBe(404)

    await using client = await connectMcp(address)
    expect(client.getServerVersion()).toMatchObject({
      name: 'skillshelf',
      version: expect.stringMatching(/^\d+\.\d/),
    })
    const { content } = await client.callTool({ name: 'load_skill', arguments: { skill: 'b' } })
    expect(JSON.stringify(content)).toContain('Do it well.')

    await place(cwd, 'skills/new', skill('new', 'Paints walls.'))
    await printed('\nPacked again: 3 skills')
    expect(await namesAt(address)).toEqual(['a', 'b', 'new'])
    expect(await stop()).toBe(0)
    await expect(fetch(address)).rejects.toThrow()
  })

  it('[BY-7] serves a packed library, matches by meaning, and follows new packs', async () => {
    // A fixed clock: nothing is refreshed only because time has passed.
    vi.useFakeTimers({ toFake: ['Date'] })
    const cwd = temporaryFolder(two)
    await cli(['pack', '--out', 'out', '--no-well-known'], { cwd })
    const { address, err, out } = await serving(['out', '--api'], cwd)
    expect(err()).toBe('')
    const best = async () => {
      const found = await fetch(`${address}v1/search?message=${encodeURIComponent('烤面包')}`)
      return ((await found.json()) as { matches: { name: string }[] }).matches[0]?.name
    }
    expect(await best()).toBe('b')
    // Files that were not packed are generated from the library.
    expect(out()).toContain(`well-known   ${address}${SITE}`)
    expect(
      ((await (await fetch(address + SITE)).json()) as { skills: object[] }).skills,
    ).toHaveLength(2)
    await place(cwd, 'skills/new', skill('new', 'Paints walls.'))
    await cli(['pack', '--out', 'out'], { cwd })
    while ((await namesAt(address)).length < 3);
    expect(await namesAt(address)).toEqual(['a', 'b', 'new'])

    await cli(['pack', '--out', 'words', '--no-meaning'], { cwd })
    const words = await serving(['words', '--api'], cwd)
    expect(words.err()).toContain('has no vectors of this embedder')
  })
})

describe('skillshelf serve, invalid usage', () => {
  it('reports a port in use, a foreign host and an invalid port', async () => {
    const cwd = temporaryFolder(two)
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await cli(['serve', '--port', String(port)], { cwd })).toMatchObject({
      code: 2,
      out: '',
      err: `skillshelf: Port ${port} is in use\n  try --port ${port + 1}, or --port 0 for a free one\n`,
    })
    server.close()
    const foreign = await cli(['serve', '--port', '0', '--host', '203.0.113.7'], { cwd })
    expect(foreign.err).toContain('203.0.113.7 is not an address of this machine')
    for (const port of ['x', '-1', '65536', '1.5'])
      expect(await cli(['serve', '--port', port], { cwd })).toMatchObject({ code: 2, out: '' })
  })

  it('reports a folder without skills, and flags that a packed library does not support', async () => {
    const cwd = temporaryFolder({
      ...two,
      'empty/x.txt': 'x',
      'bad/a/SKILL.md': '',
      'broken/skillshelf.json': '{',
    })
    await cli(['pack', '--out', 'out'], { cwd })
    for (const [argv, why] of [
      [['empty'], 'No skills found in empty\n'],
      [['bad'], 'No usable skill in bad\n'],
      [['nowhere'], 'No such folder: nowhere\n'],
      [['broken'], 'skillshelf.json of broken is not valid JSON\n'],
      [['out', '--strict'], '`--strict` needs a folder of skills; out is a packed library\n'],
      [
        ['out', '--no-meaning'],
        '`--no-meaning` needs a folder of skills; out is a packed library\n',
      ],
      [
        ['out', '--api', '--strict'],
        '`--strict` needs a folder of skills; out is a packed library\n',
      ],
      [['out', '--name', 'x'], '`--name` needs a folder of skills; out is a packed library\n'],
      [['--name', ' '], '`--name` is empty\n'],
    ] as const)
      await expectRefusal(why, ['serve', ...argv, '--port', '0'], { cwd })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('stops on %s as a process', async signal => {
    const child = spawn(process.execPath, [main, 'serve', '--no-meaning', '--port', '0'], {
      cwd: temporaryFolder(two),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let out = ''
    for await (const part of child.stdout) {
      out += String(part)
      if (out.includes('Press Ctrl-C to stop')) break
    }
    const exit = once(child, 'exit')
    child.kill(signal)
    expect(await exit).toEqual([0, null])
  })
})
