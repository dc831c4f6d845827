import { expect, it } from 'vitest'
import { bundled } from '../../src/embed/bundled/node.js'
import { estimateTokens, memory, openLibrary } from '../../src/exports/index.js'
import { catalogSection, matchesSection } from '../../src/exports/session.js'
import { collectTriggers, runTriggers } from '../../src/exports/testing.js'
import { directory } from '../../src/source/directory/directory.js'
import { describePage, eventually, packed, samples, textOf } from './page-world.js'

const MESSAGE = 'make slides about our launch'
/** One message that finds its skill, one that finds another, one that should find none and does. */
const TESTED = {
  'roses/SKILL.md': '---\nname: roses\ndescription: Prunes roses in the garden.\n---\nCut.\n',
  'roses/triggers.yaml': '- message: prune the roses\n- message: plant tulip bulbs\n- message: zzyzx\n  skill: none\n',
  'tulips/SKILL.md': '---\nname: tulips\ndescription: Plants tulip bulbs in autumn.\n---\nDig.\n',
  'tulips/triggers.yaml': '- message: bulbs in autumn\n- massage: wrong\n',
}

const libraries = async () => ({ tested: await packed(memory(TESTED)) })

describePage('the demo page and the model', libraries, world => {
  const number = (amount: number): string => amount.toLocaleString('en')
  const tab = (name: string) =>
    world.page.getByRole('navigation', { name: 'About this shelf' }).getByRole('link', { name })

  it('[CARD-5] compares what the context pays at each level with everything inlined', async () => {
    await using library = await openLibrary(directory(samples))
    const { skills } = library.snapshot
    const names = skills.reduce((sum, { tokens }) => sum + tokens.metadata, 0)
    const all = skills.reduce((sum, { tokens }) => sum + tokens.metadata + tokens.instructions, 0)
    const ppt = skills.find(({ name }) => name === 'ppt')?.tokens.instructions ?? 0
    const { text = '' } = await library.read('ppt', 'resources/layout.py')
    const rows = () => world.aside().locator('.costs tbody tr').allTextContents()

    await world.visit('samples', { hash: '#/tokens' })
    await eventually(rows).toEqual([
      `Names and descriptions of 14 skills, always${number(names)}`,
      `In the context now${number(names)}`,
      `All instructions inlined ${Math.floor((1 - names / all) * 100)}% saved${number(all)}`,
    ])
    await world.ask(MESSAGE)
    await world.box().press('Enter')
    await world
      .opened()
      .getByText(`${number(names + ppt)} tokens in the model’s context now`)
      .waitFor()
    await world.file('resources/layout.py').click()
    const now = names + ppt + estimateTokens(text)
    await world
      .opened()
      .getByText(`${number(now)} tokens in the model’s context now`)
      .waitFor()
    await world.opened().getByRole('link', { name: 'Compare' }).click()
    await eventually(async () => (await rows()).slice(1, 4)).toEqual([
      `Instructions of PPT生成, opened${number(ppt)}`,
      `resources/layout.py, asked for${number(estimateTokens(text))}`,
      `In the context now${number(now)}`,
    ])

    let texts = 0
    let amount = 0
    for (const { id } of skills)
      for (const { path, kind } of (await library.get(id)).files) {
        if (kind !== 'text' && kind !== 'script') continue
        texts += estimateTokens((await library.read(id, path)).text ?? '')
        amount++
      }
    await world.aside().getByRole('button', { name: 'Count the text files too' }).click()
    await world.aside().getByText(`All instructions and ${amount} text files inlined`).waitFor()
    expect((await rows()).at(-1)).toContain(number(all + texts))
    await world
      .aside()
      .getByText(`${Math.floor((1 - now / (all + texts)) * 100)}% saved`)
      .first()
      .waitFor()
    // Another skill, another context.
    await world.results().last().click()
    await world.opened().waitFor()
    await tab('Tokens').click()
    await eventually(async () => (await rows()).join()).not.toContain('layout.py')
  })

  it('[CARD-5] shows what the model is given, as it changes with the message, to be copied', async () => {
    await using library = await openLibrary(directory(samples), { embedder: bundled() })
    const { skills } = library.snapshot
    await world.visit('samples')
    await world.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await tab('For the model').click()
    const part = (name: RegExp) =>
      world
        .aside()
        .locator('section')
        .filter({ has: world.page.getByRole('heading', { name }) })
    await eventually(() =>
      part(/^Always/)
        .locator('pre')
        .textContent(),
    ).toBe(catalogSection(skills))
    await part(/message/)
      .getByText('Say what you need in the box')
      .waitFor()
    await world.box().fill(MESSAGE)
    const section = matchesSection((await library.match(MESSAGE)).matches, skills)
    expect(section).toContain('ppt')
    await eventually(() =>
      part(/message/)
        .locator('pre')
        .textContent(),
    ).toBe(section)
    await world.box().fill('tell me a joke')
    await part(/message/)
      .getByText('Empty for this message')
      .waitFor()
    const tools = JSON.parse(await textOf(part(/tools/).locator('pre'))) as {
      name: string
      inputSchema: { type: string }
    }[]
    expect(tools.map(({ name }) => name)).toEqual(['search_skills', 'load_skill', 'read_skill_file', 'unload_skill'])
    expect(tools.map(({ inputSchema }) => inputSchema.type)).toEqual(['object', 'object', 'object', 'object'])

    await part(/^Always/)
      .getByRole('button', { name: 'Copy: Always: names and descriptions' })
      .click()
    await part(/^Always/)
      .getByRole('status')
      .getByText('Copied', { exact: true })
      .waitFor()
    expect(await world.page.evaluate('navigator.clipboard.readText()')).toBe(catalogSection(skills))
  })

  it('[CARD-5] selects a text where copying is forbidden', async () => {
    const before = `navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden'))`
    await world.visit('samples', { hash: '#/model', before })
    await world
      .aside()
      .getByRole('button', { name: /^Copy.*tools/ })
      .click()
    await world.aside().getByText('The text is selected').waitFor()
    expect(String(await world.page.evaluate('String(getSelection())'))).toContain('"search_skills"')
  })

  it('[BY-10] runs the trigger tests of the samples in the page, as the command line does', async () => {
    await using library = await openLibrary(directory(samples), { embedder: bundled() })
    const { summary } = await runTriggers(library, await collectTriggers(library))
    await world.visit('samples', { hash: '#/tests' })
    await world.aside().getByRole('button', { name: 'Run the trigger tests' }).click()
    await world.aside().getByText(`${summary.passed} of ${summary.total} passed`).waitFor()
    expect(await world.aside().locator('.cases tbody tr').count()).toBe(summary.total)
    const figures = await world.aside().locator('.figures dd').allTextContents()
    expect(figures[0]).toContain(`${summary.first} of ${summary.positive}`)
    expect(figures[1]).toContain(`${summary.above} of ${summary.positive}`)
    expect(figures[2]).toContain(`${summary.abstained} of ${summary.none}`)
  })

  it('[BY-10] says for each message what was expected and found, and puts it into the box', async () => {
    await world.visit('tested', { hash: '#/tests', width: 700 })
    await world.aside().getByRole('button', { name: 'Run the trigger tests' }).click()
    await world.aside().getByText('3 of 4 passed').waitFor()
    const rows = world.aside().locator('.cases tbody tr')
    const cells = async (at: number): Promise<string[]> =>
      (await rows.nth(at).locator('td').allTextContents()).filter((_, column) => column !== 3)
    expect(await cells(0)).toEqual(['prune the roses', 'roses', 'roses', 'passed'])
    expect(await cells(1)).toEqual(['plant tulip bulbs', 'roses', 'tulips', 'failed'])
    expect(await cells(2)).toEqual(['zzyzx', 'none', 'none', 'passed'])
    await world.aside().getByText('a case has message and skill, not massage').waitFor()
    await world.aside().getByLabel('Only those that failed').check()
    expect(await rows.filter({ visible: true }).count()).toBe(1)
    await world.aside().getByRole('button', { name: 'plant tulip bulbs' }).click()
    // Narrow: the box is behind what is open.
    await world.page.getByText('An agent would open tulips.').waitFor()
    expect(await world.box().inputValue()).toBe('plant tulip bulbs')
    await eventually(() => world.page.locator(':focus').getAttribute('id')).toBe('message')
  })

  it('[CARD-5] opens and closes what is about the shelf with the keyboard alone', async () => {
    await world.visit('samples')
    const focused = world.page.locator(':focus')
    await eventually(() => focused.getAttribute('id')).toBe('message')
    for (let tabs = 0; tabs < 9 && (await textOf(focused)) !== 'Tests'; tabs++)
      await world.page.keyboard.press('Shift+Tab')
    await world.page.keyboard.press('Enter')
    await eventually(() => textOf(focused)).toBe('Trigger tests')
    expect(await tab('Tests').getAttribute('aria-current')).toBe('page')
    await world.page.keyboard.press('Tab')
    expect(await textOf(focused)).toBe('Run the trigger tests')
    await world.page.keyboard.press('Enter')
    await world
      .aside()
      .getByText(/of \d+ passed/)
      .waitFor()
    await eventually(() => textOf(focused)).toBe('Run them again')
    await world.page.keyboard.press('Escape')
    await world.aside().waitFor({ state: 'hidden' })
    await eventually(() => focused.getAttribute('id')).toBe('message')
  })
})
