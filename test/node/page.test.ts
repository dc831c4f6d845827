import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type Browser, chromium, type Locator, type Page } from 'playwright'
import { build, mergeConfig, type Rolldown } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { memory, pack, type SkillSource } from '../../src/index.js'
import { directory } from '../../src/source/directory.js'
import config from '../../vite.config.js'
import { findBrowser } from '../find-browser.js'

/** The built demo page, as any static host serves it, in a real browser. */

const samples = fileURLToPath(new URL('../../demo/skills', import.meta.url))
const executablePath = process.env['SKIP_BROWSER'] ? undefined : findBrowser()
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self' https:; base-uri 'self'; form-action 'none'"
/** Gzipped bytes of script: what the page names itself, and all that is there when it can answer. */
const PAINT_BUDGET = 45_000
const ANSWER_BUDGET = 64_000

const RUN = 'window.ran = true'
const HOSTILE = {
  'evil/SKILL.md': `---
name: '<img src=x onerror="${RUN}">'
display_name: <script>${RUN}</script>shown
description: 'Removes stains <svg onload="${RUN}"> from shirts "><script>${RUN}</script>'
tags: ['<b onmouseover="${RUN}">tag</b>']
author: '<iframe srcdoc="<script>parent.ran = true</script>"></iframe>'
---
# Stains <img src=x onerror="${RUN}">

<script>${RUN}</script>

<svg><style><img src=x onerror="${RUN}"></style></svg>

<style>body { display: none }</style>

<p style="position: fixed; inset: 0">over everything</p>

<form action="https://outside.invalid/"><input name="secret" autofocus onfocus="${RUN}"></form>

[script link](javascript:${RUN.replaceAll(' ', '')}) and [coded](&#106;avascript:alert(1)) and [page](data:text/html,x) and
[outside](https://outside.invalid/page "title") and [the list](lists/soaps.md) and [gone](../../main.js) and
<a href="javascript:${RUN}">tag link</a>

![tracker](https://outside.invalid/pixel.png) ![broken](x"onerror="${RUN.replaceAll(' ', '')}) ![beside](./icon.png)

![dot](data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)
`,
  [`evil/<img src=x onerror="${RUN}">.txt`]: `<script>${RUN}</script> as text`,
  'evil/lists/soaps.md': '<script>parent.ran = true</script> soap',
  'evil/page.html': `<script>${RUN}</script>`,
  'evil/run.js': RUN,
  'evil/drawing.svg': `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="${RUN}"><script>${RUN}</script><rect width="40" height="40"/></svg>`,
}

/** Waits for a value as long as playwright waits for an element. */
const PATIENCE = 5_000
function eventually<Value>(value: () => Value): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(value, { timeout: PATIENCE, interval: 20 })
}

type Files = ReadonlyMap<string, Uint8Array | string>

async function packed(source: SkillSource): Promise<Files> {
  const files = new Map<string, Uint8Array>()
  for await (const { path, bytes } of pack(source)) files.set(path, bytes)
  return files
}

async function built(): Promise<{ files: Files; output: Rolldown.RolldownOutput['output'] }> {
  const result = await build(
    mergeConfig(config, { configFile: false, publicDir: false, logLevel: 'error', build: { write: false } }),
  )
  const { output } = result as Rolldown.RolldownOutput
  return {
    output,
    files: new Map(output.map(one => [one.fileName, one.type === 'chunk' ? one.code : one.source])),
  }
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
}

/** The page under `/<library>/`, for each library, with that library beside it. */
function serve(page: Files, libraries: Readonly<Record<string, Files>>): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const [, library = '', ...rest] = decodeURIComponent(pathname).split('/')
    const path = rest.join('/') || 'index.html'
    const files = path.startsWith('skills/') ? libraries[library] : page
    const content = files?.get(path.replace(/^skills\//, ''))
    response.statusCode = content === undefined ? 404 : 200
    response.setHeader('content-type', TYPES[/\.(\w+)$/.exec(path)?.[1] ?? ''] ?? 'application/octet-stream')
    response.end(content)
  })
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)))
}

describe.skipIf(executablePath === undefined)('the demo page', () => {
  let output: Rolldown.RolldownOutput['output']
  let sampleFiles: Files
  let server: Server
  let origin: string
  let browser: Browser
  let page: Page
  let problems: string[]

  beforeAll(async () => {
    browser = await chromium.launch({
      ...(executablePath ? { executablePath } : {}),
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    })
    const [page, hostile] = await Promise.all([built(), packed(memory(HOSTILE))])
    sampleFiles = await packed(directory(samples))
    output = page.output
    server = await serve(page.files, { samples: sampleFiles, hostile, empty: new Map() })
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    server?.closeAllConnections()
    await new Promise(resolve => (server ? server.close(resolve) : resolve(undefined)))
  }, 60_000)
  afterEach(async () => {
    await page?.close()
    expect(problems).toEqual([])
  }, 60_000)

  /** Opens the page. Whatever it complains about, whatever it asks of others, and whatever the policy stops is a problem. */
  async function visit(library: string, { hash = '', width = 1200 } = {}): Promise<void> {
    problems = []
    const found = problems
    page = await browser.newPage({ viewport: { width, height: 800 } })
    page.setDefaultTimeout(PATIENCE)
    page.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') found.push(message.text())
    })
    page.on('pageerror', error => found.push(String(error)))
    page.on('dialog', dialog => {
      found.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', request => {
      if (!request.url().startsWith(`${origin}/`) && !/^(?:blob|data):/.test(request.url()))
        found.push(`request: ${request.url()}`)
    })
    await page.addInitScript(`
      document.addEventListener('securitypolicyviolation', event => {
        console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI)
      })
    `)
    await page.goto(`${origin}/${library}/${hash}`)
  }
  const box = (): Locator => page.getByRole('searchbox', { name: 'What do you need?' })
  const results = (): Locator => page.getByRole('list').and(page.locator('#results')).getByRole('link')
  const opened = (): Locator => page.getByRole('region', { name: 'Opened skill' })
  const file = (name: string | RegExp): Locator => opened().getByRole('button', { name })
  const heading = (): Locator => opened().getByRole('heading', { level: 2 })
  const ask = async (message: string): Promise<void> => {
    await visit('samples')
    await box().fill(message)
    await results()
      .first()
      .getByText(/confidence/)
      .waitFor()
  }
  /** Whether a script of a skill has run. */
  const ran = (): Promise<unknown> => page.evaluate('window.ran')
  /** The width that an image has by itself: 0 until it is there. */
  const widthOf = (image: Locator): Promise<number> =>
    image.evaluate(node => (node as unknown as { naturalWidth: number }).naturalWidth)
  const textOf = async (locator: Locator): Promise<string> => (await locator.textContent()) ?? ''

  it('[CARD-5] puts the right skill on top while one types, says why, and opens its instructions and files', async () => {
    await visit('samples')
    await eventually(() => results().count()).toBe(14)
    await box().pressSequentially('make slides about our launch')
    await page.getByText('An agent would open PPT生成.').waitFor()
    const first = results().first()
    expect(await textOf(first.locator('.name'))).toBe('PPT生成')
    expect(await textOf(first.locator('.score'))).toMatch(/^Score (?:[7-9]\d|100)%$/)
    expect(await textOf(first.locator('.reason'))).toMatch(/“slides”.*description/)
    expect(await textOf(first.locator('.confidence'))).toMatch(/^confidence \d\d%$/)
    const figure = Number.parseInt((await textOf(first.locator('.score'))).slice('Score '.length), 10)
    const filled = (): Promise<number> =>
      page.evaluate(`(bar => 100 * parseFloat(getComputedStyle(bar, '::before').width) / bar.clientWidth)(
        document.querySelector('#results .bar')
      )`)
    await eventually(async () => Math.abs((await filled()) - figure - 0.5)).toBeLessThan(0.7)

    await first.click()
    await heading().getByText('PPT生成').waitFor()
    await opened().getByRole('heading', { name: '工作流程' }).waitFor()
    await opened()
      .getByText(/^[\d,]+ tokens, read when the skill is opened$/)
      .waitFor()
    await opened()
      .getByText(/^\d+ tokens, always in the prompt$/)
      .waitFor()
    expect(await opened().locator('.prose table').count()).toBeGreaterThan(0)
    await file(/resources\/layout\.py/).waitFor()
    expect(await file(/business\.pptx/).textContent()).toMatch(/binary 8\.\d KB/)
  })

  it('[CARD-5] finds for Chinese messages, and names how many skills and which revision there are', async () => {
    await ask('帮我调研AI市场')
    expect(await textOf(results().first().locator('.name'))).toBe('深度研究')
    await page.getByText('An agent would open 深度研究.').waitFor()
    const footer = await textOf(page.getByRole('contentinfo'))
    expect(footer).toMatch(/^14 skills · revision [0-9a-f]{16} · \d+ KB fetched · nothing leaves this page$/)
  })

  it('[CARD-5] says that none is likely enough where no skill serves the message', async () => {
    await visit('samples')
    await page.getByRole('button', { name: 'tell me a joke' }).click()
    await page.getByText('None likely enough: an agent would open none.').waitFor()
    const shown = await results().count()
    expect(shown).toBeGreaterThan(0)
    expect(await results().getByText('not likely enough').count()).toBe(shown)
    await box().fill('zzyzx')
    await page.getByText('No skill has a word of this message: an agent would open none.').waitFor()
    await box().fill('')
    await eventually(() => results().count()).toBe(14)
  })

  it('[CARD-4] shows the content of a script, an image as an image, and keeps what is binary for download', async () => {
    await visit('samples', { hash: '#/skill/skills/ppt' })
    await file(/layout\.py/).click()
    const script = await readFile(`${samples}/ppt/resources/layout.py`, 'utf8')
    await eventually(() => opened().locator('.preview pre').textContent()).toBe(script)
    await file(/business\.pptx/).click()
    const download = page.waitForEvent('download')
    await opened().getByRole('link', { name: 'Download business.pptx' }).click()
    const saved = await download
    expect(saved.suggestedFilename()).toBe('business.pptx')
    expect(
      (await readFile(await saved.path())).equals(await readFile(`${samples}/ppt/resources/templates/business.pptx`)),
    ).toBe(true)

    await page.goto(`${origin}/samples/#/skill/skills/image-tools`)
    await heading().getByText('image-tools').waitFor()
    await file(/sample\.png/).click()
    const image = opened().getByRole('img', { name: 'assets/sample.png' })
    await eventually(() => widthOf(image)).toBeGreaterThan(1)
    expect(await image.getAttribute('src')).toMatch(/^blob:/)
  })

  it('[BY-9] shows a hostile skill as text and runs nothing of it', async () => {
    await visit('hostile')
    expect(await textOf(results().first().locator('.name'))).toBe(`<script>${RUN}</script>shown`)
    expect(await textOf(results().first().locator('.alias'))).toBe(`<img src=x onerror="${RUN}">`)
    expect(await textOf(results().first().locator('.description'))).toContain(`<svg onload="${RUN}">`)
    await box().fill('remove stains from shirts <b>now</b>')
    await results()
      .first()
      .getByText(/confidence/)
      .waitFor()
    await results().first().click()
    await heading().getByText(`<script>${RUN}</script>shown`).waitFor()
    const prose = opened().locator('.prose')
    const shown = await textOf(prose)
    expect(shown).toContain(`Stains <img src=x onerror="${RUN}">`)
    expect(shown).toContain(`<script>${RUN}</script>`)
    expect(shown).toContain('<style>body { display: none }</style>')
    expect(shown).toContain(`<a href="javascript:${RUN}">tag link</a>`)
    expect(await textOf(opened().getByRole('list', { name: 'Tags' }))).toBe(`<b onmouseover="${RUN}">tag</b>`)
    await opened().getByText('Front matter as written').click()
    expect(await textOf(opened().locator('details pre'))).toContain(`tags: ['<b onmouseover="${RUN}">tag</b>']`)

    for (const [path, content] of Object.entries(HOSTILE)) {
      const name = path.slice('evil/'.length)
      if (name === 'SKILL.md') continue
      const row = opened()
        .getByRole('listitem')
        .filter({ has: page.getByText(name, { exact: true }) })
      await row.getByRole('button').click()
      if (name.endsWith('.svg')) {
        const image = row.getByRole('img')
        await eventually(() => widthOf(image)).toBe(40)
      } else await eventually(() => row.locator('pre').textContent()).toBe(content)
      await row.getByRole('link', { name: `Download ${name.slice(name.lastIndexOf('/') + 1)}` }).waitFor()
    }
    for (const element of [
      'script',
      'svg',
      'style',
      'iframe',
      'form',
      'input',
      'b',
      '[onerror]',
      '[onload]',
      '[style]',
    ])
      expect([element, await opened().locator(element).count()]).toEqual([element, 0])
    expect(await ran()).toBeUndefined()
  })

  it('[BY-9] lets links of a skill lead out safely or to its files, and loads no image from elsewhere', async () => {
    await visit('hostile', { hash: '#/skill/skills/evil' })
    const prose = opened().locator('.prose')
    const link = prose.getByRole('link')
    await link.waitFor()
    expect(await textOf(link)).toBe('outside')
    expect(await link.getAttribute('href')).toBe('https://outside.invalid/page')
    expect(await link.getAttribute('target')).toBe('_blank')
    expect((await link.getAttribute('rel'))?.split(' ').sort()).toEqual(['nofollow', 'noopener', 'noreferrer'])
    const shown = await textOf(prose)
    for (const text of [
      'script link',
      'coded',
      'page',
      'gone',
      '[image: tracker]',
      '[image: broken]',
      '[image: beside]',
    ])
      expect(shown).toContain(text)
    const images = prose.getByRole('img')
    expect(await images.count()).toBe(1)
    expect(await images.getAttribute('src')).toMatch(/^data:image\/gif/)
    await prose.getByRole('button', { name: 'the list' }).click()
    await eventually(() => opened().locator('.preview pre').textContent()).toBe(HOSTILE['evil/lists/soaps.md'])
    expect(await file('lists/soaps.md').getAttribute('aria-expanded')).toBe('true')
    expect(await ran()).toBeUndefined()
  })

  it('[BY-9] carries its policy, keeps YAML out of what it loads first, and stays in its budget', async () => {
    const html = output.find(one => one.fileName === 'index.html')
    const text = html?.type === 'asset' ? String(html.source).replaceAll('&#39;', "'") : ''
    expect(text).toContain(`<meta http-equiv="Content-Security-Policy" content="${POLICY}">`)
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\s(?:on\w+|style)=|\s(?:src|href)=["']?(?:https?:)?\/\//)
    await visit('samples')
    await results().first().waitFor()
    const loaded = (await page.evaluate(
      `performance.getEntriesByType('resource').map(entry => entry.name).filter(name => /\\.js$/.test(name))`,
    )) as string[]
    const chunks = loaded.map(name => output.find(one => name.endsWith(`/${one.fileName}`)))
    expect(chunks.length).toBeGreaterThan(0)
    let paint = 0
    let answer = 0
    for (const chunk of chunks) {
      if (chunk?.type !== 'chunk') throw new Error('a script that was not built')
      const size = gzipSync(chunk.code).length
      if (text.includes(chunk.fileName)) paint += size
      answer += size
      expect(chunk.moduleIds.filter(id => /node_modules\/(?:yaml|marked|dompurify)\//.test(id))).toEqual([])
    }
    expect(paint).toBeGreaterThan(0)
    expect(paint).toBeLessThan(PAINT_BUDGET)
    expect(answer).toBeLessThan(ANSWER_BUDGET)
  })

  it('[CARD-5] opens a skill by its address, after a reload too, and goes back', async () => {
    await visit('samples', { hash: '#/skill/skills/weekly-report' })
    await heading().getByText('weekly-report').waitFor()
    await page.reload()
    await heading().getByText('weekly-report').waitFor()
    expect(await page.title()).toBe('weekly-report · skillshelf')
    await results().getByText('book-flight').click()
    await heading().getByText('book-flight').waitFor()
    await page.goBack()
    await heading().getByText('weekly-report').waitFor()
    await opened().getByRole('link', { name: 'Back to the shelf' }).click()
    await opened().waitFor({ state: 'hidden' })
    expect(await page.title()).toBe('skillshelf')
    await page.goto(`${origin}/samples/#/skill/skills/nothing%3Cb%3E`)
    await opened().getByText('There is no skill skills/nothing<b> on this shelf.').waitFor()
  })

  it('[CARD-5] can be used with the keyboard alone', async () => {
    await visit('samples')
    const focused = page.locator(':focus')
    await eventually(() => focused.getAttribute('id')).toBe('message')
    await page.keyboard.type('make slides about our launch')
    await page.getByText('An agent would open PPT生成.').waitFor()
    await page.keyboard.press('Enter')
    await heading().getByText('PPT生成').waitFor()
    await eventually(() => focused.textContent()).toBe('PPT生成')
    await page.keyboard.press('Escape')
    await eventually(() => focused.getAttribute('href')).toBe('#/skill/skills/ppt')
    await page.keyboard.press('ArrowDown')
    await eventually(() => focused.getAttribute('href')).not.toBe('#/skill/skills/ppt')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await eventually(() => focused.getAttribute('id')).toBe('message')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await heading().getByText('PPT生成').waitFor()
    for (let tabs = 0; tabs < 12 && (await textOf(focused)) !== 'Files'; tabs++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await textOf(focused)).toContain('good_ppt.md')
    await page.keyboard.press('Enter')
    await opened().locator('.preview pre').waitFor()
    await page.keyboard.press('/')
    await eventually(() => focused.getAttribute('id')).toBe('message')
    expect(await box().inputValue()).toBe('make slides about our launch')
  })

  it('[CARD-5] drops a skill that arrives after another one was chosen', async () => {
    const catalog = JSON.parse(Buffer.from(sampleFiles.get('skillshelf.json') ?? '').toString()) as {
      skills: { path: string; details: string }[]
    }
    const details = catalog.skills.find(skill => skill.path === 'ppt')?.details.slice(7, 23)
    await visit('samples')
    await results().first().waitFor()
    let release = (): void => {}
    const gate = new Promise<void>(resolve => {
      release = resolve
    })
    let held = 0
    await page.route(`**/skills/files/${details}.json`, async route => {
      held++
      if (held === 1) await gate
      await route.continue().catch(() => {})
    })
    await results().getByText('PPT生成').click()
    await eventually(() => held).toBe(1)
    await page.evaluate(`location.hash = '#/skill/skills/pdf'`)
    await heading().getByText('pdf').waitFor()
    release()
    await page.evaluate(`fetch('./skills/files/${details}.json?again').then(response => response.text())`)
    await page.evaluate(`fetch('./skills/files/${details}.json?again').then(response => response.text())`)
    expect(await textOf(heading())).toBe('pdf')
  })

  it('[CARD-5] fits a screen of 320 pixels', async () => {
    await visit('samples', { width: 320 })
    const overflow = (): Promise<unknown> =>
      page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    await eventually(() => results().count()).toBe(14)
    expect(await overflow()).toBe(0)
    await box().fill('extract the tables from this PDF')
    await results()
      .first()
      .getByText(/confidence/)
      .waitFor()
    expect(await overflow()).toBe(0)
    await box().press('Enter')
    await opened().locator('.prose').waitFor()
    await file(/extract_tables\.py/).click()
    await opened().locator('.preview pre').waitFor()
    expect(await overflow()).toBe(0)
    expect(await box().isVisible()).toBe(false)
  })

  it('[CARD-5] says in plain words what to do where there are no skills', async () => {
    await visit('empty')
    await page.getByText('There are no packed skills beside this page yet.').waitFor()
    await page.getByText('npx skillshelf pack demo/skills --out demo/public/skills').waitFor()
    expect(await box().isVisible()).toBe(false)
    await page.route('**/skillshelf.json', route => route.fulfill({ status: 503 }))
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('The skills could not be read.').waitFor()
    expect(problems.splice(0).every(problem => /^Failed to load resource: .*(?:404|503)/.test(problem))).toBe(true)
  })
})
