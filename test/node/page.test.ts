import { readFile } from 'node:fs/promises'
import type { Locator } from 'playwright'
import { expect, it } from 'vitest'
import { memory } from '../../src/exports/index.js'
import { SAMPLE_COUNT, samples } from '../samples.js'
import {
  BY_BUNDLED_MODEL,
  describePage,
  eventually,
  imageWidth,
  packed,
  textOf,
  waitForText,
} from './page-world.js'

/** Notes that the page waits for the end of a press. */
const NOTE_WAITING = `{
  const listen = window.addEventListener
  window.addEventListener = (type, ...rest) => {
    if (type === 'pointercancel') window.waits = true
    listen.call(window, type, ...rest)
  }
}`

/** A skill with 1,001 files in nested folders. */
const MANY = {
  'crowd/SKILL.md':
    '---\nname: crowd\ndescription: Counts a crowd of people in many photos.\n---\nSee [one](a/b/one.md).\n',
  'crowd/a/b/one.md': 'the one',
  ...Object.fromEntries(
    Array.from({ length: 1000 }, (_, at) => [
      `crowd/photos/${String(at).padStart(4, '0')}.txt`,
      `${at}`,
    ]),
  ),
}

describePage('the demo page', { many: () => packed(memory(MANY)) }, world => {
  const marks = (element: Locator): Promise<string[]> => element.locator('mark').allTextContents()

  it('[CARD-5] the page ranks the right skill first while typing, explains why, and opens its instructions and files', async () => {
    await world.visit('samples')
    await eventually(() => world.results().count()).toBe(SAMPLE_COUNT)
    await world.box().pressSequentially('make slides about our launch')
    await world.answered()
    await world.modelsAreReady()
    await world.page.getByText('An agent would load ppt').first().waitFor()
    const first = world.results().first()
    expect(await world.firstName()).toBe('ppt')
    expect(await textOf(first.locator('.score'))).toMatch(/^Score (?:[7-9]\d|100)%$/)
    expect(await textOf(first.locator('.reason'))).toMatch(
      /“slides”.*; this skill makes slide decks/,
    )
    const score = Number.parseInt(
      (await textOf(first.locator('.score'))).slice('Score '.length),
      10,
    )
    const filled = (): Promise<number> =>
      world.page.evaluate(`(bar => 100 * parseFloat(getComputedStyle(bar, '::before').width) / bar.clientWidth)(
        document.querySelector('#results .bar')
      )`)
    await eventually(async () => Math.abs((await filled()) - score - 0.5)).toBeLessThan(0.7)

    await eventually(world.footer).toMatch(
      new RegExp(
        `^${SAMPLE_COUNT} skills · revision [0-9a-f]{16} · (?:\\d+ KB|[\\d.]+ MB) downloaded · messages stay in this tab$`,
      ),
    )

    await first.click()
    await world.heading().getByText('ppt').waitFor()
    await world.skill().getByRole('heading', { name: '工作流程' }).waitFor()
    await waitForText(world.skill(), /^[\d,]+ tokens, read when the skill is loaded$/)
    await waitForText(world.skill(), /^\d+ tokens, always in the prompt$/)
    await world.skill().locator('.prose table').first().waitFor()
    await world.file(/resources\/layout\.py/).waitFor()
    expect(await world.file(/business\.pptx/).textContent()).toMatch(/binary 8\.\d KB/)
  })

  it('[CARD-5] an answer that comes while a result is pressed is drawn after the click', async () => {
    await world.visit('few', { before: NOTE_WAITING })
    const model = await world.hold(/\/(?:latin|rows)[-.][^/]*$/)
    await world.page.reload()
    await world.box().fill('make slides about our launch')
    await world.answered()
    await eventually(model.count).toBeGreaterThan(0)
    await world.results().first().hover()
    await world.page.mouse.down()
    await model.release()
    const isDrawn = async () => (await world.rankedBy()) === BY_BUNDLED_MODEL
    await eventually(
      async () => (await world.page.evaluate('window.waits === true')) || isDrawn(),
    ).toBe(true)
    await world.page.mouse.up()
    await world.heading().getByText('ppt').waitFor()
    await eventually(isDrawn).toBe(true)
  })

  it('[CARD-5] the panel is named after what it shows: another skill only once it is drawn', async () => {
    await world.visit('samples', { hash: '#/tokens' })
    await world.view().getByRole('heading', { name: 'Tokens' }).waitFor()
    const code = await world.hold(/\/skill-view-[^/]*\.js$/)
    await world.results().last().click()
    await eventually(code.count).toBe(1)
    expect(await world.view().getByRole('heading', { name: 'Tokens' }).isVisible()).toBe(true)
    await code.release()
    await world.skill().getByRole('heading', { name: 'travel-itinerary' }).waitFor()
  })

  it('[CARD-5] the page says that no skill scores above the threshold if none fits the message', async () => {
    await world.visit('samples')
    await world.page.getByRole('button', { name: 'tell me a joke' }).click()
    await waitForText(world.page, /^The nearest is below\. An agent would load none\./)
    expect(await world.results().count()).toBeGreaterThan(0)
    await world.box().fill('zzyzx')
    const none = 'No skill shares a word or a meaning with it. An agent would load none.'
    await world.page.getByText(none).waitFor()
    await world.box().fill('')
    await eventually(() => world.results().count()).toBe(SAMPLE_COUNT)
  })

  it('[CARD-4] the page shows scripts as text and images as images, and offers binary files for download', async () => {
    await world.visit('samples', { hash: '#/skill/skills/ppt' })
    await world.file(/layout\.py/).click()
    const script = await readFile(`${samples}/ppt/resources/layout.py`, 'utf8')
    await eventually(() => world.preview().textContent()).toBe(script)
    await world.file(/business\.pptx/).click()
    const download = world.page.waitForEvent('download')
    await world.skill().getByRole('link', { name: 'Download business.pptx' }).click()
    const saved = await download
    expect(saved.suggestedFilename()).toBe('business.pptx')
    expect(
      (await readFile(await saved.path())).equals(
        await readFile(`${samples}/ppt/resources/templates/business.pptx`),
      ),
    ).toBe(true)

    await world.page.goto(`${world.origin}/samples/#/skill/skills/image-tools`)
    await world.heading().getByText('image-tools').waitFor()
    await world.file(/sample\.png/).click()
    const image = world.skill().getByRole('img', { name: 'assets/sample.png' })
    await eventually(() => imageWidth(image)).toBeGreaterThan(1)
    expect(await image.getAttribute('src')).toMatch(/^blob:/)
  })

  it('[CARD-5] the page works with the keyboard alone', async () => {
    await world.visit('samples')
    await eventually(world.focusedId).toBe('message')
    await world.page.keyboard.type('make slides about our launch')
    await world.answered()
    await world.page.keyboard.press('Enter')
    await world.heading().getByText('ppt').waitFor()
    await eventually(() => world.focused().textContent()).toBe('ppt')
    await world.page.keyboard.press('Escape')
    await eventually(() => world.focused().getAttribute('href')).toBe('#/skill/skills/ppt')
    await world.page.keyboard.press('ArrowUp')
    await eventually(world.focusedId).toBe('message')
    await world.page.keyboard.press('ArrowDown')
    await world.page.keyboard.press('Enter')
    await world.heading().getByText('ppt').waitFor()
    for (let tabs = 0; tabs < 12 && (await textOf(world.focused())) !== 'Files'; tabs++)
      await world.page.keyboard.press('Tab')
    await world.page.keyboard.press('Enter')
    for (
      let tabs = 0;
      tabs < 12 && !(await textOf(world.focused())).startsWith('good_ppt.md');
      tabs++
    )
      await world.page.keyboard.press('Tab')
    await world.page.keyboard.press('Enter')
    await world.preview().waitFor()
    await world.page.keyboard.press('/')
    await eventually(world.focusedId).toBe('message')
    expect(await world.box().inputValue()).toBe('make slides about our launch')
    // A message that no skill serves has several results.
    await world.page.keyboard.press('Control+A')
    await world.page.keyboard.type('a plan for the weekend')
    await world.answered()
    await world.modelsAreReady()
    await eventually(() => world.results().count()).toBeGreaterThan(1)
    await world.page.keyboard.press('ArrowDown')
    const first = await world.focused().getAttribute('href')
    await world.page.keyboard.press('ArrowDown')
    await eventually(() => world.focused().getAttribute('href')).not.toBe(first)
  })

  it('[CARD-5] a skill that loads after another one was selected is not shown', async () => {
    const catalog = JSON.parse(
      Buffer.from(world.sampleFiles.get('skillshelf.json') ?? '').toString(),
    ) as {
      skills: { path: string; details: string }[]
    }
    const details = catalog.skills.find(skill => skill.path === 'ppt')?.details.slice(7, 23)
    await world.visit('samples')
    await world.results().first().waitFor()
    const { count, release } = await world.hold(`**/skills/files/${details}.json`)
    await world.results().getByText('ppt', { exact: true }).click()
    await eventually(count).toBe(1)
    await world.page.evaluate(`location.hash = '#/skill/skills/pdf'`)
    await world.heading().getByText('pdf').waitFor()
    await release()
    await world.page.evaluate(
      `fetch('./skills/files/${details}.json?again').then(response => response.text())`,
    )
    await world.page.evaluate(
      `fetch('./skills/files/${details}.json?again').then(response => response.text())`,
    )
    expect(await textOf(world.heading())).toBe('pdf')
  })

  it('[CARD-5] the page says what to do if there are no samples', async () => {
    await world.visit('empty')
    await world.page.getByText('This page has no packed skills yet.').waitFor()
    await world.page.getByText('npx skillshelf pack demo/skills --out demo/public/skills').waitFor()
    expect(await world.box().isVisible()).toBe(false)
    await world.page.route('**/skillshelf.json', route => route.fulfill({ status: 503 }))
    await world.page.getByRole('button', { name: 'Try again' }).click()
    await world.page.getByText('Could not read the skills.').waitFor()
    world.allow(/^Failed to load resource: .*(?:404|503)/)
  })

  it('[BY-3] the page highlights the words of the reason in the results and the open skill, and updates them while typing', async () => {
    await world.visit('samples')
    await world.ask('make slides about our launch')
    const first = world.results().first()
    expect(await textOf(first.locator('.reason'))).toMatch(
      /“slides”, “launch”, .*; this skill makes slide decks/,
    )
    expect(await marks(first.locator('.description'))).toEqual(['Makes', 'launch', 'slides'])
    await first.click()
    await world.heading().getByText('ppt').waitFor()
    await eventually(() => marks(world.skill().locator('.lead'))).toEqual([
      'Makes',
      'launch',
      'slides',
    ])
    await eventually(async () =>
      (await marks(world.skill().locator('.prose'))).includes('slides'),
    ).toBe(true)
    // Words outside the reason are not highlighted.
    expect(await marks(world.skill())).not.toContain('about')
    await world.box().fill('presentations with a projector')
    await eventually(() => marks(world.skill().locator('.lead'))).toEqual([
      'presentations',
      'projector',
    ])
    const lead = await textOf(world.skill().locator('.lead'))
    expect(lead).toContain('Makes slide decks and presentations, turns a launch')
    await world.box().fill('')
    await eventually(() => marks(world.skill())).toEqual([])
  })

  it('[BY-3] the page cuts a long description before its first highlighted word, and highlights Chinese', async () => {
    await world.visit('samples')
    await world.ask('ranked by severity')
    const review = world.results().filter({ hasText: 'code-review' }).locator('.description')
    expect(await textOf(review)).toMatch(/^… .{0,45}ranked by severity/)
    expect((await marks(review)).slice(0, 2)).toEqual(['ranked', 'severity'])
    await world.visit('samples', { locale: 'zh-CN' })
    await world.ask('帮我调研AI市场')
    await eventually(async () =>
      (await marks(world.results().first().locator('.description'))).join(),
    ).toContain('调研')
  })

  it('[CARD-5] the page shows a thousand files as a tree, and renders only open folders', async () => {
    await world.visit('many', { hash: '#/skill/skills/crowd' })
    await world.skill().getByText('1,001 files').waitFor()
    const rows = world.skill().locator('.files li')
    await eventually(() => rows.count()).toBe(2)
    const photos = world.file(/^photos\/ 1,000 files$/)
    expect(await photos.getAttribute('aria-expanded')).toBe('false')
    await photos.click()
    await eventually(() => rows.count()).toBe(2 + 300 + 1)
    await world.file('Show 300 more').click()
    await eventually(() => rows.count()).toBe(2 + 600 + 1)
    await eventually(() => textOf(world.focused())).toContain('0300.txt')
    await world.file('photos/0007.txt').click()
    await eventually(() => world.preview().textContent()).toBe('7')
    // A link in the instructions opens the enclosing folders.
    await world.skill().getByRole('button', { name: 'one', exact: true }).click()
    await eventually(() => world.focused().getAttribute('aria-label')).toMatch(/^a\/b\/one\.md /)
    await world.skill().getByRole('group', { name: 'a/b/one.md' }).waitFor()
  })
})
