import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hash32 } from '../../src/core/text/hash32.js'
import { memory } from '../../src/exports/index.js'
import { temporaryFolder } from '../folders.js'
import { EVERYTHING, SAMPLE_COUNT } from '../samples.js'
import { type ColorScheme, describePage, eventually, packed, textOf } from './page-world.js'

/** Skills that use every element of the page. */
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
  'roses/dot.gif': new Uint8Array(
    Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  ),
  'roses/triggers.yaml':
    '- message: prune the roses\n- message: plant bulbs\n- message: zzyzx\n  skill: none\n- wrong: 1\n',
  'tulips/SKILL.md':
    '---\nname: tulips\ndescription: Plants tulip bulbs in autumn, far from the roses.\n---\nDig.\n',
  'off/SKILL.md': '---\nname: off\ndescription: Not used.\nenabled: false\n---\nNo.\n',
}

const WIDTHS = [320, 480, 640, 768, 1024, 1280, 1920]

const LOCALES = ['en-US', 'zh-CN'] as const
const SCHEMES = ['light', 'dark'] as const

/** The color schemes that a state is checked in: one, chosen by its name, or both with `TEST_EVERYTHING`. Every language has the same colors. */
function schemesOf(state: string, locale: string): readonly ColorScheme[] {
  if (locale !== 'en-US') return []
  return SCHEMES.filter((_, at) => EVERYTHING || hash32(state) % SCHEMES.length === at)
}

describePage(
  'the demo page: accessibility, languages, widths',
  { garden: () => packed(memory(GARDEN)) },
  world => {
    /** English words in the page's own texts, without skills, code, and messages of the library. */
    const englishWords = async (): Promise<string[]> => {
      const words = (await world.page.evaluate(`(() => {
        const own = element => !element.closest('noscript, code, pre, kbd, .results, .listing, .head, .examples, .files, .prose, [lang=en], .verdict strong, .cases, .agent-list, .books, .shelf, .compare-right select, .compare li a, h1, .costs, .where, .source strong, .installed-list, [role=status] strong, .chips')
        const texts = []
        for (const element of document.body.querySelectorAll('*')) {
          if (!own(element)) continue
          for (const name of ['aria-label', 'placeholder', 'title', 'alt']) texts.push(element.getAttribute(name) ?? '')
          for (const node of element.childNodes) if (node.nodeType === 3) texts.push(node.data)
        }
        return texts.flatMap(text => text.match(/[A-Za-z]{3,}/g) ?? [])
      })()`)) as string[]
      const known =
        /^(?:English|skillshelf|zip|tar|garden|broken|npx|pack|SKILL|https?|example|com|skills|Token|token|GitHub|npm|owner|name|triggers|yaml|Ctrl|CORS|Bytes|Enter|Esc|revision|OpenAI|URL|API|MIT|TypeScript|[Cc]laude|Code|Codex|README|git|apply|MiniSearch|encoder)$/
      return words.filter(word => !known.test(word) && !/^[\da-f]+$/.test(word))
    }

    it.each(LOCALES)('[CARD-5] axe finds no violation in any state: %s', async locale => {
      await world.visit('garden', { locale, bypassCSP: true })
      const { page } = world
      const violations: string[] = []
      const check = async (state: string): Promise<void> =>
        void violations.push(...(await world.axeViolations(state, schemesOf(state, locale))))
      await eventually(() => world.results().count()).toBe(2)
      await page.locator('#diagnostics summary').click()
      await check('start')
      await world.ask('prune the roses')
      await page.locator('#legend summary').click()
      await world.show('#models summary', '.models-list')
      await check('results')
      await world.box().press('Enter')
      await page.locator('.prose mark').first().waitFor()
      for (const summary of await page.locator('#details summary').all()) await summary.click()
      for (const file of ['tools.md', 'dot.gif'])
        await page.locator('.file').filter({ hasText: file }).click()
      await eventually(() => page.locator('.preview .download').count()).toBe(2)
      await check('skill')
      await world.box().fill('zzyzx')
      await eventually(() => world.results().count()).toBe(0)
      await check('no result')
      await world.show('#nav [data-view=tokens]', '.costs')
      await check('tokens')
      await page.locator('#nav [data-view=prompts]').click()
      await world.ask('prune the roses')
      await eventually(() => page.locator('.level > pre').filter({ visible: true }).count()).toBe(3)
      await check('prompts')
      await page.locator('#nav [data-view=tests]').click()
      await page.locator('.run button').first().click()
      await page.locator('.cases').first().waitFor()
      for (const summary of await page.locator('.firing summary').all()) await summary.click()
      await page.locator('.fates').first().waitFor()
      await check('tests')
      await page.locator('#nav [data-view=listing]').click()
      await page.locator('.listing-message [role=status]:not(:empty)').waitFor()
      await page.locator('.agent-lists summary').click()
      await check('listing')
      await page.evaluate(`location.hash = '#/compare'`)
      await page.locator('.compare .reason').first().waitFor()
      await check('compare')
      await world.show('#open-library', 'dialog')
      await check('form')
      await page.locator('#address').fill(`${world.otherOrigin}/nothing`)
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      await check('error')
      world.allow(/CORS|ERR_|Failed to load resource/)
      const { count } = await world.hold(`${world.otherOrigin}/garden/*.seg`)
      await page.locator('#open-library').click()
      await page.locator('#address').fill(`${world.otherOrigin}/garden`)
      await page.keyboard.press('Enter')
      await eventually(count).toBe(1)
      await check('progress')
      expect(violations).toEqual([])
    })

    /** Installs skills and calls `check` in each state. */
    const installSkills = async (check: (state: string) => Promise<void>): Promise<void> => {
      const { page } = world
      const zip = await world.writeZip('garden.zip', GARDEN)
      const broken = join(temporaryFolder(), 'broken.zip')
      await writeFile(broken, 'PK')
      await world.show('#nav [data-view=installed]', '.empty')
      await check('nothing installed')
      await world.drag(zip)
      await page.locator('.drop').waitFor()
      await check('dragged')
      await page.keyboard.press('Escape')
      await page.locator('#details').waitFor({ state: 'hidden' })
      await world.drop(zip)
      await page.locator('.install button').waitFor()
      await check('offer')
      // Another tab is writing.
      await page.evaluate(`new Promise(resolve => {
        navigator.locks.request('skillshelf skillshelf-page', () => {
          resolve()
          return new Promise(release => { window.release = release })
        })
      })`)
      await world.show('.install button', '.install progress')
      await check('installing')
      await page.evaluate('window.release()')
      await page.locator('.install a').waitFor()
      await check('installed')
      await page.locator('.install a').click()
      await page.locator('.installed-list .size:not(:empty)').nth(1).waitFor()
      await check('list')
      await page.locator('.installed-list .button').first().click()
      await page.locator('.installed-status .button').waitFor()
      await world.drop(broken)
      await page.locator('.installed-status .notice').waitFor()
      await check('removed, and a damaged zip')
    }

    it.each(LOCALES)(
      '[CARD-5] installing: axe finds no violation, nothing overflows, no English in Chinese: %s',
      async locale => {
        await world.visit('garden', { locale, bypassCSP: true })
        await eventually(() => world.results().count()).toBe(2)
        const violations: string[] = []
        await installSkills(async state => {
          violations.push(...(await world.axeViolations(state, schemesOf(state, locale))))
          if (locale === 'en-US') await world.expectNoOverflow(state, [320, 768, 1280])
          else expect([state, await englishWords()]).toEqual([state, []])
        })
        expect(violations).toEqual([])
      },
    )

    it('[CARD-5] the page uses the language of the browser or the selected one, and loads no other', async () => {
      await world.visit('samples', { locale: 'zh-CN' })
      await eventually(() => textOf(world.page.locator('body'))).not.toContain('[U+')
      const { page } = world
      const scripts = async () =>
        (await page.evaluate(
          `performance.getEntriesByType('resource').map(entry => entry.name)`,
        )) as string[]
      await page.getByText(`此技能库共有 ${SAMPLE_COUNT} 个技能`).waitFor()
      await eventually(() => page.locator('html').getAttribute('lang')).toBe('zh-Hans')
      expect((await scripts()).filter(name => /texts-en/.test(name))).toEqual([])
      await world.ask('帮我调研AI市场')
      await page.locator('#verdict').getByText('智能体会加载 深度研究').waitFor()
      await eventually(() => textOf(world.results().first().locator('.reason'))).toMatch(
        /“调研”|“.*调研.*”/,
      )
      await eventually(() => textOf(world.results().first().locator('.reason'))).not.toMatch(
        /matches/,
      )
      await world.box().press('Enter')
      await page.getByRole('region', { name: '打开的技能' }).locator('.prose').first().waitFor()

      await page.getByRole('button', { name: 'English' }).click()
      await page.locator('#verdict').getByText('An agent would load deep-research').waitFor()
      // The skill stays open, and the focus does not move.
      await world.skill().getByRole('heading', { name: 'Instructions' }).waitFor()
      await eventually(() => textOf(page.locator(':focus'))).toBe('中文')
      await eventually(() => world.box().inputValue()).toBe('帮我调研AI市场')
      await page.reload()
      await page.locator('#verdict').getByText('An agent would load deep-research').waitFor()
      await eventually(() => page.locator('html').getAttribute('lang')).toBe('en')
      expect((await scripts()).filter(name => /texts-zh/.test(name))).toEqual([])
    })

    it('[CARD-5] the page changes its language without localStorage', async () => {
      const before = `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })`
      await world.visit('garden', { before })
      await world.page.getByRole('button', { name: '中文' }).click()
      await world.page.getByText('此技能库共有 2 个技能').waitFor()
    })

    it('[CARD-5] the Chinese page has no English text', async () => {
      await world.visit('samples', { locale: 'zh-CN' })
      const { page } = world
      await eventually(() => world.results().count()).toBe(SAMPLE_COUNT)
      await world.show('#models summary', '.models-list')
      expect(await englishWords()).toEqual([])
      for (const view of await page.locator('#nav a').all()) {
        await view.click()
        // The view before stays until this one has loaded.
        const name = await view.getAttribute('data-view')
        await page.locator(`body[data-view=${name}] #details[aria-busy=false] h2`).first().waitFor()
        expect(await englishWords()).toEqual([])
      }
      await world.show('#open-library', 'dialog')
      expect(await englishWords()).toEqual([])
    })

    it('[CARD-5] the page does not scroll sideways from 320 to 1920 pixels', async () => {
      await world.visit('samples')
      await eventually(() => world.results().count()).toBe(SAMPLE_COUNT)
      const { page } = world
      const check = (state: string) => world.expectNoOverflow(state, WIDTHS)
      await check('start')
      await world.ask('make slides about our launch')
      await world.show('#models summary', '.models-list')
      await check('results')
      await world.box().fill('extract the tables from this PDF')
      await world.box().press('Enter')
      await world.skill().locator('.prose').waitFor()
      await world.file(/extract_tables\.py/).click()
      await world.preview().waitFor()
      await check('skill')
      await page.setViewportSize({ width: 320, height: 800 })
      await eventually(() => world.box().isVisible()).toBe(false)
      await page.setViewportSize({ width: 1280, height: 800 })
      const views = {
        listing: '.agent-list',
        chat: '.chat-form',
        tokens: '.costs',
        prompts: '.level',
      }
      for (const [view, ready] of Object.entries(views)) {
        await page.locator(`#nav [data-view=${view}]`).click()
        await page.locator(ready).first().waitFor()
        await check(ready)
      }
      await world.show('#open-library', 'dialog')
      await check('form')
      await world.visit('garden', { hash: '#/tests' })
      await world.view().locator('.run button').first().click()
      await world.view().locator('.shown-cases button').first().click()
      await world.view().locator('.cases').first().waitFor()
      await check('tests')
    })
  },
)
