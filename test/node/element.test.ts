import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { describeElement } from './element-world.js'

const INLINE = '<skill-search src="/skills/"></skill-search>'
const DIALOG = '<skill-search src="/skills/" dialog></skill-search><input aria-label="Other">'
/** Records events of the element as `type:detail`. */
const RECORD = `window.events = []
for (const type of ['skill-match', 'skill-open', 'skill-copy', 'skill-error'])
  document.addEventListener(type, ({ detail }) => window.events.push(type + ':' + (detail.message ?? detail.skill?.name ?? detail.error.name)))`

it('[BY-18] importing the element on a server defines nothing and has no effect', () => {
  const code = `
    import { defineSkillSearch, SkillSearchElement } from './src/exports/element.js'
    import './src/ui/element/register.js'
    defineSkillSearch()
    console.log(typeof SkillSearchElement, typeof customElements, typeof document)`
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', code],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      encoding: 'utf8',
    },
  )
  expect([stdout, stderr]).toEqual(['function undefined undefined\n', ''])
})

describeElement('<skill-search>', world => {
  const box = () => world.page.getByRole('combobox')
  const options = () => world.page.getByRole('option')
  const events = () => world.page.evaluate('window.events') as Promise<string[]>

  it('[BY-18] the element loads nothing until the user reaches for it', async () => {
    const page = await world.open(INLINE)
    await box().waitFor()
    expect(world.requests.filter(path => path.startsWith('/skills/'))).toEqual([])
    const before = world.requests.length
    await box().focus()
    await expect
      .poll(() => world.requests.filter(path => path.startsWith('/skills/')).length)
      .toBeGreaterThan(0)
    expect(world.requests.length).toBeGreaterThan(before)
    expect(
      await page.evaluate(
        `document.querySelector('skill-search').load().then(({ snapshot }) => snapshot.skills.length)`,
      ),
    ).toBe(3)
    expect(world.problems).toEqual([])
  })

  it('[BY-18] shows descriptions in the language of the page, if a skill has one', async () => {
    const page = await world.open('<skill-search src="/skills/" lang="zh"></skill-search>')
    await box().focus()
    await page.keyboard.type('plant tulip bulbs')
    const tulips = options().filter({ hasText: 'tulips' })
    await tulips.getByText('秋天在花园里种郁金香球茎').waitFor()
    await tulips.click()
    const opened = page.getByRole('region', { name: 'tulips' })
    await opened.getByText('Dig, then plant.').waitFor()
    await opened.getByText('秋天在花园里种郁金香球茎').waitFor()
  })

  it('[BY-18] the keyboard finds, opens, copies and leaves a skill', async () => {
    const page = await world.open(INLINE, { script: RECORD })
    await box().focus()
    await page.keyboard.type('prune the roses')
    await options().filter({ hasText: 'Roses' }).waitFor()
    expect(await box().getAttribute('aria-expanded')).toBe('true')
    expect(await options().first().textContent()).toMatch(
      /玫瑰 Rosesroses.*\d+%.*Prunes the roses.*matches/,
    )
    expect(await options().first().locator('mark').first().textContent()).toBe('Roses')
    const active = await box().getAttribute('aria-activedescendant')
    expect(await options().first().getAttribute('id')).toBe(active)
    await page.keyboard.press('Enter')
    await page.getByText('Prune in *March*.').waitFor()
    const skill = page.getByRole('region', { name: '玫瑰 Roses' })
    await skill.getByText('1 file').click()
    await skill.getByText('lists/tools.md').waitFor()
    await skill.getByRole('button', { name: 'Copy' }).click()
    await skill.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      '# Roses\n\nPrune in *March*.',
    )
    await page.keyboard.press('Escape')
    await expect
      .poll(() => box().evaluate(input => input.getRootNode().activeElement === input))
      .toBe(true)
    await page.keyboard.press('Escape')
    expect(await box().inputValue()).toBe('')
    expect(await box().getAttribute('aria-expanded')).toBe('false')
    expect((await events()).filter((event, at, all) => event !== all[at - 1]).slice(-3)).toEqual([
      'skill-match:prune the roses',
      'skill-open:roses',
      'skill-copy:roses',
    ])
    expect(world.problems).toEqual([])
  })

  it('[BY-18] the arrows go around the list of all skills, and Escape closes it', async () => {
    const page = await world.open(INLINE)
    await box().focus()
    await page.evaluate(`document.querySelector('skill-search').load()`)
    const selected = () => page.locator('[aria-selected=true] [part=name]').allTextContents()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => options().count()).toBe(3)
    expect(await selected()).toHaveLength(1)
    const [first] = await selected()
    await page.keyboard.press('ArrowUp')
    expect(await selected()).not.toEqual([first])
    await page.keyboard.press('ArrowDown')
    expect(await selected()).toEqual([first])
    await page.keyboard.press('Escape')
    await expect.poll(() => options().count()).toBe(0)
  })

  it('[BY-18] keys of an input method choose no skill', async () => {
    const page = await world.open(INLINE, { script: RECORD })
    await box().fill('prune the roses')
    await options().first().waitFor()
    await page.evaluate(`document.querySelector('skill-search').shadowRoot.querySelector('input').dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, composed: true }))`)
    expect(await events()).not.toContain('skill-open:roses')
    await box().press('Enter')
    expect(await events()).toContain('skill-open:roses')
  })

  it('[BY-18] the hotkey opens and closes the dialog, and the focus returns', async () => {
    const page = await world.open(DIALOG)
    const other = page.getByLabel('Other')
    const dialog = page.getByRole('dialog', { name: 'Search skills' })
    await other.focus()
    await page.keyboard.press('Control+k')
    await dialog.waitFor()
    await expect.poll(() => options().count()).toBe(3)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Other')
    await page.getByRole('button', { name: 'Search skills' }).click()
    await dialog.waitFor()
    await page.keyboard.type('tulip bulbs')
    await page.keyboard.press('Enter')
    await page.getByText('Dig, then plant.').waitFor()
    // Escape leaves the skill, then the dialog.
    await page.keyboard.press('Escape')
    await page.getByText('Dig, then plant.').waitFor({ state: 'hidden' })
    expect(await dialog.isVisible()).toBe(true)
    await page.mouse.click(5, 5)
    await dialog.waitFor({ state: 'hidden' })
    expect(world.problems).toEqual([])
  })

  it('[BY-18] [BY-9] texts of skills never become markup', async () => {
    const page = await world.open(INLINE)
    await box().fill('weeds a garden')
    await options().filter({ hasText: 'Weeds' }).click()
    await page.getByText('<script>window.ran=1</script>').last().waitFor()
    await page.getByText('<img src=x onerror="window.ran=1">', { exact: false }).waitFor()
    expect(await page.evaluate('window.ran')).toBeUndefined()
    expect(await page.locator('img, skill-search script').count()).toBe(0)
    // Text between Weeds and "a garden" has a zero-width space: the search finds and shows it.
    const shown = (await page
      .locator('skill-search')
      .evaluate(element => element.shadowRoot?.textContent ?? '')) as string
    expect(shown).not.toMatch(/[\u202e\u200b]/)
    expect(shown.split('[U+202E]').length).toBeGreaterThan(4)
    expect(shown).toContain('[U+200B]')
    expect(world.problems).toEqual([])
  })

  it('[BY-18] `render` shows a node of the page, and is aborted when the skill is left', async () => {
    const page = await world.open(INLINE, {
      script: `customElements.whenDefined('skill-search').then(() => {
        document.querySelector('skill-search').render = (skill, { signal }) => {
          window.signal = signal
          const article = document.createElement('article')
          article.textContent = 'Rendered ' + skill.name
          return article
        }
      })`,
    })
    await box().fill('tulips')
    await options().first().click()
    await page.locator('skill-search > article').getByText('Rendered tulips').waitFor()
    expect(await page.getByText('Dig, then plant.').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Back' }).click()
    await expect.poll(() => page.locator('skill-search > article').count()).toBe(0)
    expect(await page.evaluate('window.signal.aborted')).toBe(true)
  })

  it('[BY-18] the page can handle a choice itself', async () => {
    const page = await world.open(DIALOG, {
      script: `${RECORD}; document.addEventListener('skill-open', event => event.preventDefault())`,
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('tulips')
    await options().first().click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await events()).toContain('skill-open:tulips')
    expect(world.requests.some(path => path.includes('SKILL'))).toBe(false)
  })

  it('[BY-18] a library that cannot be read is reported, and can be tried again', async () => {
    const restore = world.fail('/skills/')
    const page = await world.open(INLINE, { script: RECORD })
    await box().fill('tulips')
    await page.getByRole('alert').getByText('The skills could not be loaded.').waitFor()
    expect(await events()).toEqual(['skill-error:SkillshelfError'])
    expect(await world.axeViolations()).toEqual([])
    restore()
    await page.getByRole('button', { name: 'Try again' }).click()
    await options().first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('[BY-18] a removed element aborts its load, and a late library is closed', async () => {
    const release = world.hold('/skills/')
    const page = await world.open(INLINE, { script: RECORD })
    const loading = page.evaluate(`(() => {
      const element = document.querySelector('skill-search')
      const loading = element.load().then(() => 'loaded', error => error.name)
      setTimeout(() => element.remove())
      return loading
    })()`)
    expect(await loading).toBe('AbortError')
    release()
    expect(await page.evaluate(`document.querySelector('skill-search')`)).toBeNull()
    expect(await events()).toEqual([])
    expect(world.problems).toEqual([])
  })

  it('[BY-18] a moved element keeps its library, another `src` replaces it', async () => {
    const page = await world.open(`${INLINE}<aside></aside>`)
    await box().fill('tulips')
    await options().first().waitFor()
    const before = world.requests.length
    await page.evaluate(`(() => {
      window.library = document.querySelector('skill-search').library
      document.querySelector('aside').append(document.querySelector('skill-search'))
    })()`)
    await options().first().waitFor()
    expect(world.requests.length).toBe(before)
    expect(
      await page.evaluate(`document.querySelector('skill-search').library === window.library`),
    ).toBe(true)
    await page.evaluate(`document.querySelector('skill-search').src = '/skills/?other'`)
    await expect
      .poll(() =>
        page.evaluate(`document.querySelector('skill-search').library !== window.library`),
      )
      .toBe(true)
    expect(await page.evaluate(`window.library.match('tulips').catch(({ code }) => code)`)).toBe(
      'closed',
    )
  })

  it('[BY-18] an assigned library is used and stays open', async () => {
    const page = await world.open('<skill-search></skill-search>', {
      script: `import { openLibrary } from '/skillshelf.js'
        window.library = await openLibrary({ 'tea/SKILL.md': '---\\nname: tea\\ndescription: Brews tea\\n---\\nSlowly.' }, { embedder: false })
        // Before the element is defined.
        document.querySelector('skill-search').library = window.library`,
    })
    await box().fill('brew tea')
    await options().filter({ hasText: 'Brews tea' }).waitFor()
    await page.evaluate(`document.querySelector('skill-search').remove()`)
    expect(
      await page.evaluate(`window.library.match('brew tea').then(({ matches }) => matches.length)`),
    ).toBe(1)
  })

  it('[BY-18] texts and reasons are Chinese on a Chinese page, and can be replaced', async () => {
    const page = await world.open(INLINE, { lang: 'zh-CN' })
    await page.getByPlaceholder('你想做什么？').fill('修剪玫瑰')
    await options().filter({ hasText: '描述' }).waitFor()
    await page.getByText(/找到 \d 个技能/).waitFor()
    await page.evaluate(
      `document.querySelector('skill-search').texts = { found: count => count + ' Treffer' }`,
    )
    await page.getByText(/^\d Treffer$/).waitFor()
    await page.evaluate(`document.querySelector('skill-search').lang = 'en'`)
    await page.getByPlaceholder('What do you want to do?').waitFor()
    await expect.poll(() => options().first().textContent()).toMatch(/matches/)
  })

  it.each([
    ['inline', INLINE],
    ['dialog', DIALOG],
  ])('[BY-18] axe finds no violation, and nothing overflows at 320 pixels: %s', async (_, body) => {
    const page = await world.open(`<div dir="rtl">${body}</div>`)
    await page.setViewportSize({ width: 320, height: 640 })
    const check = async (): Promise<void> => {
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      expect(await world.axeViolations()).toEqual([])
      // Only colors depend on the scheme.
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await world.axeViolations('color-contrast')).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    }
    await check()
    if (body === DIALOG) await page.keyboard.press('Control+k')
    await box().fill('prune the roses')
    await options().first().waitFor()
    await check()
    await page.keyboard.press('Enter')
    await page.getByText('Prune in *March*.').waitFor()
    await check()
    await page.keyboard.press('Escape')
    await box().fill('zzyzx')
    await page.getByText('No skill matches this message.').waitFor()
    await check()
  })
})
