import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createHandler, type ServedLibrary } from '../../src/exports/server.js'
import { executablePath, launch } from '../launch.js'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const FILES = {
  'slides/SKILL.md':
    '---\nname: slides\ndisplay_name: 幻灯片 Slides\ndescription: Makes slides. 制作幻灯片。\n---\n\nSketch.\n',
  'bad/SKILL.md':
    '---\nname: "<img src=x onerror=alert(1)>"\ndescription: "Slides </p><script>alert(1)</script> \\u202e"\n---\n\nDo.\n',
  'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\n---\n\nBoil.\n',
}

async function asking(options: Partial<ServedLibrary> = {}) {
  const library = await openLibrary(memory(FILES, { name: 'shelf' }))
  const handler = createHandler({ library, ...options })
  const ask = (path: string, language = 'en') =>
    handler.fetch(new Request(`http://fake.invalid${path}`, { headers: { 'accept-language': language } }))
  return { ask, handler }
}

it('[BY-7] [BY-9] the search page needs no script, and shows texts of skills as text', async () => {
  const { ask } = await asking()
  const response = await ask('/?message=slides')
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'unsafe-inline'; form-action 'self';/,
  )
  const page = await response.text()
  expect(page).toContain('Makes slides.')
  expect(page).toMatch(/Score [01]\.\d\d<[\s\S]*class="reason">/)
  expect(page).toContain('&lt;img src=x onerror=alert(1)>')
  expect(page).not.toMatch(/<script|<img|\u202e/)
  const message = '"><script>alert(1)</script>'
  expect(await (await ask(`/?message=${encodeURIComponent(message)}`)).text()).not.toContain('<script')
  expect((await ask(`/?message=${'a'.repeat(9_000)}`)).status).toBe(200)
})

it('[BY-7] [BY-4] the search page lists all skills first, in English or Chinese', async () => {
  const { ask } = await asking()
  expect(await (await ask('/')).text()).toMatch(/<html lang="en">[\s\S]*All skills \(3\)[\s\S]*Brews tea\./)
  expect(await (await ask('/', 'zh-CN,zh;q=0.9,en;q=0.8')).text()).toContain('全部技能（3）')
  expect(await (await ask('/', 'en-US,zh;q=0.5')).text()).toContain('All skills')
  expect(await (await ask('/?message=tea', 'zh')).text()).toMatch(/得分[\s\S]*中有/)
  expect(await (await ask('/?message=%C2%A7')).text()).toContain('No skill')
})

it('[BY-7] a fallback replaces the search page', async () => {
  const { ask } = await asking({ fallback: () => new Response('own page') })
  expect(await (await ask('/')).text()).toBe('own page')
})

it.skipIf(!executablePath)(
  '[BY-7] the search page works in a browser, below a private link too, and is accessible',
  async () => {
    const { handler } = await asking({ readToken: 'read', linkToken: 'secret' })
    const server = createAdaptorServer({ fetch: request => handler.fetch(request) })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const browser = await launch()
    try {
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({
          colorScheme,
          viewport: { width: 360, height: 800 },
          bypassCSP: true,
        })
        const page = await context.newPage()
        await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/s/secret/`)
        await page.getByLabel('Your message').fill('制作幻灯片')
        await page.getByRole('button', { name: 'Search' }).click()
        await page.getByRole('heading', { name: 'Nearest skills' }).waitFor()
        expect(await page.getByRole('listitem').first().innerText()).toContain('幻灯片 Slides')
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
        await page.evaluate(await readFile(AXE, 'utf8'))
        const { violations } = (await page.evaluate('axe.run()')) as {
          violations: { id: string; nodes: { failureSummary: string }[] }[]
        }
        expect(violations.map(({ id, nodes }) => [id, nodes.map(one => one.failureSummary)])).toEqual([])
        await page.getByRole('link', { name: '幻灯片 Slides' }).click()
        expect(await page.innerText('body')).toContain('Sketch.')
        await context.close()
      }
    } finally {
      await browser.close()
      server.close()
    }
  },
)
