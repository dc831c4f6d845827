import { describe, expect, it } from 'vitest'
import { openLibrary } from '../../src/library/open-library.js'
import { http } from '../../src/source/http/http.js'
import { siteV1 } from '../core/site-world.js'
import { packFiles } from '../packed-files.js'
import { librarySuite } from '../suites/library-suite.js'

/** Stands in for a static assets binding. */
async function assets(files: Parameters<typeof packFiles>[0]): Promise<{ fetch(request: Request): Promise<Response> }> {
  const held = await packFiles(files)
  return {
    async fetch(request) {
      const bytes = held[new URL(request.url).pathname.replace('/skills/', '')]
      return bytes ? new Response(bytes) : new Response('not found', { status: 404 })
    },
  }
}

describe('http in workerd', () => {
  for (const { name, run } of librarySuite(async files => {
    const binding = await assets(files)
    return openLibrary(
      http('https://assets.local/skills/', { fetch: (url, init) => binding.fetch(new Request(url, init)) }),
    )
  }))
    it(`[BY-5] static assets binding: ${name}`, run)

  it('[CARD-1] a redirected site is read through a binding', async () => {
    const files = siteV1({ 'a/SKILL.md': '---\nname: a\ndescription: Does a.\n---\nHow.\n' })
    const binding = {
      async fetch({ url }: Request) {
        const { pathname } = new URL(url)
        if (!pathname.startsWith('/now')) return Response.redirect(`https://assets.local/now${pathname}`)
        const content = files[pathname.slice(4)]
        return content === undefined ? new Response('', { status: 404 }) : new Response(content)
      },
    }
    const library = await openLibrary(
      http('https://assets.local/', { fetch: (url, init) => binding.fetch(new Request(url, init)) }),
    )
    expect((await library.get('a')).instructions).toBe('How.')
  })

  it('[CARD-1] http requires an absolute URL outside a page', async () => {
    await expect(openLibrary('/skills/')).rejects.toMatchObject({ code: 'invalid-input' })
  })
})
