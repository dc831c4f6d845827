import { readFile } from 'node:fs/promises'
import type { Locator } from 'playwright'
import { expect, it } from 'vitest'
import { memory } from '../../src/exports/index.js'
import { describePage, eventually, packed, samples, textOf } from './page-world.js'

/** Files of a skill that has many, some of them deep in folders. */
const MANY = {
  'crowd/SKILL.md':
    '---\nname: crowd\ndescription: Counts a crowd of people in many photos.\n---\nSee [one](a/b/one.md).\n',
  'crowd/a/b/one.md': 'the one',
  ...Object.fromEntries(
    Array.from({ length: 1000 }, (_, at) => [`crowd/photos/${String(at).padStart(4, '0')}.txt`, `${at}`]),
  ),
}

describePage(
  'the demo page',
  async () => ({ many: await packed(memory(MANY)) }),
  world => {
    /** The width that an image has by itself: 0 until it is there. */
    const widthOf = (image: Locator): Promise<number> =>
      image.evaluate(node => (node as unknown as { naturalWidth: number }).naturalWidth)
    const lit = (place: Locator): Promise<string[]> => place.locator('mark').allTextContents()

    it('[CARD-5] puts the right skill on top while one types, says why, and opens its instructions and files', async () => {
      await world.visit('samples')
      await eventually(() => world.results().count()).toBe(14)
      await world.box().pressSequentially('make slides about our launch')
      await world.page.getByText('An agent would open PPT生成.').waitFor()
      const first = world.results().first()
      expect(await textOf(first.locator('.name'))).toBe('PPT生成')
      expect(await textOf(first.locator('.score'))).toMatch(/^Score (?:[7-9]\d|100)%$/)
      expect(await textOf(first.locator('.reason'))).toMatch(/“slides”.*description/)
      expect(await textOf(first.locator('.confidence'))).toMatch(/^confidence \d\d%$/)
      const figure = Number.parseInt((await textOf(first.locator('.score'))).slice('Score '.length), 10)
      const filled = (): Promise<number> =>
        world.page.evaluate(`(bar => 100 * parseFloat(getComputedStyle(bar, '::before').width) / bar.clientWidth)(
        document.querySelector('#results .bar')
      )`)
      await eventually(async () => Math.abs((await filled()) - figure - 0.5)).toBeLessThan(0.7)

      await first.click()
      await world.heading().getByText('PPT生成').waitFor()
      await world.opened().getByRole('heading', { name: '工作流程' }).waitFor()
      await world
        .opened()
        .getByText(/^[\d,]+ tokens, read when the skill is opened$/)
        .waitFor()
      await world
        .opened()
        .getByText(/^\d+ tokens, always in the prompt$/)
        .waitFor()
      expect(await world.opened().locator('.prose table').count()).toBeGreaterThan(0)
      await world.file(/resources\/layout\.py/).waitFor()
      expect(await world.file(/business\.pptx/).textContent()).toMatch(/binary 8\.\d KB/)
    })

    it('[CARD-5] finds for Chinese messages, and names how many skills and which revision there are', async () => {
      await world.visit('samples')
      await world.ask('帮我调研AI市场')
      expect(await textOf(world.results().first().locator('.name'))).toBe('深度研究')
      await world.page.getByText('An agent would open 深度研究.').waitFor()
      const footer = await textOf(world.page.getByRole('contentinfo'))
      expect(footer).toMatch(/^14 skills · revision [0-9a-f]{16} · \d+ KB fetched · nothing leaves this page$/)
    })

    it('[CARD-5] says that none is likely enough where no skill serves the message', async () => {
      await world.visit('samples')
      await world.page.getByRole('button', { name: 'tell me a joke' }).click()
      await world.page.getByText('None likely enough: an agent would open none.').waitFor()
      const shown = await world.results().count()
      expect(shown).toBeGreaterThan(0)
      expect(await world.results().getByText('not likely enough').count()).toBe(shown)
      await world.box().fill('zzyzx')
      await world.page.getByText('No skill has a word of this message: an agent would open none.').waitFor()
      await world.box().fill('')
      await eventually(() => world.results().count()).toBe(14)
    })

    it('[CARD-4] shows the content of a script, an image as an image, and keeps what is binary for download', async () => {
      await world.visit('samples', { hash: '#/skill/skills/ppt' })
      await world.file(/layout\.py/).click()
      const script = await readFile(`${samples}/ppt/resources/layout.py`, 'utf8')
      await eventually(() => world.opened().locator('.preview pre').textContent()).toBe(script)
      await world.file(/business\.pptx/).click()
      const download = world.page.waitForEvent('download')
      await world.opened().getByRole('link', { name: 'Download business.pptx' }).click()
      const saved = await download
      expect(saved.suggestedFilename()).toBe('business.pptx')
      expect(
        (await readFile(await saved.path())).equals(await readFile(`${samples}/ppt/resources/templates/business.pptx`)),
      ).toBe(true)

      await world.page.goto(`${world.origin}/samples/#/skill/skills/image-tools`)
      await world.heading().getByText('image-tools').waitFor()
      await world.file(/sample\.png/).click()
      const image = world.opened().getByRole('img', { name: 'assets/sample.png' })
      await eventually(() => widthOf(image)).toBeGreaterThan(1)
      expect(await image.getAttribute('src')).toMatch(/^blob:/)
    })

    it('[CARD-5] opens a skill by its address, after a reload too, and goes back', async () => {
      await world.visit('samples', { hash: '#/skill/skills/weekly-report' })
      await world.heading().getByText('weekly-report').waitFor()
      await world.page.reload()
      await world.heading().getByText('weekly-report').waitFor()
      expect(await world.page.title()).toBe('weekly-report · skillshelf')
      await world.results().getByText('book-flight').click()
      await world.heading().getByText('book-flight').waitFor()
      await world.page.goBack()
      await world.heading().getByText('weekly-report').waitFor()
      await world.opened().getByRole('link', { name: 'Back to the shelf' }).click()
      await world.opened().waitFor({ state: 'hidden' })
      expect(await world.page.title()).toBe('skillshelf')
      await world.page.goto(`${world.origin}/samples/#/skill/skills/nothing%3Cb%3E`)
      await world.opened().getByText('There is no skill skills/nothing<b> on this shelf.').waitFor()
    })

    it('[CARD-5] can be used with the keyboard alone', async () => {
      await world.visit('samples')
      const focused = world.page.locator(':focus')
      await eventually(() => focused.getAttribute('id')).toBe('message')
      await world.page.keyboard.type('make slides about our launch')
      await world.page.getByText('An agent would open PPT生成.').waitFor()
      await world.page.keyboard.press('Enter')
      await world.heading().getByText('PPT生成').waitFor()
      await eventually(() => focused.textContent()).toBe('PPT生成')
      await world.page.keyboard.press('Escape')
      await eventually(() => focused.getAttribute('href')).toBe('#/skill/skills/ppt')
      await world.page.keyboard.press('ArrowDown')
      await eventually(() => focused.getAttribute('href')).not.toBe('#/skill/skills/ppt')
      await world.page.keyboard.press('ArrowUp')
      await world.page.keyboard.press('ArrowUp')
      await eventually(() => focused.getAttribute('id')).toBe('message')
      await world.page.keyboard.press('ArrowDown')
      await world.page.keyboard.press('Enter')
      await world.heading().getByText('PPT生成').waitFor()
      for (let tabs = 0; tabs < 12 && (await textOf(focused)) !== 'Files'; tabs++)
        await world.page.keyboard.press('Tab')
      await world.page.keyboard.press('Enter')
      for (let tabs = 0; tabs < 12 && !(await textOf(focused)).startsWith('good_ppt.md'); tabs++)
        await world.page.keyboard.press('Tab')
      await world.page.keyboard.press('Enter')
      await world.opened().locator('.preview pre').waitFor()
      await world.page.keyboard.press('/')
      await eventually(() => focused.getAttribute('id')).toBe('message')
      expect(await world.box().inputValue()).toBe('make slides about our launch')
    })

    it('[CARD-5] drops a skill that arrives after another one was chosen', async () => {
      const catalog = JSON.parse(Buffer.from(world.sampleFiles.get('skillshelf.json') ?? '').toString()) as {
        skills: { path: string; details: string }[]
      }
      const details = catalog.skills.find(skill => skill.path === 'ppt')?.details.slice(7, 23)
      await world.visit('samples')
      await world.results().first().waitFor()
      let release = (): void => {}
      const gate = new Promise<void>(resolve => {
        release = resolve
      })
      let held = 0
      await world.page.route(`**/skills/files/${details}.json`, async route => {
        held++
        if (held === 1) await gate
        await route.continue().catch(() => {})
      })
      await world.results().getByText('PPT生成').click()
      await eventually(() => held).toBe(1)
      await world.page.evaluate(`location.hash = '#/skill/skills/pdf'`)
      await world.heading().getByText('pdf').waitFor()
      release()
      await world.page.evaluate(`fetch('./skills/files/${details}.json?again').then(response => response.text())`)
      await world.page.evaluate(`fetch('./skills/files/${details}.json?again').then(response => response.text())`)
      expect(await textOf(world.heading())).toBe('pdf')
    })

    it('[CARD-5] fits a screen of 320 pixels', async () => {
      await world.visit('samples', { width: 320 })
      const overflow = (): Promise<unknown> =>
        world.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      await eventually(() => world.results().count()).toBe(14)
      expect(await overflow()).toBe(0)
      await world.box().fill('extract the tables from this PDF')
      await world
        .results()
        .first()
        .getByText(/confidence/)
        .waitFor()
      expect(await overflow()).toBe(0)
      await world.box().press('Enter')
      await world.opened().locator('.prose').waitFor()
      await world.file(/extract_tables\.py/).click()
      await world.opened().locator('.preview pre').waitFor()
      expect(await overflow()).toBe(0)
      expect(await world.box().isVisible()).toBe(false)
    })

    it('[CARD-5] says in plain words what to do where there are no skills', async () => {
      await world.visit('empty')
      await world.page.getByText('There are no packed skills beside this page yet.').waitFor()
      await world.page.getByText('npx skillshelf pack demo/skills --out demo/public/skills').waitFor()
      expect(await world.box().isVisible()).toBe(false)
      await world.page.route('**/skillshelf.json', route => route.fulfill({ status: 503 }))
      await world.page.getByRole('button', { name: 'Try again' }).click()
      await world.page.getByText('The skills could not be read.').waitFor()
      world.allow(/^Failed to load resource: .*(?:404|503)/)
    })

    it('[BY-3] lights the words of the reason up: in the results, in the opened skill, and others as one types on', async () => {
      await world.visit('samples')
      await world.ask('make slides about our launch')
      const first = world.results().first()
      expect(await textOf(first.locator('.reason'))).toMatch(/“slides”, “launch” in its description/)
      expect(await lit(first.locator('.description'))).toEqual(['launch', 'slides'])
      await first.click()
      await world.heading().getByText('PPT生成').waitFor()
      await eventually(() => lit(world.opened().locator('.lead'))).toEqual(['launch', 'slides'])
      await eventually(async () => (await lit(world.opened().locator('.prose'))).includes('slides')).toBe(true)
      // What is not in the reason is not lit.
      expect(await lit(world.opened())).not.toContain('about')
      await world.box().fill('presentations with a projector')
      await eventually(() => lit(world.opened().locator('.lead'))).toEqual(['presentations', 'projector'])
      expect(await textOf(world.opened().locator('.lead'))).toContain(
        'Makes slide decks and presentations, turns a launch',
      )
      await world.box().fill('')
      await eventually(() => lit(world.opened())).toEqual([])
    })

    it('[BY-3] shows a long description from where its first lit word stands, and lights Chinese up', async () => {
      await world.visit('samples')
      await world.ask('ranked by severity')
      const review = world.results().filter({ hasText: 'code-review' }).locator('.description')
      expect(await textOf(review)).toMatch(/^… .{0,45}ranked by severity/)
      expect((await lit(review)).slice(0, 3)).toEqual(['ranked', 'by', 'severity'])
      await world.ask('帮我调研AI市场')
      expect((await lit(world.results().first().locator('.description'))).join()).toContain('调研')
    })

    it('[CARD-5] shows a thousand files as a tree, laid out as far as it is opened', async () => {
      await world.visit('many', { hash: '#/skill/skills/crowd' })
      await world.opened().getByText('1,001 files').waitFor()
      const rows = world.opened().locator('.files li')
      expect(await rows.count()).toBe(2)
      const photos = world.file(/^photos\/ 1,000 files$/)
      expect(await photos.getAttribute('aria-expanded')).toBe('false')
      await photos.click()
      expect(await rows.count()).toBe(2 + 300 + 1)
      await world.file('Show 300 more').click()
      expect(await rows.count()).toBe(2 + 600 + 1)
      await eventually(() => textOf(world.page.locator(':focus'))).toContain('0300.txt')
      await world.file('photos/0007.txt').click()
      await eventually(() => world.opened().locator('.preview pre').textContent()).toBe('7')
      // A link of the instructions opens the folders on the way.
      await world.opened().getByRole('button', { name: 'one', exact: true }).click()
      await eventually(() => world.page.locator(':focus').getAttribute('aria-label')).toMatch(/^a\/b\/one\.md /)
      await world.opened().getByRole('group', { name: 'a/b/one.md' }).waitFor()
    })
  },
)
