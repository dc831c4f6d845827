import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { estimateTokens, memory, openLibrary } from '../../src/exports/index.js'
import { catalogSection, matchesSection } from '../../src/exports/session.js'
import { readTriggers } from '../../src/exports/testing.js'
import { directory } from '../../src/source/directory/directory.js'
import { SAMPLE_COUNT, samples } from '../samples.js'
import {
  BY_BUNDLED_MODEL,
  describePage,
  eventually,
  packed,
  sampleLibrary,
  textOf,
  waitForText,
} from './page-world.js'

const MESSAGE = 'make slides about our launch'
const HELD_OUT = new URL('../../demo/views/held-out.yaml', import.meta.url)
/** Like a message of recipe-planner in another language. */
const DINNER = '今週の夕飯、献立をどうしよう'
/** Like a message of kubernetes-debug in the same language. */
const PODS = 'why do my pods keep restarting?'
/** Trigger tests that pass, fail and are invalid. */
const TESTED = {
  'roses/SKILL.md': '---\nname: roses\ndescription: Prunes roses in the garden.\n---\nCut.\n',
  'roses/triggers.yaml':
    '- message: prune the roses\n- message: plant tulip bulbs\n- message: zzyzx\n  skill: none\n',
  'tulips/SKILL.md': '---\nname: tulips\ndescription: Plants tulip bulbs in autumn.\n---\nDig.\n',
  'tulips/triggers.yaml': '- message: bulbs in autumn\n- massage: wrong\n',
}

const libraries = {
  tested: () => packed(memory(TESTED)),
  // One skill is left out, so the page shows a diagnostic.
  partly: () => packed(memory({ ...TESTED, 'nameless/SKILL.md': '---\nversion: 1.0.0\n---\n' })),
}

describePage('the views of the demo page', libraries, world => {
  const number = (amount: number): string => amount.toLocaleString('en')
  const navLink = (name: string) =>
    world.page.getByRole('navigation', { name: 'About this library' }).getByRole('link', { name })

  it('[CARD-5] the Tokens view compares the context with listing and with inlining every skill', async () => {
    const library = await sampleLibrary()
    const { skills } = library.snapshot
    const names = skills.reduce((sum, { tokens }) => sum + tokens.metadata, 0)
    const all = skills.reduce((sum, { tokens }) => sum + tokens.metadata + tokens.instructions, 0)
    const { metadata = 0, instructions: ppt = 0 } =
      skills.find(({ name }) => name === 'ppt')?.tokens ?? {}
    const { text = '' } = await library.read('ppt', 'resources/layout.py')
    const rows = () => world.view().locator('.costs tbody tr').allTextContents()
    const costs = () => world.skill().locator('.cost-bars dd:not([aria-hidden])').allTextContents()

    await world.visit('samples', { hash: '#/tokens' })
    await eventually(rows).toEqual([
      `In context now0`,
      `The same with ${SAMPLE_COUNT} skills listed${number(names)}`,
      `All instructions inlined${number(all)}`,
    ])
    await world.ask(MESSAGE)
    await world.box().press('Enter')
    await eventually(costs).toEqual([names + ppt, metadata + ppt, all].map(number))
    await world.file('resources/layout.py').click()
    const now = metadata + ppt + estimateTokens(text)
    const listed = now - metadata + names
    await eventually(costs).toEqual([listed, now, all].map(number))
    await world.skill().getByRole('link', { name: 'Compare' }).click()
    await eventually(async () => (await rows()).slice(0, 5)).toEqual([
      `Name and description of ppt${number(metadata)}`,
      `Instructions of ppt${number(ppt)}`,
      `File resources/layout.py${number(estimateTokens(text))}`,
      `In context now${number(now)}`,
      `The same with ${SAMPLE_COUNT} skills listed${number(listed)}`,
    ])

    let texts = 0
    let amount = 0
    for (const { id } of skills) {
      for (const { path, kind } of (await library.get(id)).files) {
        if (kind !== 'text' && kind !== 'script') continue
        texts += estimateTokens((await library.read(id, path)).text ?? '')
        amount++
      }
    }
    await world.view().getByRole('button', { name: 'Include text files' }).click()
    await world.view().getByText(`All instructions and ${amount} text files inlined`).waitFor()
    await eventually(async () => (await rows()).at(-1)).toContain(number(all + texts))
    // Another skill starts a new context.
    await world.box().fill('')
    await eventually(() => world.results().count()).toBe(SAMPLE_COUNT)
    await world.results().last().click()
    await world.skill().waitFor()
    await navLink('Tokens').click()
    await eventually(async () => (await rows()).join()).not.toContain('layout.py')
  })

  it('[BY-1] the Compare view ranks the message by each model, side by side, and shows the origin of each rank', async () => {
    await using words = await openLibrary(directory(samples), { embedder: false })
    const meaning = await sampleLibrary()
    const column = (name: string) => world.view().getByRole('region', { name, exact: true })
    const names = async (name: string) =>
      (await column(name).getByRole('link').allTextContents()) as string[]
    const expected = async (library: typeof words, message: string) =>
      // The page writes this name as a reader does.
      (await library.search(message, { limit: 3 })).matches.map(({ name }) =>
        name === 'deep_research' ? 'deep-research' : name,
      )
    const compares = async (message: string): Promise<void> => {
      await eventually(() => names('Keywords')).toEqual(await expected(words, message))
      await eventually(() => names('Bundled model')).toEqual(await expected(meaning, message))
    }

    await world.visit('samples')
    await world.ask(MESSAGE)
    await world.page.locator('#models summary').click()
    await world.page.getByRole('link', { name: 'Compare these rankings' }).click()
    await waitForText(column('skillshelf-encoder'), 'Not loaded, or not for this language.')
    await compares(MESSAGE)
    await eventually(() => textOf(column('Keywords').locator('p'))).toMatch(
      /^(?:<0\.1|\d+\.\d) ms · \S+ KB index$/,
    )
    const figures = /^(?:<0\.1|\d+\.\d) ms · \S+ [KM]B model$/
    await eventually(() => textOf(column('Bundled model').locator('p'))).toMatch(figures)
    const board = world.page.locator('.board')
    await eventually(() => board.locator('tbody tr').count()).toBe(5)
    const row = (name: string) => board.getByRole('row', { name, exact: false })
    const [best] = (await meaning.match(MESSAGE)).matches
    const all = meaning.snapshot.skills.reduce(
      (sum, { tokens }) => sum + tokens.metadata + tokens.instructions,
      0,
    )
    await eventually(() => textOf(row('Bundled model').locator('.rank'))).toBe('#1')
    await eventually(() => textOf(row('Every skill inlined').locator('td').last())).toBe(
      all.toLocaleString('en'),
    )
    await eventually(() => textOf(row('Every skill inlined').locator('.place'))).toBe('loses')
    const listed = meaning.snapshot.skills.reduce((sum, { tokens }) => sum + tokens.metadata, 0)
    const opened = meaning.snapshot.skills.find(({ id }) => id === best?.id)?.tokens
    await eventually(() => textOf(row('Every skill listed').locator('td').last())).toBe(
      (listed + (opened?.instructions ?? 0)).toLocaleString('en'),
    )
    // The three find it and open nothing else.
    await eventually(() => board.locator('.place.tied').count()).toBe(3)
    // The bytes of each have the code.
    const sizeOf = (name: RegExp): number =>
      [...world.files].find(([path]) => name.test(path))?.[1].length ?? Number.NaN
    const bytes =
      sizeOf(/\/minisearch-/) + (world.sampleFiles.get('skillshelf.json')?.length ?? Number.NaN)
    await eventually(() => textOf(row('MiniSearch').locator('.value').nth(1))).toBe(
      `${Math.round(bytes / 1000)} KB`,
    )
    const code = sizeOf(/\/skillshelf-[^/]*\.js$/) + sizeOf(/\/message-language-/)
    const kilobytes = async (name: string) =>
      Number.parseInt(await textOf(row(name).locator('.value').nth(1)), 10)
    await eventually(async () => (await kilobytes('Keywords')) * 1000).toBeGreaterThan(code)
    // The user says what is right, and reports it.
    await world.view().getByLabel('The right skill is').selectOption({ label: 'poem-writer' })
    await eventually(() => textOf(row('Keywords').locator('.rank'))).toMatch(/^(?:not found|#\d+)$/)
    const reported = async (name: string) => {
      const link = world.view().getByRole('link', { name: 'Report a miss' })
      return new URL((await link.getAttribute('href')) ?? '').searchParams.get(name) ?? ''
    }
    await eventually(() => reported('expected')).toMatch(/^poem-writer: /)
    expect(await reported('message')).toBe(MESSAGE)
    expect(await reported('found')).toContain(best?.id)
    expect(await reported('found')).toMatch(/revision [0-9a-f]{16}/)
    // The picture that it saves.
    const downloading = world.page.waitForEvent('download')
    await world.view().getByRole('button', { name: 'Save as a picture' }).click()
    const download = await downloading
    const png = await readFile(await download.path())
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630])
    await world.expectNoOverflow('compare', [320, 768, 1280])

    // It follows the message.
    for (const [message, quotesMessage] of [
      [DINNER, false],
      [PODS, true],
    ] as const) {
      await world.box().fill(message)
      await compares(message)
      const { signals } = (await meaning.search(message)).matches[0] ?? {}
      const origin = () => textOf(column('Bundled model').getByRole('listitem').first())
      expect(signals?.similarMessage !== undefined).toBe(quotesMessage)
      if (quotesMessage) await eventually(origin).toContain(`“${signals?.similarMessage}”`)
      await eventually(origin).toContain(`similarity ${signals?.similarity?.toFixed(2)}`)
      for (const { text, share } of signals?.terms.slice(0, 4) ?? [])
        await eventually(origin).toContain(`“${text}” ${Math.floor(share * 100) || '<1'}%`)
    }
    await world.box().fill(DINNER)
    await compares(DINNER)
    await eventually(() => textOf(column('Keywords').getByRole('listitem').first())).not.toContain(
      'similarity',
    )
    // Without a message it compares the one that the page shows, and in another library none.
    await world.box().fill('')
    await compares('extract the tables from this PDF')
    const search = `?library=${encodeURIComponent(`${world.otherOrigin}/tested/`)}`
    await world.visit('samples', { search, hash: '#/compare' })
    await world.view().getByText('Type a message in the search box').waitFor()
    await eventually(() => column('Keywords').isVisible()).toBe(false)
  })

  it('[CARD-5] the Tokens view compares as many skills as the user sets', async () => {
    const library = await sampleLibrary()
    const { skills } = library.snapshot
    const sum = (some: typeof skills, inlined: boolean) =>
      some.reduce(
        (all, { tokens }) => all + tokens.metadata + (inlined ? tokens.instructions : 0),
        0,
      )
    const average = Math.round((sum(skills, true) - sum(skills, false)) / skills.length)
    await world.visit('samples', { hash: '#/tokens' })
    const section = world.view().getByRole('region', { name: 'Change the number of skills' })
    const shows = async (amount: number): Promise<void> => {
      const some = skills.slice(0, amount)
      const [listed, inlined] = [sum(some, false), sum(some, true)]
      const costs = [listed + average, Math.round(listed / amount) + average, inlined]
      await eventually(() =>
        section.locator('.cost-bars dd:not([aria-hidden])').allTextContents(),
      ).toEqual(costs.map(number))
    }
    await shows(skills.length)
    await section.getByRole('slider').focus()
    await world.page.keyboard.press('Home')
    await shows(1)
    await world.page.keyboard.press('ArrowRight')
    await waitForText(section, 'First 2 skills')
    await shows(2)
  })

  it('[CARD-5] the Prompts view shows the prompts and tools, follows the message, and copies them', async () => {
    const library = await sampleLibrary()
    const { skills } = library.snapshot
    await world.visit('samples')
    await navLink('Prompts').click()
    const section = (name: RegExp) =>
      world
        .view()
        .locator('section')
        .filter({ has: world.page.getByRole('heading', { name }) })
    const [catalog, forMessage] = [section(/^Catalog/), section(/message/)]
    await eventually(() => textOf(catalog.locator('pre'))).toBe(catalogSection(skills))
    // The Tokens view counts the same names and descriptions.
    const metadata = skills.reduce((sum, { tokens }) => sum + tokens.metadata, 0)
    await waitForText(catalog, `as in Tokens: ${metadata.toLocaleString('en')} tokens`)
    await waitForText(forMessage, 'Type a message in the search box')
    await world.box().fill(MESSAGE)
    const matches = matchesSection((await library.match(MESSAGE)).matches, skills)
    expect(matches).toContain('ppt')
    await eventually(() => textOf(forMessage.locator('pre'))).toBe(matches)
    await world.box().fill('tell me a joke')
    await waitForText(forMessage, 'No skill scores above the threshold')
    const names = ['search_skills', 'load_skill', 'read_skill_file', 'unload_skill']
    const tools = JSON.parse(await textOf(section(/Tools/).locator('pre')))
    expect(tools).toMatchObject(names.map(name => ({ name, inputSchema: { type: 'object' } })))

    await catalog.getByRole('button', { name: 'Copy: Catalog: all names and descriptions' }).click()
    await catalog.getByRole('status').getByText('Copied', { exact: true }).waitFor()
    expect(await world.clipboard()).toBe(catalogSection(skills))
  })

  it('[CARD-5] the Prompts view selects a text if the clipboard is blocked', async () => {
    const before = `navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden'))`
    await world.visit('samples', { hash: '#/prompts', before })
    const model = await world.hold(/\/(?:latin|rows)[-.][^/]*$/)
    await world.page.reload()
    const copy = world.view().getByRole('button', { name: /^Copy: Tools/ })
    await copy.click()
    await waitForText(world.view(), 'The text is selected')
    expect(String(await world.page.evaluate('String(getSelection())'))).toContain('"search_skills"')
    // The model changes no prompt, so the view stays as it is.
    await model.release()
    await eventually(world.rankedBy).toBe(BY_BUNDLED_MODEL)
    await eventually(() => world.view().getByText('The text is selected').isVisible()).toBe(true)
  })

  it('[CARD-5] a view that is opened while the page is still starting is drawn once', async () => {
    await world.visit('partly')
    const diagnostics = await world.hold(/\/diagnostics-list-[^/]*\.js$/)
    await world.page.reload()
    await eventually(diagnostics.count).toBe(1)
    await navLink('What fires').click()
    await world.view().getByRole('button', { name: 'Rank their messages' }).click()
    await world.view().getByText('3 of 4 passed').waitFor()
    await diagnostics.release()
    await world.page
      .locator('#diagnostics')
      .getByText('nameless')
      .first()
      .waitFor({ state: 'attached' })
    await world.modelsAreReady()
    await eventually(() => world.view().getByText('3 of 4 passed').isVisible()).toBe(true)
  })

  it('[BY-10] no held-out message is an example of a sample', async () => {
    const { cases } = readTriggers(await readFile(HELD_OUT, 'utf8'), 'held-out.yaml')
    const own = await Promise.all(
      (await readdir(samples, { recursive: true }))
        .filter(path => /(?:triggers\.yaml|messages\.txt|skill\.md)$/i.test(path))
        .map(path => readFile(`${samples}/${path}`, 'utf8')),
    )
    expect(own.length).toBeGreaterThan(100)
    expect(cases.filter(({ message }) => own.some(text => text.includes(message)))).toEqual([])
  })

  it('[BY-10] the Tests view shows what each message expected and found, and puts it into the search box', async () => {
    await world.visit('tested', { hash: '#/tests', width: 700 })
    await world.view().getByRole('button', { name: 'Rank their messages' }).click()
    await world.view().getByText('3 of 4 passed').waitFor()
    const rows = world.view().locator('.cases tbody tr')
    await world.view().getByText('1 message failed.').waitFor()
    await eventually(() => rows.count()).toBe(1)
    await world.view().getByRole('button', { name: 'Show all 4' }).click()
    const cells = async (at: number): Promise<string[]> =>
      (await rows.nth(at).locator('td').allTextContents()).filter((_, column) => column !== 3)
    await eventually(() => cells(0)).toEqual(['prune the roses', 'roses', 'roses', 'passed'])
    await eventually(() => cells(1)).toEqual(['plant tulip bulbs', 'roses', 'tulips', 'failed'])
    await eventually(() => cells(2)).toEqual(['zzyzx', 'none', 'none', 'passed'])
    await world.view().getByText('unknown key massage; the keys are message and skill').waitFor()
    await world.view().getByRole('button', { name: 'Show failures only' }).click()
    await eventually(() => rows.count()).toBe(1)
    await world.view().getByRole('button', { name: 'plant tulip bulbs' }).click()
    // In a narrow window the box was hidden.
    await world.page.getByText('An agent would load tulips').waitFor()
    await eventually(() => world.box().inputValue()).toBe('plant tulip bulbs')
    await eventually(world.focusedId).toBe('message')
  })

  it('[CARD-5] a part that fails to load says so in its own place, and the rest of the page goes on', async () => {
    await world.visit('samples')
    const { page } = world
    const notice = (place: string) =>
      page.locator(`${place} [role=alert]`).getByText('Part of this page failed to load.')
    const breakPart = async (module: string): Promise<void> => {
      const chunk = world.output.find(
        one => one.type === 'chunk' && one.moduleIds.some(id => id.endsWith(module)),
      )
      await page.route(`**/${chunk?.fileName}`, route => route.fulfill({ status: 503 }))
    }
    for (const module of ['ways/ways.ts', 'demo/details-panel.ts', 'search/models-panel.ts'])
      await breakPart(module)
    await page.goto(`${world.origin}/samples/?again#/tests`)
    await notice('#details').waitFor()
    await world.ask(MESSAGE)
    await eventually(async () => [await world.firstName(), await world.rankedBy()]).toEqual([
      'ppt',
      BY_BUNDLED_MODEL,
    ])
    await page.locator('#models summary').click()
    await notice('#models-panel').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('#details').waitFor({ state: 'hidden' })
    await world.box().fill('')
    await notice('#ways').waitFor()
    await page.locator('#demonstration .match').waitFor()

    await page.unrouteAll()
    await breakPart('views/tests-view.ts')
    await page.goto(`${world.origin}/samples/?other#/tests`)
    await notice('#details').waitFor()
    await navLink('Tokens').click()
    await world.heading().getByText('Tokens', { exact: true }).waitFor()
    await page.locator('#ways h2').waitFor({ state: 'attached' })
    world.allow(/503/)
  })

  it('[CARD-5] the views open and close with the keyboard alone', async () => {
    await world.visit('tested')
    await eventually(world.focusedId).toBe('message')
    for (let tabs = 0; tabs < 12 && (await textOf(world.focused())) !== 'What fires'; tabs++)
      await world.page.keyboard.press('Shift+Tab')
    await world.page.keyboard.press('Enter')
    await eventually(() => textOf(world.focused())).toBe('Which of your skills never fire?')
    await eventually(() => navLink('What fires').getAttribute('aria-current')).toBe('page')
    await world.page.keyboard.press('Tab')
    await eventually(() => textOf(world.focused())).toBe('Rank their messages')
    await world.page.keyboard.press('Enter')
    await waitForText(world.view(), /^\d+ messages tested\.$/)
    await eventually(() => textOf(world.focused())).toBe('Run again')
    await world.page.keyboard.press('Escape')
    await world.view().waitFor({ state: 'hidden' })
    await eventually(world.focusedId).toBe('message')
  })
})
