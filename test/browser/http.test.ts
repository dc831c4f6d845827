import { describe, expect, it } from 'vitest'
import { http, memory, openLibrary } from '../../src/exports/index.js'
import type { HttpRequest, HttpResponse } from '../../src/source/http/options.js'
import type { FetchResult, ReadResult } from '../../src/source/source.js'
import { packedFiles } from '../packed-files.js'

const skill = '---\nname: a\ndescription: Sails a boat.\n---\nHoist.\n'

/** A URL with these bytes for the browser's own fetch. */
async function published(): Promise<Map<string, string>> {
  const files = await packedFiles(memory({ 'a/SKILL.md': skill, 'a/x.bin': new Uint8Array([0, 255, 7]) }))
  const blob = (bytes: BlobPart) => new Blob([bytes], { type: 'application/octet-stream' })
  return new Map(Object.entries(files).map(([path, bytes]) => [path, URL.createObjectURL(blob(bytes))]))
}

describe('http in a page', () => {
  it('[CARD-1] http resolves a URL relative to the page', async () => {
    const source = http('/test/core/')
    expect(source.root?.('a b.md')).toBe(`${location.origin}/test/core/a%20b.md`)
    expect(source.name).toBe('core')
    expect(http('skills/skillshelf.json').root?.('')).toBe(new URL('skills/', location.href).href)
  })

  it('[CARD-1] http reads with the browser’s fetch', async () => {
    const { bytes } = (await http('/demo/skills/').read('image-tools/assets/sample.png')) as ReadResult
    expect([...bytes.slice(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47])
  })

  it('[CARD-1] http treats the start page of a host as a missing library', async () => {
    const library = await openLibrary('/no/such/skills/')
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'source-missing', path: 'skills' }])
    expect((await library.search('anything')).matches).toEqual([])
  })

  it('[BY-5] http opens a packed library through the browser’s fetch', async () => {
    const addresses = await published()
    const asked: string[] = []
    const fetchPacked = (url: string, init: HttpRequest) => {
      const path = new URL(url).pathname.slice('/skills/'.length)
      asked.push(path)
      return fetch(addresses.get(path) ?? '/missing', init)
    }
    const library = await openLibrary(http('/skills/', { fetch: fetchPacked }))
    expect(library.snapshot.diagnostics).toEqual([])
    expect(asked).toHaveLength(2)
    expect((await library.match('sails a boat', { threshold: 0 })).matches[0]?.id).toBe('skills/a')
    expect((await library.get('a')).instructions).toBe('Hoist.')
    expect([...(await library.read('a', 'x.bin')).bytes]).toEqual([0, 255, 7])
    expect([...(await library.read('a', 'x.bin', { range: { offset: 1, length: 1 } })).bytes]).toEqual([255])
  })

  it('[CARD-1] http fetches a URL relative to the page and rejects the start page', async () => {
    const found = (await http('/demo/skills/book-flight/SKILL.md').fetch('')) as FetchResult
    expect(found.url).toBe(`${location.origin}/demo/skills/book-flight/SKILL.md`)
    expect(await http('/demo/').fetch('no/such/file.zip')).toBeUndefined()
    const library = await openLibrary('/demo/skills/book-flight/SKILL.md')
    expect(library.snapshot.skills).toMatchObject([{ id: 'book-flight', name: 'book-flight' }])
  })

  it('[AC-5] http tells a host that is down from one without CORS headers', async () => {
    const down = http('http://127.0.0.1:9/', { maxRetries: 0 }).read('a.md')
    const network = { hint: 'check the address and the network' }
    await expect(down).rejects.toMatchObject({ code: 'source-failed', details: network })
    // Stands for a host that answers only requests without CORS.
    const fetch = async (_: string, { mode }: HttpRequest): Promise<HttpResponse> => {
      if (mode !== 'no-cors') throw new TypeError('Failed to fetch')
      return new Response()
    }
    const strict = http('https://example.com/', { maxRetries: 0, fetch }).read('a.md')
    const cors = { hint: expect.stringContaining('CORS') }
    await expect(strict).rejects.toMatchObject({ code: 'source-failed', details: cors })
  })

  it('[AC-5] a host that is down is asked for one file, and for no other', async () => {
    const asked: string[] = []
    const counted = async (url: string, init: HttpRequest): Promise<HttpResponse> => {
      asked.push(`${init.mode ?? 'cors'} ${url}`)
      return fetch(url, init)
    }
    const source = http('http://127.0.0.1:9/skills/', { fetch: counted, backoff: 1 })
    await using library = await openLibrary(source, { onDiagnostic: () => undefined })
    expect(library.snapshot.diagnostics).toMatchObject([{ code: 'source-unreadable' }])
    const file = 'http://127.0.0.1:9/skills/skillshelf.json'
    expect(asked).toEqual([`cors ${file}`, `cors ${file}`, `cors ${file}`, `no-cors ${file}`])
  })

  it('[CARD-1] http rejects with "aborted" when a real fetch is aborted', async () => {
    const stop = new AbortController()
    const reading = http('/demo/skills/').read('README.md', { signal: stop.signal })
    stop.abort()
    await expect(reading).rejects.toMatchObject({ code: 'aborted', name: 'AbortError' })
  })
})
