import { describe, expect, it } from 'vitest'
import { sourceSuite } from '../../src/exports/testing.js'
import { http } from '../../src/source/http/http.js'
import type { HttpRequest } from '../../src/source/http/options.js'
import { memory } from '../../src/source/memory.js'
import type { ReadResult, SkillSource } from '../../src/source/source.js'
import { fails } from '../fails.js'
import type { Files } from '../packed-files.js'
import { readText as text } from '../read-text.js'
import { staticHost } from '../static-host.js'

describe('memory', () => {
  for (const { name, run } of sourceSuite(async files => ({ source: memory(files) })))
    it(`[CARD-1] memory: ${name}`, run)

  const lazily = (files: Files): SkillSource =>
    memory(
      Object.fromEntries(
        Object.entries(files).map(([path, one]) => [
          `../../${path}`,
          async () => ({ default: one }),
        ]),
      ),
    )
  for (const { name, run } of sourceSuite(async files => ({ source: lazily(files) })))
    it(`[CARD-1] memory of a bundler’s glob: ${name}`, run)

  it('[CARD-1] memory accepts the paths of a glob', async () => {
    const source = memory({
      '../../skills/a.md': 'a',
      './b.md': 'b',
      '/c.md': 'c',
      '.hidden/d.md': 'd',
    })
    const paths = (await source.list?.())?.map(({ path }) => path)
    expect(paths).toEqual(['skills/a.md', 'b.md', 'c.md', '.hidden/d.md'])
  })

  it('[CARD-1] memory loads a function on first read', async () => {
    let loaded = 0
    const load = async () => {
      loaded++
      return 'text'
    }
    const source = memory({ 'a.md': load, 'b.md': async () => new Uint8Array([1, 2]) })
    await source.list?.()
    expect(loaded).toBe(0)
    expect(await text(source, 'a.md')).toBe('text')
    expect(((await source.read('b.md')) as ReadResult).bytes).toEqual(new Uint8Array([1, 2]))
  })

  it('[CARD-1] memory reports errors of a loader', async () => {
    const source = memory({
      'none.md': async () => undefined as never,
      'component.md': async () => ({ default: () => 0 }) as never,
      'broken.md': () => Promise.reject(new Error('no such chunk')),
    })
    for (const path of ['none.md', 'component.md'])
      await fails(source.read(path), 'invalid-input', { details: { subject: path } })
    await fails(source.read('broken.md'), 'source-failed')
  })

  it('[BY-9] memory rejects a write with a path outside its root', async () => {
    expect(() => memory({ 'a/../../b.md': 'x' })).toThrow(
      expect.objectContaining({ code: 'invalid-path' }),
    )
    const source = memory({ 'a.md': 'old', 'b.md': 'old' })
    for (const bad of ['../c.md', '/c.md', 'c\\d.md', '%2e%2e/c.md']) {
      const write = source.write({
        put: { 'a.md': 'new', 'd.md': 'new', [bad]: 'new' },
        remove: ['b.md'],
      })
      await fails(write, 'invalid-path')
    }
    expect((await source.list?.())?.map(({ path }) => path)).toEqual(['a.md', 'b.md'])
    expect(await text(source, 'a.md')).toBe('old')
  })

  it('[CARD-1] memory writes, replaces and removes files, and versions follow the content', async () => {
    const source = memory({ 'a.md': 'one', 'b.md': 'two' })
    const { version } = (await source.read('a.md')) as ReadResult
    await source.write({
      put: { 'a.md': 'uno', 'c.md': new Uint8Array([0]) },
      remove: ['b.md', 'nothing.md'],
    })
    expect(await text(source, 'a.md')).toBe('uno')
    expect(await text(source, 'b.md')).toBeUndefined()
    expect(
      ((await source.read('a.md', { ifVersion: version as string })) as ReadResult).version,
    ).not.toBe(version)
    await source.write({ put: { 'a.md': 'one' } })
    expect(await source.read('a.md', { ifVersion: version as string })).toBe('unchanged')
    const aborted = source.write({ put: { 'a.md': 'two' } }, { signal: AbortSignal.abort() })
    await fails(aborted, 'aborted')
    expect(await text(source, 'a.md')).toBe('one')
  })

  it('[CARD-1] memory aborts a load', async () => {
    const stop = new AbortController()
    const load = async () => {
      stop.abort()
      return 'late'
    }
    const source = memory({ 'a.md': load })
    await fails(source.read('a.md', { signal: stop.signal }), 'aborted')
  })
})

/** A static host as a fake `fetch`. */
function host(files: Files, options?: Parameters<typeof staticHost>[1]) {
  const answer = staticHost(files, options)
  const asked: { url: string; init: HttpRequest }[] = []
  const fetch = async (url: string, init: HttpRequest): Promise<Response> => {
    asked.push({ url, init })
    if (init.signal?.aborted) throw init.signal.reason
    return answer(url, init.headers)
  }
  return { fetch, asked }
}

/** A source of a host that always returns this response. */
function answering(answer: () => Response | Promise<Response>): SkillSource {
  return http('https://example.com/skills/', { fetch: async () => answer(), maxRetries: 0 })
}

describe('http', () => {
  const kinds: [string, Parameters<typeof host>[1]][] = [
    ['a host with ETags and ranges', {}],
    ['a host with dates and no ranges', { ranges: false, dates: true }],
  ]
  for (const [kind, options] of kinds) {
    const make = async (files: Files) => ({
      source: http('https://example.com/skills', { fetch: host(files, options).fetch }),
    })
    for (const { name, run } of sourceSuite(make)) it(`[CARD-1] http, ${kind}: ${name}`, run)
  }

  it.each([
    ['https://example.com/skills', 'https://example.com/skills/a/b.md'],
    ['https://example.com/skills/', 'https://example.com/skills/a/b.md'],
    ['https://example.com/skills/skillshelf.json', 'https://example.com/skills/a/b.md'],
    ['https://example.com/skills?version=2#top', 'https://example.com/skills/a/b.md'],
    ['https://example.com', 'https://example.com/a/b.md'],
    [new URL('https://example.com:8443/x/'), 'https://example.com:8443/x/a/b.md'],
  ])('[CARD-1] http takes %s as the folder', async (address, url) => {
    const { fetch, asked } = host({})
    const source = http(address, { fetch })
    await source.read('a/b.md')
    expect(asked.map(one => one.url)).toEqual([url])
    expect(source.root?.('a/b.md')).toBe(url)
    expect(source.root?.('')).toBe(url.replace('a/b.md', ''))
  })

  it.each([
    ['https://example.com/my%20skills/', 'my skills'],
    ['https://example.com/%E6%8A%80%E8%83%BD/skillshelf.json', '技能'],
    ['https://example.com/a%2Fb/', 'a%2Fb'],
    ['https://example.com/100%/', '100%'],
    ['https://example.com:8443/', 'example.com:8443'],
  ])('[CARD-1] http names itself after %s', (address, name) => {
    expect(http(address).name).toBe(name)
    expect(http(address, { name: 'mine' }).name).toBe('mine')
  })

  it.each(['C:\\skills', 'mailto:someone', 'https://', ''])(
    '[CARD-1] http rejects %j as an address',
    address => {
      const somewhere = globalThis.location?.href
      if (address === '' && somewhere) expect(http(address).root?.('a')).toMatch(/^https?:/)
      else expect(() => http(address)).toThrow(expect.objectContaining({ code: 'invalid-input' }))
    },
  )

  it('[CARD-1] http encodes characters reserved in URLs', async () => {
    const { fetch, asked } = host({})
    const source = http('https://example.com/skills/', { fetch })
    for (const path of ['a b/c#d.md', 'e?f=g&h.md', '100%.md', '调研.md']) await source.read(path)
    const encoded = ['a%20b/c%23d.md', 'e%3Ff%3Dg%26h.md', '100%25.md', '%E8%B0%83%E7%A0%94.md']
    expect(asked.map(({ url }) => url)).toEqual(
      encoded.map(path => `https://example.com/skills/${path}`),
    )
  })

  it('[CARD-1] http passes headers and credentials to fetch', async () => {
    const { fetch, asked } = host({ 'a.md': 'a' })
    const headers = { authorization: 'Bearer x' }
    const source = http('https://example.com/skills/', { fetch, headers, credentials: 'include' })
    await source.read('a.md')
    await source.read('a.md', { ifVersion: '"1"', range: { offset: 3, length: 2 } })
    const date = 'Wed, 21 Oct 2015 07:28:00 GMT'
    await source.read('a.md', { ifVersion: date, range: { offset: 3 } })
    await source.read('a.md', { ifVersion: 'W/"2"' })
    expect(asked.map(({ init: { signal: _, redirect: __, ...init } }) => init)).toEqual([
      { headers, credentials: 'include' },
      {
        headers: { ...headers, 'if-none-match': '"1"', range: 'bytes=3-4' },
        credentials: 'include',
      },
      // A range after the end is not an error: the whole file is requested.
      { headers, credentials: 'include' },
      {
        headers: { ...headers, 'if-modified-since': date, range: 'bytes=3-' },
        credentials: 'include',
      },
      { headers, credentials: 'include' },
      { headers: { ...headers, 'if-none-match': 'W/"2"' }, credentials: 'include' },
    ])
  })

  it.each([404, 410])('[CARD-1] http treats %i as a missing file', async status => {
    expect(await answering(() => new Response('gone', { status })).read('a.md')).toBeUndefined()
  })

  it.each([400, 401, 403, 429, 500, 503])('[CARD-1] http treats %i as a failure', async status => {
    const reading = answering(() => new Response('no', { status })).read('a.md')
    await fails(reading, 'source-failed', {
      details: { status, subject: 'https://example.com/skills/a.md' },
    })
  })

  it.each(['skillshelf.json', '0123456789abcdef.seg', 'a/SKILL.md', 'files/x', 'run.py'])(
    '[CARD-1] http treats a start page in place of %s as a missing file',
    async path => {
      const page = () =>
        new Response('<!doctype html>', { headers: { 'content-type': 'Text/HTML; charset=utf-8' } })
      expect(await answering(page).read(path)).toBeUndefined()
      expect(await text(answering(page), 'page.html')).toBe('<!doctype html>')
    },
  )

  it.each([
    ['no content-range', {}],
    ['a content-range without the total', { 'content-range': 'bytes 0-1/*' }],
  ])('[CARD-1] http asks for the whole file after a part with %s', async (_, headers) => {
    const whole = 'the whole file'
    const part = { status: 206, headers: headers as Record<string, string> }
    const source = http('https://example.com/', {
      fetch: async (_url, init) =>
        init.headers['range'] ? new Response(whole.slice(4, 9), part) : new Response(whole),
    })
    const result = (await source.read('a.md', { range: { offset: 4, length: 5 } })) as ReadResult
    expect(new TextDecoder().decode(result.bytes)).toBe(whole)
    expect(result.partial).toBeUndefined()
  })

  it('[CARD-1] http explains a network failure', async () => {
    const source = answering(() => Promise.reject(new TypeError('Failed to fetch')))
    const message = expect.stringMatching(
      /a\.md could not be read: Failed to fetch \(check the address.*network\)/,
    )
    await expect(source.read('a.md')).rejects.toMatchObject({ code: 'source-failed', message })
  })

  it.each([
    ['an abort', new DOMException('stop', 'AbortError')],
    ['a time-out', new DOMException('late', 'TimeoutError')],
    ['a reason of the caller’s', new Error('navigated away')],
  ])('[CARD-1] http ends half a body with "aborted" after %s', async (_, reason) => {
    const stop = new AbortController()
    const body = (signal: HttpRequest['signal']) =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(10))
          signal?.addEventListener('abort', () => controller.error(signal.reason))
        },
        pull: () => stop.abort(reason),
      })
    const source = http('https://example.com/', {
      fetch: async (_url, { signal }) => new Response(body(signal)),
    })
    await fails(source.read('a.bin', { signal: stop.signal }), 'aborted', { name: 'AbortError' })
  })

  it('[CARD-1] http reports an incomplete body', async () => {
    const broken = () =>
      new Response(
        new ReadableStream({
          pull: controller => controller.error(new TypeError('connection reset')),
        }),
      )
    await fails(answering(broken).read('a.bin'), 'source-failed')
  })

  it('[CARD-1] http cancels every unread body', async () => {
    let cancelled = 0
    const body = () => new ReadableStream({ cancel: () => void cancelled++ })
    const answers = [
      new Response(body(), { status: 404 }),
      new Response(body(), { status: 500 }),
      new Response(body(), { headers: { 'content-type': 'text/html' } }),
    ]
    for (const answer of answers)
      await answering(() => answer)
        .read('a.md')
        .catch(() => undefined)
    expect(cancelled).toBe(3)
  })
})
