import { expect, it } from 'vitest'
import { executablePath } from '../launch.js'
import { startHttpServer } from './http-server.js'
import { bundleScript, startBrowser } from './pages.js'

/** `createHandler` in a service worker: the page uses the REST API without a server. */

const WORKER = `
  import { createHandler } from '../../src/exports/server.ts'
  import { memory, openLibrary } from '../../src/exports/index.ts'

  const skills = {
    'tea/SKILL.md': '---\\nname: tea\\ndescription: Brews tea for guests.\\n---\\n\\nBoil.\\n',
    'tea/leaves.md': 'Oolong.\\n',
  }
  const handler = createHandler(() => ({ library: openLibrary(memory(skills, { name: 'shelf' })) }))
  addEventListener('install', () => skipWaiting())
  addEventListener('activate', event => event.waitUntil(clients.claim()))
  addEventListener('fetch', event => {
    if (/^\\/(v1|mcp)\\b/.test(new URL(event.request.url).pathname))
      event.respondWith(handler.fetch(event.request, undefined, event))
  })
`

it.skipIf(executablePath === undefined)(
  '[CARD-3] [BY-7] createHandler in a service worker answers REST and MCP requests offline',
  async () => {
    // Service workers cannot import modules dynamically, so everything is in one script.
    const script = await bundleScript(WORKER, 'iife')
    const requests: string[] = []
    const { address } = await startHttpServer(({ url = '' }, response) => {
      requests.push(url)
      if (url === '/worker.js')
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
      else
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end('<!doctype html><title>A page</title>')
    })
    const context = await (await startBrowser()).newContext()
    const page = await context.newPage()
    await page.goto(address)
    await page.evaluate(async () => {
      const claimed = new Promise(resolve =>
        navigator.serviceWorker.addEventListener('controllerchange', resolve),
      )
      await navigator.serviceWorker.register('/worker.js')
      await claimed
    })
    await context.setOffline(true)
    const answers = await page.evaluate(async () => {
      const read = async (path: string, init?: RequestInit) => {
        const answer = await fetch(path, init)
        return {
          status: answer.status,
          type: answer.headers.get('content-type'),
          text: await answer.text(),
        }
      }
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      }
      const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      return {
        match: await read('/v1/match?message=brew%20some%20tea'),
        file: await read('/v1/skills/tea/files/leaves.md', { headers: { range: 'bytes=0-2' } }),
        missing: await read('/v1/skills/coffee'),
        tools: await read('/mcp', { method: 'POST', headers, body: list }),
      }
    })
    expect(JSON.parse(answers.match.text).matches[0]).toMatchObject({ id: 'shelf/tea' })
    expect(answers.file).toEqual({ status: 206, type: 'text/markdown; charset=utf-8', text: 'Ool' })
    expect(answers.missing).toMatchObject({ status: 404, type: 'application/problem+json' })
    expect(answers.tools.text).toContain('load_skill')
    expect(requests.filter(path => !['/', '/worker.js', '/favicon.ico'].includes(path))).toEqual([])
    await context.close()
  },
)
