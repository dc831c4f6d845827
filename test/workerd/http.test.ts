import { expect, it } from 'vitest'
import { http, openLibrary } from '../../src/exports/index.js'
import { siteV1 } from '../core/site-world.js'

it('[CARD-1] a redirected site is read through a binding, such as that of static assets', async () => {
  const files = siteV1({ 'a/SKILL.md': '---\nname: a\ndescription: Does a.\n---\nHow.\n' })
  const binding = async ({ url }: Request) => {
    const { pathname } = new URL(url)
    if (!pathname.startsWith('/now'))
      return Response.redirect(`https://assets.local/now${pathname}`)
    const content = files[pathname.slice(4)]
    return content === undefined ? new Response('', { status: 404 }) : new Response(content)
  }
  const source = http('https://assets.local/', {
    fetch: (url, init) => binding(new Request(url, init)),
  })
  expect((await (await openLibrary(source)).get('a')).instructions).toBe('How.')
})
