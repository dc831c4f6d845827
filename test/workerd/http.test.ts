import { describe, expect, it } from 'vitest'
import { http, openLibrary } from '../../src/exports/index.js'
import { siteV1 } from '../core/site-world.js'
import { packFiles } from '../packed-files.js'
import { librarySuite } from '../suites/library-suite.js'

/** Reads through a binding, such as that of static assets. */
const through = (address: string, binding: (request: Request) => Promise<Response>) =>
  openLibrary(http(address, { fetch: (url, init) => binding(new Request(url, init)) }))

describe('http in workerd', () => {
  for (const { name, run } of librarySuite(async files => {
    const held = await packFiles(files)
    return through('https://assets.local/skills/', async ({ url }) => {
      const bytes = held[new URL(url).pathname.replace('/skills/', '')]
      return bytes ? new Response(bytes) : new Response('not found', { status: 404 })
    })
  }))
    it(`[BY-5] static assets binding: ${name}`, run)

  it('[CARD-1] a redirected site is read through a binding', async () => {
    const files = siteV1({ 'a/SKILL.md': '---\nname: a\ndescription: Does a.\n---\nHow.\n' })
    const library = await through('https://assets.local/', async ({ url }) => {
      const { pathname } = new URL(url)
      if (!pathname.startsWith('/now')) return Response.redirect(`https://assets.local/now${pathname}`)
      const content = files[pathname.slice(4)]
      return content === undefined ? new Response('', { status: 404 }) : new Response(content)
    })
    expect((await library.get('a')).instructions).toBe('How.')
  })

  it('[CARD-1] http requires an absolute URL outside a page', async () => {
    await expect(openLibrary('/skills/')).rejects.toMatchObject({ code: 'invalid-input' })
  })
})
