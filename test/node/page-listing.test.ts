import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { directory } from '../../src/source/directory/directory.js'
import { openDraft } from '../../src/tools/listing/draft.js'
import { shortenDescriptions } from '../../src/tools/listing/shorten.js'
import { SAMPLE_COUNT } from '../samples.js'
import { cli } from './cli-world.js'
import { describePage, eventually, HOLD_REST, packed, textOf, waitForText } from './page-world.js'
import { extractSkills, hasRealSkills, WITHOUT_REAL_SKILLS } from './real-skills.js'

const BOAT = 'Mends boats. '
/** More descriptions than a list has room for. */
const MANY = Object.fromEntries(
  Array.from({ length: 130 }, (_, index) => [
    `boat-${index}/SKILL.md`,
    `---\nname: boat-${index}\ndescription: ${BOAT}${`Planks of kind ${index}. `.repeat(8)}\n---\nRow.\n`,
  ]),
)
const LONG_SENTENCE = `It takes ${'planks and nails and '.repeat(80)}time.`
/** Together too long for the smaller list. Their first sentences are enough for some, and all that others have. */
const LONG = Object.fromEntries(
  Object.entries({
    boats: `Mends wooden boats. ${LONG_SENTENCE}`,
    roses: `Prunes roses in the garden. ${LONG_SENTENCE}`,
    kitchen: `Helps at home. Bakes sourdough bread in the oven. ${LONG_SENTENCE}`,
    letters: `Writes letters to ${'aunts and uncles and '.repeat(60)}cousins.`,
    flights: `Books cheap flights. ${LONG_SENTENCE} ${LONG_SENTENCE}`,
    tea: 'Brews green tea.',
  }).map(([name, description]) => [
    `${name}/SKILL.md`,
    `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`,
  ]),
)
const CONTEXTS = { '200k': '200000', '1M': '1000000' }
const HOSTS = { 1: /^Claude Code/, 2: /^Codex/ }

const libraries = {
  many: () => packed(memory(MANY)),
  long: async () => packed(memory(LONG), { embedder: await bundled() }),
}

describePage('what agents list', libraries, world => {
  const figure = () => textOf(world.view().locator('.figure'))
  const choose = (name: string | RegExp) => world.view().getByRole('radio', { name }).check()
  const states = (): Promise<string[]> =>
    world
      .view()
      .locator('.agent-list > li')
      .evaluateAll(rows => rows.map(row => row.className))
  /** Expects the figures of the command line for a folder. */
  const equalsBudget = async (
    folder: string,
    contexts: Partial<typeof CONTEXTS>,
  ): Promise<void> => {
    for (const [size, context] of Object.entries(contexts)) {
      const { out } = await cli(['budget', folder, '--context', context])
      await choose(size)
      for (const [share, host] of Object.entries(HOSTS)) {
        const line = new RegExp(
          `^${share} % of the context, (\\S+) characters: (\\d+) whole, (\\d+) cut, (\\d+) by name only, (\\d+) not listed$`,
          'm',
        )
        const [, characters, whole, cut, named, unlisted] = line.exec(out) ?? []
        await choose(host)
        await eventually(figure).toContain(
          `${characters} characters for the list: ${whole} whole, ${cut} in part, ${named} by name only, ${unlisted} not listed.`,
        )
        const shown = (await states()).filter(state => state === 'whole').length
        expect(shown).toBe(Number(whole))
      }
    }
  }

  it('[BY-25] the page says what the command line says, cuts descriptions, and shortens them as it does', async () => {
    const folder = await world.writeFolder('long', LONG)
    await world.visit('long', { hash: '#/listing' })
    await equalsBudget(folder, CONTEXTS)
    await choose('200k')
    await choose(HOSTS[1])
    const { skills } = (await cli(['budget', folder, '--json'])).json()
    const flights = skills.find(({ name }: { name: string }) => name === 'flights')
    const row = world.view().locator('.agent-list > li').filter({ hasText: 'flights' })
    await eventually(() => textOf(row.locator('.agent-list-state'))).toBe(
      `${flights.shown[1].toLocaleString('en')} of ${flights.description.toLocaleString('en')} characters`,
    )
    const [listed = '', cut = ''] = await Promise.all(
      ['p:last-child', 's'].map(part => textOf(row.locator(part))),
    )
    expect([listed.length - cut.length, listed.slice(flights.shown[1])]).toEqual([
      flights.shown[1],
      cut,
    ])

    await using library = await openLibrary(directory(folder), { embedder: bundled() })
    const all = await Promise.all(library.snapshot.skills.map(({ id }) => library.get(id)))
    const draft = await openDraft(all, { embedder: bundled(), modelTimeout: 60_000 })
    await using _ = draft.library
    const enough = await shortenDescriptions(all, { library, draft })
    expect([...enough.values()]).toEqual(['Mends wooden boats.', 'Prunes roses in the garden.'])
    await world.view().getByRole('button', { name: 'Shorten the descriptions' }).click()
    await waitForText(world.view(), `${enough.size} skills are found as well by the first sentence`)
    await waitForText(world.view(), 'With these, 4 skills are listed whole, not 2.')
    await world.view().getByRole('button', { name: 'Copy: Changes' }).click()
    await world.view().getByRole('status').getByText('Copied', { exact: true }).waitFor()
    // Git applies the patch.
    writeFileSync(join(folder, 'a.patch'), await world.clipboard())
    execFileSync('git', ['apply', '--unsafe-paths', '--directory', folder, 'a.patch'], {
      cwd: folder,
    })
    await using shortened = await openLibrary(directory(folder), { embedder: false })
    expect(
      shortened.snapshot.skills.map(({ id, description }) => enough.get(id) === description),
    ).toEqual(shortened.snapshot.skills.map(({ id }) => enough.has(id)))
  })

  it('[BY-25] a message: whether its skill is listed, which words are cut, and where the library ranks it', async () => {
    await world.visit('samples')
    await world.page.getByRole('link', { name: 'What does your agent not see?' }).click()
    await eventually(figure).toContain(`30 of ${SAMPLE_COUNT} descriptions are cut short`)
    await world.modelsAreReady()
    const box = world.view().getByRole('searchbox')
    const check = world.view().locator('.listing-message')
    // The example is of a skill that is cut.
    await waitForText(check, /^Claude Code lists \d+ of the \d+ characters .*finds it first/)
    await eventually(() => box.getAttribute('placeholder')).toMatch(/^[A-Za-z ,]{12,}$/)
    expect(await box.getAttribute('placeholder')).not.toBe('Describe what you need')
    await box.fill('find exposed backups and admin pages of my server')
    await waitForText(check, /Claude Code lists 188 of the 370 characters of its description\./)
    await waitForText(check, /Cut off: .*“exposed”.* of your message\./)
    await waitForText(check, /skillshelf finds it first, at \d+%/)
    await choose(HOSTS[2])
    await waitForText(check, /Codex lists its whole description\./)
    const other = await check.getByRole('option').nth(1).getAttribute('value')
    await check.getByLabel('The right skill is').selectOption(other)
    await waitForText(check, /skillshelf finds it as number 2\./)
    await box.fill('zzyzx')
    await waitForText(check, 'No skill here shares a word')
    // No half word is looked for: the last answer waits until the user rests.
    const waits = () => check.locator('.waits').count()
    await world.page.evaluate(HOLD_REST)
    await box.pressSequentially(' review a contr')
    expect(await waits()).toBe(1)
    await world.page.evaluate('window.rest()')
    await eventually(waits).toBe(0)
    await waitForText(check, /skillshelf finds it first, at \d+%/)
    // It follows the search box of the page.
    await world.box().fill('make slides about our launch')
    await eventually(() => box.inputValue()).toBe('make slides about our launch')
    await waitForText(check, /skillshelf finds it first/)
  })

  it('[BY-25] a picture, the commands of the hook, and a link', async () => {
    await world.visit('samples', { hash: '#/listing' })
    const view = world.view()
    const downloading = world.page.waitForEvent('download')
    await view.getByRole('button', { name: 'Save as a picture' }).click()
    const png = readFileSync(await (await downloading).path())
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630])
    await choose(HOSTS[2])
    await view.getByRole('button', { name: 'Install the hook' }).click()
    await waitForText(view, /skillshelf hook install codex/)
    await view.getByRole('button', { name: 'Copy a link to this' }).click()
    await waitForText(view, 'Link copied.')
    expect(await world.clipboard()).toBe(`${world.origin}/samples/?lang=en#/listing`)
  })

  it('[BY-25] many skills: names only, skills that are not listed, and a hundred at once', async () => {
    await world.visit('many', { hash: '#/listing' })
    const rows = world.view().locator('.agent-list > li')
    await eventually(() => rows.count()).toBe(100)
    await world.view().getByRole('button', { name: 'Show 30 more' }).click()
    await eventually(() => rows.count()).toBe(130)
    await eventually(() => textOf(world.focused())).toMatch(/^boat-/)
    await world.expectNoOverflow('listing', [320, 360, 768, 1280, 1920])
  })

  it.skipIf(!hasRealSkills)(
    `[BY-25] a dropped folder stays in the view, with the figures of the command line${WITHOUT_REAL_SKILLS}`,
    async () => {
      const { root } = extractSkills('clawhub-folders', 8)
      await world.visit('long', { hash: '#/listing' })
      await world.view().locator('.agent-list').first().waitFor()
      await world.drop(root)
      await eventually(figure).toMatch(/of \d\d descriptions are cut short/)
      await equalsBudget(root, { '200k': CONTEXTS['200k'] })
      await world.view().getByRole('heading', { level: 2 }).waitFor()
      expect(await world.view().getByRole('button', { name: 'Copy a link' }).count()).toBe(0)
    },
  )
})
