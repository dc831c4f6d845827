import { env, exports } from 'cloudflare:workers'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { beforeAll, describe, expect, it } from 'vitest'
import type { R2BucketLike } from '../../src/exports/cloudflare.js'
import { bundled } from '../../src/exports/model.js'
import { packFiles } from '../packed-files.js'
import { fill } from './r2-world.js'

/** The deployed Worker in workerd, over an R2 bucket. */

const bucket = (env as unknown as { SKILLS: R2BucketLike }).SKILLS
const INSTRUCTIONS = 'Count the cups, boil the water, wait three minutes.'
const INVOICE = 'description: Checks an invoice against its order before it is paid.'
const FILES = {
  'tea/SKILL.md': `---\nname: tea\ndescription: Brews tea for guests.\n---\n\n${INSTRUCTIONS}\n`,
  'tea/references/leaves.md': 'Oolong.\n',
  'office/invoice-check/SKILL.md': `---\nname: invoice-check\n${INVOICE}\ntags: [office]\n---\n\nCompare the amounts.\n`,
  '调研/SKILL.md':
    '---\nname: 调研\ndescription: 深入调研一个市场，写出报告。\n---\n\n先列提纲。\n',
}
const ask = (path: string, init?: RequestInit): Promise<Response> =>
  (exports as unknown as { default: Fetcher }).default.fetch(`https://shelf.example${path}`, init)
const json = async <T>(path: string, init?: RequestInit): Promise<T> =>
  (await ask(path, init)).json<T>()
const TOKEN = { authorization: 'Bearer written-by-tests' }

beforeAll(async () => fill(bucket, await packFiles(FILES, 'skills', { embedder: await bundled() })))

describe('Worker', () => {
  it('[CARD-3] lists, matches, opens and reads skills in R2', async () => {
    expect(await json('/v1/health')).toMatchObject({ status: 'ok', skills: 3, writable: true })
    const { skills, total } = await json<{ skills: { id: string }[]; total: number }>(
      '/v1/skills?tag=office',
    )
    expect([total, skills.map(({ id }) => id)]).toEqual([1, ['skills/office/invoice-check']])
    const message = encodeURIComponent('check this invoice against its order before it is paid')
    const { matches } = await json<{ matches: object[] }>(`/v1/match?message=${message}`)
    expect(matches[0]).toMatchObject({ name: 'invoice-check', id: 'skills/office/invoice-check' })
    expect(await json('/v1/skills/tea')).toMatchObject({
      id: 'skills/tea',
      instructions: INSTRUCTIONS,
    })
    const file = await ask('/v1/skills/tea/files/references/leaves.md')
    expect([file.headers.get('content-type'), await file.text()]).toEqual([
      'text/markdown; charset=utf-8',
      'Oolong.\n',
    ])
  })

  it('[CARD-3] matches by meaning in Chinese with the bundled model', async () => {
    const found = await json('/v1/match', {
      method: 'POST',
      body: JSON.stringify({ message: '帮我调研AI市场' }),
    })
    expect(found).toMatchObject({
      matches: [{ name: '调研' }],
      model: expect.stringMatching(/^hybrid\//),
    })
  })

  it('[CARD-3] serves packed files, which a page opens with two requests', async () => {
    const { openLibrary, http } = await import('../../src/exports/index.js')
    const asked: string[] = []
    const fetch = async (url: string, init: object) => {
      asked.push(new URL(url).pathname)
      return ask(new URL(url).pathname, init)
    }
    await using library = await openLibrary(http('https://shelf.example/', { fetch }))
    expect(library.snapshot.skills.map(({ name }) => name)).toEqual([
      'invoice-check',
      'tea',
      '调研',
    ])
    expect(asked).toEqual(['/skillshelf.json', expect.stringMatching(/^\/[0-9a-f]{16}\.seg$/)])
  })

  it('[CARD-3] [BY-7] MCP: a client lists the tools, opens a skill, and reads by the Skills extension', async () => {
    const client = new Client({ name: 'test', version: '1' })
    const fetch = (url: string | URL, init?: object) => ask(new URL(url).pathname, init)
    await client.connect(
      new StreamableHTTPClientTransport(new URL('https://shelf.example/mcp'), { fetch }),
    )
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('load_skill')
    const opened = await client.callTool({ name: 'load_skill', arguments: { skill: 'tea' } })
    expect(JSON.stringify(opened.content)).toContain(INSTRUCTIONS)
    const { skills } = await new SkillsClient(client).list()
    // The extension refuses the name of the third skill.
    expect(skills.map(({ frontmatter }) => frontmatter.name).sort()).toEqual([
      'invoice-check',
      'tea',
    ])
    await client.close()
  })

  it('[CARD-3] accepts writes only with the token', async () => {
    const put = (headers: Record<string, string>) =>
      ask('/v1/store/coffee', {
        method: 'PUT',
        headers: { 'content-type': 'text/markdown', ...headers },
        body: '---\nname: coffee\ndescription: Grinds beans and brews coffee.\n---\n\nGrind them.\n',
      })
    for (const headers of [
      {},
      { authorization: 'Bearer written-by-nobody' },
      { authorization: 'written-by-tests' },
    ]) {
      const refused = await put(headers)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(await refused.json()).toMatchObject({ code: 'not-allowed' })
    }
    expect((await ask('/v1/store?token=written-by-tests')).status).toBe(401)
    expect((await ask('/v1/skills/coffee')).status).toBe(404)

    expect(await (await put(TOKEN)).json()).toMatchObject({
      added: ['skills/coffee'],
      changed: [],
      removed: [],
    })
    expect(await json('/v1/skills/coffee')).toMatchObject({ instructions: 'Grind them.' })
    const { matches } = await json<{ matches: { name: string }[] }>(
      '/v1/match?message=grind+coffee+beans',
    )
    expect(matches[0]?.name).toBe('coffee')
    const removed = await ask('/v1/store/coffee', { method: 'DELETE', headers: TOKEN })
    expect(await removed.json()).toMatchObject({ removed: ['skills/coffee'] })
    expect((await ask('/v1/skills/coffee')).status).toBe(404)
  })
})
