import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright'
import { build, createServer, type InlineConfig } from 'vite'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { executablePath } from '../launch.js'
import { startBrowser } from '../node/pages.js'
import { serveStatic, skill, visit } from '../node/vite-world.js'
import { type Installed, install, project } from './install.js'

/** The examples for pages in a browser, with the packed package. */

describe.skipIf(executablePath === undefined)('examples in a page (need a browser)', () => {
  let browser: Browser
  let installed: Installed
  beforeAll(async () => {
    ;[browser, installed] = await Promise.all([startBrowser(), install()])
  })

  const example = (name: string): string => join(installed.root, 'examples', name)
  async function open(address: string): Promise<Awaited<ReturnType<typeof visit>>> {
    const visited = await visit(browser, address)
    onTestFinished(() => visited.page.close())
    return visited
  }
  const configOf = (name: string): InlineConfig => {
    const root = example(name)
    return { root, configFile: join(root, 'vite.config.ts'), logLevel: 'silent' }
  }
  /** Starts Vite's development server. Returns its address. */
  async function develop(name: string): Promise<string> {
    const server = await createServer({ ...configOf(name), server: { host: '127.0.0.1', port: 0 } })
    onTestFinished(() => server.close())
    await server.listen()
    return server.resolvedUrls?.local[0] as string
  }
  const status = (page: Page, text: string): Promise<void> =>
    page.getByRole('status').getByText(text).waitFor()

  async function findAndOpen(page: Page): Promise<void> {
    await page.getByLabel('Message').fill('check this invoice before I pay it')
    await status(page, 'An agent would open the first skill.')
    await page.getByRole('button').first().click()
    await page
      .getByRole('region', { name: 'invoice-check' })
      .getByText('Compare the supplier')
      .waitFor()
    await page.getByLabel('Message').fill('zzyzx')
    await status(page, 'No skill matches this message.')
  }

  it('[TD-11] Vite in development: finds a skill and applies changes on disk without a reload', async () => {
    const { page, problems, loads } = await open(await develop('vite'))
    await status(page, '3 skills')
    await page.evaluate('window.marker = "still here"')
    await findAndOpen(page)

    const file = join(example('skills'), 'tea/SKILL.md')
    await page.getByLabel('Message').fill('brew green tea')
    await status(page, 'No skill matches this message.')
    cpSync(join(example('skills'), 'sourdough'), join(example('skills'), 'tea'), {
      recursive: true,
    })
    writeFileSync(file, skill('tea', 'Brews green tea at the right temperature'))
    await page.getByRole('button', { name: 'tea' }).waitFor()
    writeFileSync(file, skill('tea-time', 'Brews green tea at the right temperature'))
    await page.getByRole('button', { name: 'tea-time' }).waitFor()
    rmSync(join(example('skills'), 'tea'), { recursive: true })
    await status(page, 'No skill matches this message.')

    expect(await page.evaluate('window.marker')).toBe('still here')
    expect(loads).toHaveLength(1)
    expect(problems).toEqual([])
  })

  it('[BY-18] React in development: finds a skill, and the element opens a skill of the same library', async () => {
    const { page, problems } = await open(await develop('react'))
    await status(page, '3 skills')
    await findAndOpen(page)
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Search skills' }).fill('plan a sourdough')
    await page.getByRole('option', { name: 'sourdough' }).click()
    await page.getByRole('region', { name: 'sourdough' }).waitFor()
    expect(problems).toEqual([])
  })

  it.each(['vite', 'react'])(
    '%s, built: finds a skill under any path of a static host and is accessible',
    async name => {
      await build(configOf(name))
      const { address } = await serveStatic(join(example(name), 'dist'), '/any/where/')
      const { page, problems } = await open(address)
      await status(page, '3 skills')
      await findAndOpen(page)
      expect(problems).toEqual([])
      await page.addScriptTag({ path: join(project, 'node_modules/axe-core/axe.min.js') })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(
          await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))'),
        ).toEqual([])
      }
    },
  )

  it('[BY-18] static files: finds a skill without a build, and so does the element', async () => {
    const site = example('static')
    const program = join(installed.folder, 'dist/tools/cli/main.js')
    await installed.node([program, 'copy', 'skillshelf'], 'examples/static')
    await installed.node([program, 'pack', '../skills', '--out', 'skills'], 'examples/static')
    const { address } = await serveStatic(site, '/any/where/')
    const { page, problems } = await open(address)
    const loaded: string[] = []
    page.on('response', response => loaded.push(response.url()))
    await page.reload()
    await status(page, '3 skills')
    await findAndOpen(page)
    expect(problems).toEqual([])
    expect(loaded.every(url => url.startsWith(address) || url.startsWith('data:'))).toBe(true)
    expect(loaded.some(url => url.endsWith('/skillshelf.js'))).toBe(true)
    expect(loaded.filter(url => /yaml/.test(url))).toEqual([])
    // The element is a file of its own, which loads the library from the file beside it.
    await page.addScriptTag({ type: 'module', url: './skillshelf/dist/browser/skill-search.js' })
    await page.evaluate(`(() => {
      const search = document.createElement('skill-search')
      search.src = 'skills/'
      document.body.append(search)
      search.show('plan a sourdough')
    })()`)
    await page.getByRole('option', { name: 'sourdough' }).click()
    await page.getByRole('region', { name: 'sourdough' }).waitFor()
    expect(problems).toEqual([])
  })
})
