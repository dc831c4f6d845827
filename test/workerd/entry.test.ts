import { exports } from 'cloudflare:workers'
import { expect, it } from 'vitest'

const ask = (path: string, init?: RequestInit): Promise<Response> =>
  (exports as unknown as { default: Fetcher }).default.fetch(`https://shelf.example${path}`, init)

it('matches a message over the samples among its static assets', async () => {
  const response = await ask(`/match?q=${encodeURIComponent('make slides about our launch')}`)
  expect(response.status).toBe(200)
  const { matches, revision } = await response.json<{ matches: { name: string; score: number }[]; revision: string }>()
  expect(matches.map(match => match.name)).toEqual(['ppt'])
  expect(matches[0]?.score).toBeGreaterThan(0.7)
  expect(revision).toMatch(/^[0-9a-f]{16}$/)
})

it('answers with nothing for a message that no skill serves', async () => {
  const response = await ask(`/match?q=${encodeURIComponent('给我讲个笑话')}`)
  expect(await response.json()).toMatchObject({ matches: [], abstained: 'below-threshold' })
})

it('says what is wrong with a request', async () => {
  expect((await ask('/match')).status).toBe(400)
  expect((await ask('/match?q=x', { method: 'POST' })).status).toBe(405)
})

it('serves the page', async () => {
  const response = await ask('/')
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  expect(await response.text()).toContain('skillshelf')
})
