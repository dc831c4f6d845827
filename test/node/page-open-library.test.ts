import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { memory } from '../../src/exports/index.js'
import { SAMPLE_COUNT, samples } from '../samples.js'
import {
  describePage,
  eventually,
  FEW_COUNT,
  GARDEN,
  packed,
  textOf,
  type World,
  waitForText,
} from './page-world.js'

const libraries = {
  garden: () => packed(memory(GARDEN)),
  bare: () => packed(memory()),
  broken: async () => new Map([['skillshelf.json', '{"format": 1']]),
}

/** Opens a library by its URL with the dialog. */
async function openUrl({ page }: World, address: string): Promise<void> {
  await page.getByRole('button', { name: 'Open library' }).click()
  await page.getByRole('textbox', { name: 'URL, owner/name on GitHub, or a path' }).fill(address)
  await page.keyboard.press('Enter')
}

describePage('opening other libraries in the demo page', libraries, world => {
  const { alert, source, resultNames } = world

  it('[CARD-5] the page opens a library by its URL, puts it into its own URL, and returns to the samples', async () => {
    await world.visit('few')
    await world.page.getByRole('button', { name: 'Open library' }).click()
    await world.page.getByText('Nothing is uploaded').waitFor()
    await eventually(world.focusedId).toBe('address')
    // A page cannot read a path: it asks for the folder, and says why.
    const choosing = world.page.waitForEvent('filechooser')
    await world.page.keyboard.type('~/.claude/skills')
    await world.page.keyboard.press('Enter')
    expect((await choosing).isMultiple()).toBe(true)
    await world.page.getByText('Choose that folder, or drop it here.').waitFor()
    await world.page.keyboard.press('Escape')
    await eventually(world.focusedId).toBe('open-library')

    const address = `${world.otherOrigin}/garden/`
    await openUrl(world, address)
    await eventually(() => resultNames()).toEqual(['roses', 'tulips'])
    await eventually(() => new URL(world.page.url()).searchParams.get('library')).toBe(address)
    await eventually(() => textOf(source())).toBe(
      `From ${address} · Back to the samples · Add more skills`,
    )
    await eventually(world.focusedId).toBe('message')
    await world.ask('prune the roses')
    await world.box().press('Enter')
    await world.skill().getByText('Cut above a bud').waitFor()
    // The URL opens the same skill elsewhere.
    await world.page.reload()
    await world.heading().getByText('roses').waitFor()
    await source().getByText(address).waitFor()

    await source().getByRole('button', { name: 'Back to the samples' }).click()
    await eventually(() => world.results().count()).toBe(FEW_COUNT)
    await eventually(() => new URL(world.page.url()).search).toBe('')
    await world.skill().waitFor({ state: 'hidden' })
    await world.page.goBack()
    await eventually(() => resultNames()).toEqual(['roses'])
    await eventually(() => world.box().inputValue()).toBe('prune the roses')
  })

  it('[CARD-5] the page opens a chosen folder and reads its files on demand', async () => {
    await world.visit('few')
    await world.page.getByRole('button', { name: 'Open library' }).click()
    await world.page.locator('#folder').setInputFiles(samples)
    await source().getByText('From skills, a folder on this computer').waitFor()
    await eventually(() => world.results().count()).toBe(SAMPLE_COUNT)
    await world.ask('make slides about our launch')
    await eventually(() => world.firstName()).toBe('ppt')
    await world.box().press('Enter')
    await world.file('resources/layout.py').click()
    await world.preview().getByText('import').first().waitFor()
    // A reload loses access to the folder.
    await world.page.reload()
    await alert().getByText('Choose skills again').waitFor()
    await eventually(() => world.box().inputValue()).toBe('make slides about our launch')
    await world.results().first().waitFor()
    await alert().getByRole('button', { name: 'Close' }).click()
    await alert().waitFor({ state: 'detached' })
  })

  it('[CARD-5] the page opens a dropped folder at every depth, and stays responsive with thousands of files', async () => {
    const photos = Array.from({ length: 2500 }, (_, index) => [
      `many/photos/${index}.txt`,
      `${index}`,
    ])
    const folder = await world.writeFolder('shed', {
      'node_modules/hidden/SKILL.md': GARDEN['roses/SKILL.md'],
      'many/SKILL.md': '---\nname: many\ndescription: Sorts photos.\n---\nSort them.\n',
      ...Object.fromEntries(photos),
    })
    await cp(join(samples, 'pdf'), join(folder, 'deep/er/pdf'), { recursive: true })
    await world.visit('few')
    await world.results().first().waitFor()
    await world.drop(folder)
    await source().getByText('From shed, a folder on this computer').waitFor()
    await eventually(() => resultNames()).toEqual(['pdf', 'many'])
    await world.ask('sort my photos')
    await world.box().press('Enter')
    await waitForText(world.skill(), /^2,500 files, /)
  })

  it('[CARD-5] the page shows the progress of opening a library, and cancels it', async () => {
    await world.visit('few')
    await world.results().first().waitFor()
    const { count } = await world.hold(`${world.otherOrigin}/garden/*.seg`)
    await openUrl(world, `${world.otherOrigin}/garden`)
    await world.page.getByText(`Opening ${world.otherOrigin}/garden…`).waitFor()
    await eventually(count).toBe(1)
    const cancel = world.page.getByRole('button', { name: 'Cancel' })
    await eventually(() => world.focused().textContent()).toBe('Cancel')
    await cancel.click()
    await cancel.waitFor({ state: 'detached' })
    await eventually(world.focusedId).toBe('open-library')
    await eventually(() => world.results().count()).toBe(FEW_COUNT)
    await world.ask('book a flight')
    expect(world.page.url()).not.toContain('library=')
  })

  it('[CARD-5] the page says what is wrong with a URL, and how to fix it', async () => {
    const there = world.otherOrigin
    const cors = [
      /closed-garden\/ does not allow cross-origin requests/,
      /Access-Control-Allow-Origin: http/,
    ]
    const wrong: Readonly<Record<string, RegExp[]>> = {
      [`${there}/nothing/`]: [
        /No packed library at .*\/nothing\//,
        /skillshelf\.json/,
        /npx skillshelf pack/,
      ],
      [`${there}/closed-garden/`]: cors,
      'http://127.0.0.1:9/skills/': [/127\.0\.0\.1:9\/skills\/ did not respond/, /Check the URL/],
      'http://example.com/skills/': [/may not connect to http:\/\/example\.com/, /over https/],
      'ftp://example.com/skills': [
        /“ftp:\/\/example\.com\/skills” is not a library URL/,
        /https:\/\/example\.com/,
      ],
      [`${there}/broken/`]: [/\/broken\/ is damaged/, /Pack the skills again/],
      [`${there}/bare/`]: [/it has no skills/],
    }
    await world.visit('few')
    await world.results().first().waitFor()
    for (const [address, texts] of Object.entries(wrong)) {
      await openUrl(world, address)
      for (const text of texts) await alert().getByText(text).first().waitFor()
      await eventually(() => world.focused().getAttribute('role')).toBe('alert')
    }
    // The open library stays open.
    await world.ask('book a flight')
    expect(world.page.url()).not.toContain('library=')
    // Chromium logs failed and blocked requests.
    world.allow(/CORS|ERR_|Failed to load resource|127\.0\.0\.1:9/)
  })

  it('[CARD-5] the page offers the samples if the library in its URL cannot be opened', async () => {
    await world.visit('few', {
      search: `?library=${encodeURIComponent(`${world.otherOrigin}/nothing/`)}`,
    })
    await alert().getByText('No packed library').waitFor()
    await eventually(() => world.box().isVisible()).toBe(false)
    await alert().getByRole('button', { name: 'Back to the samples' }).click()
    await eventually(() => world.results().count()).toBe(FEW_COUNT)
    await alert().waitFor({ state: 'detached' })
    world.allow(/CORS|ERR_|Failed to load resource/)
  })

  it('[CARD-5] the page says that a folder has no skills, and lists the diagnostics of another, errors first', async () => {
    const folder = await world.writeFolder('mixed', {
      'good/SKILL.md': GARDEN['roses/SKILL.md'],
      'off/SKILL.md': '---\nname: off\ndescription: Not used.\nenabled: false\n---\nNo.\n',
      'bad/SKILL.md': new Uint8Array([0, 0, 0]),
    })
    await world.visit('few')
    await world.results().first().waitFor()
    await world.drop(await world.writeFolder('attic', { 'box/readme.md': 'nothing' }))
    await alert().getByText('No SKILL.md in attic').waitFor()
    await eventually(() => textOf(alert())).toContain('Searched 1 file')
    await alert().getByText('npx skillshelf new').waitFor()
    await eventually(() => world.results().count()).toBe(FEW_COUNT)
    await world.drop(folder)
    await world.page.getByText(/^\d issues? in this library$/).click()
    await world.page.locator('#diagnostics .diagnostics').getByText('off').first().waitFor()
    const severities = await world.page.locator('#diagnostics .severity').allTextContents()
    const order = ['error', 'warning', 'info']
    expect(severities).toEqual([...severities].sort((a, b) => order.indexOf(a) - order.indexOf(b)))
  })
})
