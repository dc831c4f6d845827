import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeArchive } from '../../src/exports/archive.js'
import { memory } from '../../src/exports/index.js'
import { describePage, eventually, packed, textOf } from './page-world.js'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A little of everything that is shown of skills. */
const GARDEN = {
  'roses/SKILL.md': `---
name: Roses
display_name: 玫瑰 Roses
description: Prunes roses in the garden.
tags: [garden, roses]
version: 1.0.0
---
# Roses

Prune with [the list](lists/tools.md) or [elsewhere](https://outside.invalid/). Use \`shears\`.

| month | roses |
|---|---|
| March | prune |

\`\`\`sh
${'prune the roses '.repeat(20)}
\`\`\`

> A quote of roses.

- [x] pruned
`,
  'roses/lists/tools.md': 'shears',
  'roses/lists/cut.py': 'print("cut")',
  'roses/dot.gif': new Uint8Array(Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')),
  'roses/triggers.yaml':
    '- message: prune the roses\n- message: plant bulbs\n- message: zzyzx\n  skill: none\n- wrong: 1\n',
  'tulips/SKILL.md': '---\nname: tulips\ndescription: Plants tulip bulbs in autumn, far from the roses.\n---\nDig.\n',
  'off/SKILL.md': '---\nname: off\ndescription: Not used.\nenabled: false\n---\nNo.\n',
}

/** Colours are the same in every language. */
const SCHEMES: Readonly<Record<'en-US' | 'zh-CN', readonly ('light' | 'dark')[]>> = {
  'en-US': ['light', 'dark'],
  'zh-CN': ['light'],
}

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

describePage(
  'the demo page for everybody',
  async () => ({ garden: await packed(memory(GARDEN)) }),
  world => {
    const violations = async (state: string, schemes: readonly ('light' | 'dark')[]): Promise<string[]> => {
      const found: string[] = []
      for (const colorScheme of schemes) {
        await world.page.emulateMedia({ colorScheme })
        // Dark differs in its colours.
        const rules = colorScheme === 'dark' ? `{ runOnly: ['color-contrast'] }` : '{}'
        const { violations } = (await world.page.evaluate(`axe.run(${rules})`)) as { violations: Violation[] }
        for (const { id, nodes } of violations)
          found.push(`${state}, ${colorScheme}: ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
      }
      return found
    }

    it.each(['en-US', 'zh-CN'] as const)(
      '[CARD-5] has nothing that axe objects to, light or dark, in any state: %s',
      async locale => {
        // Its script is the test's, which the page's policy would stop.
        await world.visit('garden', { locale, bypassCSP: true })
        const { page } = world
        const found: string[] = []
        const look = async (state: string): Promise<void> =>
          void found.push(...(await violations(state, SCHEMES[locale])))
        await eventually(() => world.results().count()).toBe(2)
        await page.evaluate(axe)
        await page.locator('#notes summary').click()
        await look('start')
        await world.ask('prune the roses')
        await page.locator('#legend summary').click()
        await page.locator('#models summary').click()
        await page.locator('.models-list').waitFor()
        await look('results')
        await world.box().press('Enter')
        await page.locator('.prose mark').first().waitFor()
        for (const summary of await page.locator('#opened summary').all()) await summary.click()
        for (const file of ['tools.md', 'dot.gif']) await page.locator('.file').filter({ hasText: file }).click()
        await eventually(() => page.locator('.preview .download').count()).toBe(2)
        await look('skill')
        await world.box().fill('zzyzx')
        await eventually(() => world.results().count()).toBe(0)
        await look('no result')
        await page.locator('#nav a').nth(0).click()
        await page.locator('.costs').waitFor()
        await look('tokens')
        await page.locator('#nav a').nth(1).click()
        await world.ask('prune the roses')
        await eventually(() => page.locator('.level > pre').filter({ visible: true }).count()).toBe(3)
        await look('model')
        await page.locator('#nav a').nth(2).click()
        await page.locator('.run button').first().click()
        await page.locator('.cases').waitFor()
        await look('tests')
        await page.locator('#open').click()
        await page.locator('dialog').waitFor()
        await look('form')
        await page.locator('#address').fill(`${world.elsewhere}/nothing`)
        await page.keyboard.press('Enter')
        await page.getByRole('alert').waitFor()
        await look('error')
        world.allow(/CORS|ERR_|Failed to load resource/)
        let held = 0
        await page.route(`${world.elsewhere}/garden/*.seg`, () => void held++)
        await page.locator('#open').click()
        await page.locator('#address').fill(`${world.elsewhere}/garden`)
        await page.keyboard.press('Enter')
        await eventually(() => held).toBe(1)
        await look('progress')
        expect(found).toEqual([])
      },
    )

    /** Keeps skills, and gives each state on the way to `look`. */
    const keepSome = async (look: (state: string) => Promise<void>): Promise<void> => {
      const { page } = world
      const folder = await world.folder()
      const zip = join(folder, 'garden.zip')
      await writeFile(zip, await writeArchive(GARDEN, { format: 'zip' }))
      await writeFile(join(folder, 'broken.zip'), 'PK')
      await page.locator('#nav a').nth(3).click()
      await page.locator('.empty').waitFor()
      await look('nothing kept')
      await world.drag(zip)
      await page.locator('.drop').waitFor()
      await look('dragged')
      await page.keyboard.press('Escape')
      await page.locator('#opened').waitFor({ state: 'hidden' })
      await world.drop(zip)
      await page.locator('.keep button').waitFor()
      await look('offer')
      // As another tab that is writing.
      await page.evaluate(`new Promise(resolve => {
        navigator.locks.request('skillshelf skillshelf-page', () => {
          resolve()
          return new Promise(release => { window.release = release })
        })
      })`)
      await page.locator('.keep button').click()
      await page.locator('.keep progress').waitFor()
      await look('keeping')
      await page.evaluate('window.release()')
      await page.locator('.keep a').waitFor()
      await look('kept')
      await page.locator('.keep a').click()
      await page.locator('.kept .size:not(:empty)').nth(1).waitFor()
      await look('list')
      await page.locator('.kept .button').first().click()
      await page.locator('.mine-says .button').waitFor()
      await world.drop(join(folder, 'broken.zip'))
      await page.locator('.mine-says .trouble').waitFor()
      await look('removed, and a broken zip')
    }

    it.each(['en-US', 'zh-CN'] as const)(
      '[CARD-5] has nothing that axe objects to while skills are kept: %s',
      async locale => {
        await world.visit('samples', { locale, bypassCSP: true })
        await eventually(() => world.results().count()).toBe(14)
        await world.page.evaluate(axe)
        const found: string[] = []
        await keepSome(async state => void found.push(...(await violations(state, SCHEMES[locale]))))
        expect(found).toEqual([])
      },
    )

    it('[CARD-5] speaks the language of the browser, or the one that was chosen, and loads no other', async () => {
      await world.visit('samples', { locale: 'zh-CN' })
      const { page } = world
      const scripts = async () =>
        (await page.evaluate(`performance.getEntriesByType('resource').map(entry => entry.name)`)) as string[]
      await page.getByText('架上有 14 个技能').waitFor()
      expect(await page.locator('html').getAttribute('lang')).toBe('zh-Hans')
      expect((await scripts()).filter(name => /texts-en/.test(name))).toEqual([])
      await world.ask('帮我调研AI市场')
      await page.getByText('智能体会打开 深度研究。').waitFor()
      expect(await textOf(world.results().first().locator('.reason'))).toMatch(/“调研”|“.*调研.*”/)
      expect(await textOf(world.results().first().locator('.reason'))).not.toMatch(/matches/)
      await world.box().press('Enter')
      await page.getByRole('region', { name: '打开的技能' }).waitFor()

      await page.getByRole('button', { name: 'English' }).click()
      await page.getByText('An agent would open 深度研究.').waitFor()
      // What is open stays open, and the focus where it is.
      await world.opened().getByRole('heading', { name: 'Instructions' }).waitFor()
      expect(await textOf(page.locator(':focus'))).toBe('中文')
      expect(await world.box().inputValue()).toBe('帮我调研AI市场')
      await page.reload()
      await page.getByText('14 skills on the shelf').waitFor()
      expect(await page.locator('html').getAttribute('lang')).toBe('en')
      expect((await scripts()).filter(name => /texts-zh/.test(name))).toEqual([])
    })

    it('[CARD-5] changes its language where nothing can be remembered', async () => {
      const before = `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })`
      await world.visit('samples', { before })
      await world.page.getByRole('button', { name: '中文' }).click()
      await world.page.getByText('架上有 14 个技能').waitFor()
    })

    it('[CARD-5] has no English left in Chinese', async () => {
      await world.visit('samples', { locale: 'zh-CN' })
      const { page } = world
      await eventually(() => world.results().count()).toBe(14)
      /** Words of the page's own: not of skills, code, or what the library says in English. */
      const words = async (): Promise<string[]> =>
        (await page.evaluate(`(() => {
        const own = element => !element.closest('noscript, code, pre, kbd, .results, .head, .examples, .files, .prose, [lang=en], #verdict strong, .cases, h1, .costs, .where, .whence strong, .kept, [role=status] strong')
        const texts = []
        for (const element of document.body.querySelectorAll('*')) {
          if (!own(element)) continue
          for (const name of ['aria-label', 'placeholder', 'title', 'alt']) texts.push(element.getAttribute(name) ?? '')
          for (const node of element.childNodes) if (node.nodeType === 3) texts.push(node.data)
        }
        return texts.flatMap(text => text.match(/[A-Za-z]{3,}/g) ?? [])
      })()`)) as string[]
      const known =
        /^(?:English|skillshelf|zip|tar|garden|broken|npx|pack|SKILL|https?|example|com|skills|Token|token|Front|matter|triggers|yaml|Ctrl|CORS|Bytes|Enter|Esc|revision)$/
      const english = async (): Promise<string[]> =>
        (await words()).filter(word => !known.test(word) && !/^[\da-f]+$/.test(word))
      await page.locator('#models summary').click()
      await page.locator('.models-list').waitFor()
      expect(await english()).toEqual([])
      for (const at of [0, 1, 2, 3]) {
        await page.locator('#nav a').nth(at).click()
        await page.locator('#opened h2').nth(0).waitFor()
        expect(await english()).toEqual([])
      }
      await page.locator('#open').click()
      await page.locator('dialog').waitFor()
      expect(await english()).toEqual([])
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await keepSome(async state => expect([state, await english()]).toEqual([state, []]))
    })

    it('[CARD-5] has no sideways scroll from 320 to 1920 pixels', async () => {
      await world.visit('samples')
      const { page } = world
      await eventually(() => world.results().count()).toBe(14)
      const look = async (state: string): Promise<void> => {
        for (const width of [320, 480, 640, 768, 1024, 1280, 1920]) {
          await page.setViewportSize({ width, height: 800 })
          const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
          expect([state, width, await page.evaluate(overflow)]).toEqual([state, width, 0])
        }
      }
      await look('start')
      await world.ask('make slides about our launch')
      await page.locator('#models summary').click()
      await page.locator('.models-list').waitFor()
      await look('results')
      for (const [at, ready] of ['.costs', '.level', '.run'].entries()) {
        await page.locator('#nav a').nth(at).click()
        await page.locator(ready).first().waitFor()
        if (at === 2) {
          await page.locator('.run button').first().click()
          await page.locator('.cases').waitFor()
        }
        await look(ready)
      }
      await page.locator('#open').click()
      await page.locator('dialog').waitFor()
      await look('form')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await keepSome(look)
    })
  },
)
