import { describe, expect, it } from 'vitest'
import { http, openLibrary } from '../../src/exports/index.js'
import type { HttpRequest, HttpResponse } from '../../src/source/http/options.js'
import type { FetchResult, ReadResult } from '../../src/source/source.js'

describe('http in a page', () => {
  it('[CARD-1] http resolves a URL relative to the page', async () => {
    const source = http('/test/core/')
    expect(source.root?.('a b.md')).toBe(`${location.origin}/test/core/a%20b.md`)
    expect(source.name).toBe('core')
    expect(http('skills/skillshelf.json').root?.('')).toBe(new URL('skills/', location.href).href)
  })

  it('[CARD-1] http reads with the browser’s fetch', async () => {
    const { bytes } = (await http('/demo/skills/').read(
      'image-tools/assets/sample.png',
    )) as ReadResult
    expect([...bytes.slice(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47])
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
})
