import { expect, it } from 'vitest'
import { memory } from '../../src/exports/index.js'
import { describePage, eventually, GARDEN, packed, textOf, waitForText } from './page-world.js'

describePage('links to the demo page', { garden: () => packed(memory(GARDEN)) }, world => {
  const url = (): URL => new URL(world.page.url())
  /** Opens a link as another person does, with no history or preferences. */
  const follow = (link: string): Promise<void> => {
    const { search, hash } = new URL(link)
    return world.visit('few', { search, hash })
  }

  it('[BY-17] a link opens the library, message, skill, file and language that were seen', async () => {
    const library = `${world.otherOrigin}/garden/`
    await world.visit('few', {
      search: `?library=${encodeURIComponent(library)}`,
      locale: 'zh-CN',
    })
    await world.ask('prune the roses')
    await world.results().first().click()
    await world.page.getByRole('button', { name: 'lists/tools.md' }).click()
    await world.page.locator('.preview pre').getByText('shears').waitFor()
    await world.page.getByRole('button', { name: '复制链接' }).click()
    await world.page.getByText('链接已复制').waitFor()
    const link = await world.clipboard()
    expect(link).toBe(world.page.url())
    expect(new URL(link).search).not.toContain('prune')

    await follow(link)
    await world.page.getByText('shears').waitFor()
    await eventually(() => world.box().inputValue()).toBe('prune the roses')
    await eventually(() => world.firstName()).toBe('roses')
    await eventually(() => world.page.locator('html').getAttribute('lang')).toBe('zh-Hans')
    await eventually(() => textOf(world.source())).toContain(library)
    await eventually(() => textOf(world.focused())).toContain('tools.md')
  })

  it('[BY-17] a copied link says what it lacks: installed skills, and a zip on this computer', async () => {
    const zip = await world.writeZip('garden.zip', GARDEN)
    const copy = () => world.page.getByRole('button', { name: 'Copy link' }).click()
    await world.visit('few')
    await copy()
    await waitForText(world.page, 'Link copied. It opens what you see.')
    await world.drop(zip)
    await world.source().getByText('garden.zip').waitFor()
    await copy()
    await waitForText(world.page, /^Link copied, without garden\.zip: it asks for the file/)
    await world.page.getByRole('button', { name: 'Install these 2 skills' }).click()
    await waitForText(world.page, '2 skills installed.')
    await world.source().getByRole('button', { name: 'Back to the samples' }).click()
    await world.results().getByText('roses', { exact: true }).waitFor()
    await copy()
    await waitForText(world.page, /^Link copied, without your 2 installed skills/)
  })

  it('[BY-17] [CARD-5] back and reload restore the skill, the message and the title of each history entry', async () => {
    await world.visit('few')
    await world.ask('make slides about our launch')
    await world.box().press('Enter')
    await world.heading().getByText('ppt', { exact: true }).waitFor()
    await eventually(() => url().hash).toContain('make+slides')
    await world.ask('book a flight to Tokyo')
    await world.results().getByText('book-flight').click()
    await world.heading().getByText('book-flight').waitFor()
    await world.page.goBack()
    await world.heading().getByText('ppt', { exact: true }).waitFor()
    await eventually(() => world.box().inputValue()).toBe('book a flight to Tokyo')
    await world.page.goBack()
    await world.skill().waitFor({ state: 'hidden' })
    await eventually(() => world.page.title()).toMatch(/^skillshelf: /)
    await eventually(() => world.box().inputValue()).toBe('make slides about our launch')
    await eventually(world.firstName).toBe('ppt')
    await world.page.goForward()
    await world.page.reload()
    await world.heading().getByText('ppt', { exact: true }).waitFor()
    await eventually(() => world.box().inputValue()).toBe('book a flight to Tokyo')
    await eventually(world.firstName).toBe('book-flight')
    await eventually(() => world.page.title()).toBe('ppt · skillshelf')
    await world.page.goto(`${world.origin}/few/#/skill/skills/nothing%3Cb%3E`)
    await world.skill().getByText('This library has no skill skills/nothing<b>.').waitFor()
  })

  it('[BY-17] the built page has a manifest that the browser accepts, and a picture for links to it', async () => {
    await world.visit('few')
    const session = await world.page.context().newCDPSession(world.page)
    const { errors, data } = await session.send('Page.getAppManifest')
    expect(errors).toEqual([])
    const { icons } = JSON.parse(data ?? '{}') as { icons: { src: string; sizes: string }[] }
    for (const { src, sizes } of [...icons, { src: 'og.png', sizes: '1200x630' }]) {
      const image = await world.page.evaluate(
        `createImageBitmap(await (await fetch('${src}')).blob()).then(({ width, height }) => width + 'x' + height)`
          .replace(/^/, '(async () => ')
          .replace(/$/, ')()'),
      )
      expect(image).toBe(sizes)
    }
    const picture = world.page.locator('meta[property="og:image"]')
    await eventually(() => picture.getAttribute('content')).toMatch(/^https:.*\/og\.png$/)
  })

  it('[BY-17] a link opens a view, keeps its message when the view is closed, and is not changed by a closed file', async () => {
    await world.visit('samples', { hash: '#/prompts?q=book+a+flight' })
    await world.heading().getByText('Prompts and tools').waitFor()
    await eventually(() => world.box().inputValue()).toBe('book a flight')
    await world.page.getByRole('link', { name: 'Back to search' }).click()
    await world.view().waitFor({ state: 'hidden' })
    await eventually(() => url().hash).toBe('#/?q=book+a+flight')
    await world.page.goto(`${world.origin}/samples/#/skill/skills/ppt`)
    await world.file(/layout\.py/).click()
    await eventually(() => url().hash).toContain('file=resources')
    await world.file(/layout\.py/).click()
    await eventually(() => url().hash).not.toContain('file=')
  })
})
