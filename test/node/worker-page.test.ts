import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unstable_startWorker } from 'wrangler'
import { temporaryFolder } from '../folders.js'
import { executablePath } from '../launch.js'
import { startBrowser } from './pages.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const isBuilt = existsSync(`${root}demo/dist/index.html`)
const SKILL = '---\nname: roses\ndescription: Prunes roses in the garden.\n---\nCut above a bud.\n'

describe.skipIf(!isBuilt || executablePath === undefined)('a Worker with the page', () => {
  let worker: Awaited<ReturnType<typeof unstable_startWorker>>
  let browser: Browser
  let address: URL

  beforeAll(async () => {
    worker = await unstable_startWorker({
      config: `${root}worker/page.toml`,
      bindings: { SKILLSHELF_TOKEN: { type: 'plain_text', value: 'secret' } },
      dev: {
        server: { port: 0 },
        inspector: false,
        watch: false,
        logLevel: 'none',
        persist: temporaryFolder(),
      },
    })
    address = await worker.url
    browser = await startBrowser()
  })
  afterAll(() => worker?.dispose())

  it('[CARD-3] serves the page and the API, and the page opens the library of the Worker', async () => {
    const page = await browser.newPage()
    await page.goto(address.href)
    await page.getByRole('searchbox').fill('make slides')
    await page.locator('.item .name', { hasText: 'ppt' }).first().waitFor()

    const stored = await fetch(new URL('v1/store/roses', address), {
      method: 'PUT',
      headers: { authorization: 'Bearer secret', 'content-type': 'text/markdown' },
      body: SKILL,
    })
    expect(stored.status).toBe(200)
    const answer = await fetch(new URL('v1/match?message=prune+my+roses', address))
    const { matches } = (await answer.json()) as { matches: { name: string }[] }
    expect(matches.map(({ name }) => name)).toEqual(['roses'])

    const korean = await fetch(new URL('v1/search?message=장미를+가지치기해+줘', address))
    const roses = expect.arrayContaining([expect.objectContaining({ name: 'roses' })])
    expect(await korean.json()).toMatchObject({ matches: roses, complete: true })

    await page.goto(new URL('?library=/#/?q=prune+my+roses', address).href)
    await page.getByText('Prunes roses in the garden.').first().waitFor()
  })
})
