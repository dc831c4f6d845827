import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { memory } from '../../src/exports/index.js'
import { describePage, eventually, packed, samples, textOf, type World } from './page-world.js'

const GARDEN = {
  'roses/SKILL.md': '---\nname: roses\ndescription: Prunes roses in the garden.\n---\nCut above a bud.\n',
  'tulips/SKILL.md': '---\nname: tulips\ndescription: Plants tulip bulbs in autumn.\n---\nDig three inches.\n',
}
const CATALOG = 'skillshelf.json'

async function libraries() {
  const garden = await packed(memory(GARDEN))
  return { garden, broken: new Map([[CATALOG, '{"format": 1']]), bare: await packed(memory()) }
}

/** Opens the form and gives it an address. */
async function openAddress({ page }: World, address: string): Promise<void> {
  await page.getByRole('button', { name: 'Open a library' }).click()
  await page.getByRole('textbox', { name: 'Address of a packed library' }).fill(address)
  await page.keyboard.press('Enter')
}

describePage('the demo page and other libraries', libraries, world => {
  const alert = () => world.page.getByRole('alert')
  const whence = () => world.page.locator('#whence')
  const names = () => world.results().locator('.name').allTextContents()

  it('[CARD-5] opens another library by its address, that can be shared, and goes back to the samples', async () => {
    await world.visit('samples')
    await world.page.getByRole('button', { name: 'Open a library' }).click()
    await world.page.getByText('Nothing is uploaded').waitFor()
    await eventually(() => world.page.locator(':focus').getAttribute('id')).toBe('address')
    await world.page.keyboard.press('Escape')
    await eventually(() => world.page.locator(':focus').getAttribute('id')).toBe('open')

    const address = `${world.elsewhere}/garden/`
    await openAddress(world, address)
    await eventually(names).toEqual(['roses', 'tulips'])
    expect(new URL(world.page.url()).searchParams.get('library')).toBe(address)
    expect(await textOf(whence())).toBe(`From ${address} · Back to the samples`)
    await eventually(() => world.page.locator(':focus').getAttribute('id')).toBe('message')
    await world.ask('prune the roses')
    await world.box().press('Enter')
    await world.opened().getByText('Cut above a bud.').waitFor()
    // As somebody else gets it.
    await world.page.reload()
    await world.heading().getByText('roses').waitFor()
    await whence().getByText(address).waitFor()

    await whence().getByRole('button', { name: 'Back to the samples' }).click()
    await eventually(() => world.results().count()).toBe(14)
    expect(new URL(world.page.url()).search).toBe('')
    await world.opened().waitFor({ state: 'hidden' })
    await world.page.goBack()
    await eventually(names).toEqual(['roses', 'tulips'])
  })

  it('[CARD-5] opens a folder that is chosen, and reads of it what is opened', async () => {
    await world.visit('samples')
    await world.page.getByRole('button', { name: 'Open a library' }).click()
    await world.page.locator('#folder').setInputFiles(samples)
    await whence().getByText('From skills, a folder on this computer').waitFor()
    await eventually(() => world.results().count()).toBe(14)
    await world.ask('make slides about our launch')
    expect(await textOf(world.results().first().locator('.name'))).toBe('PPT生成')
    await world.box().press('Enter')
    await world.file('resources/layout.py').click()
    await world.opened().locator('.preview pre').getByText('import').first().waitFor()
    // The page keeps nothing: a folder has to be chosen again.
    await world.page.reload()
    await alert().getByText('skills has to be chosen again').waitFor()
    await eventually(() => world.results().count()).toBe(14)
    await alert().getByRole('button', { name: 'Close' }).click()
    await alert().waitFor({ state: 'detached' })
  })

  it('[CARD-5] opens a folder that is dropped, at any depth, and stays alive with thousands of files', async () => {
    const folder = join(await world.folder(), 'shed')
    await cp(join(samples, 'pdf'), join(folder, 'deep/er/pdf'), { recursive: true })
    await mkdir(join(folder, 'many/photos'), { recursive: true })
    await mkdir(join(folder, 'node_modules/hidden'), { recursive: true })
    await writeFile(join(folder, 'node_modules/hidden/SKILL.md'), GARDEN['roses/SKILL.md'])
    await writeFile(join(folder, 'many/SKILL.md'), '---\nname: many\ndescription: Sorts photos.\n---\nSort them.\n')
    await Promise.all(
      Array.from({ length: 2500 }, (_, at) => writeFile(join(folder, `many/photos/${at}.txt`), `${at}`)),
    )
    await world.visit('samples')
    await world.results().first().waitFor()
    await world.drop(folder)
    await whence().getByText('From shed, a folder on this computer').waitFor()
    expect(await names()).toEqual(['pdf', 'many'])
    await world.ask('sort my photos')
    await world.box().press('Enter')
    await world
      .opened()
      .getByText(/^2,500 files, /)
      .waitFor()
  })

  it('[CARD-5] shows how far an opening is, and stops it', async () => {
    await world.visit('samples')
    await world.results().first().waitFor()
    let held = 0
    await world.page.route(`${world.elsewhere}/garden/*.seg`, () => void held++)
    await openAddress(world, `${world.elsewhere}/garden`)
    await world.page.getByText(`Opening ${world.elsewhere}/garden…`).waitFor()
    await eventually(() => held).toBe(1)
    const cancel = world.page.getByRole('button', { name: 'Cancel' })
    expect(await world.page.locator(':focus').textContent()).toBe('Cancel')
    await cancel.click()
    await cancel.waitFor({ state: 'detached' })
    await eventually(() => world.page.locator(':focus').getAttribute('id')).toBe('open')
    expect(await world.results().count()).toBe(14)
    await world.ask('book a flight')
    expect(world.page.url()).not.toContain('library=')
  })

  it('[CARD-5] says what is wrong with an address, where, and how to mend it', async () => {
    const there = world.elsewhere
    const wrong: Readonly<Record<string, RegExp[]>> = {
      [`${there}/nothing/`]: [/no packed library at .*\/nothing\//, /skillshelf\.json/, /npx skillshelf pack/],
      [`${there}/closed-garden/`]: [/closed-garden\/ does not let other pages/, /Access-Control-Allow-Origin: http/],
      'http://127.0.0.1:9/skills/': [/127\.0\.0\.1:9\/skills\/ did not answer/, /Check the address/],
      'http://example.com/skills/': [/may not ask http:\/\/example\.com/, /over https/],
      'file:///etc/skills': [/“file:\/\/\/etc\/skills” is no address/, /https:\/\/example\.com/],
      [`${there}/broken/`]: [/\/broken\/ cannot be used/, /Pack the skills again/],
      [`${there}/bare/`]: [/there is no skill in it/],
    }
    await world.visit('samples')
    await world.results().first().waitFor()
    for (const [address, texts] of Object.entries(wrong)) {
      await openAddress(world, address)
      for (const text of texts) await alert().getByText(text).first().waitFor()
      await eventually(() => world.page.locator(':focus').getAttribute('role')).toBe('alert')
    }
    // What was open stays, and can be searched.
    await world.ask('book a flight')
    expect(world.page.url()).not.toContain('library=')
    // Chromium says by itself that an answer was missing or withheld.
    world.allow(/CORS|ERR_|Failed to load resource|127\.0\.0\.1:9/)
  })

  it('[CARD-5] says so where the library that the address names cannot be opened, and offers the samples', async () => {
    await world.visit('samples', { search: `?library=${encodeURIComponent(`${world.elsewhere}/nothing/`)}` })
    await alert().getByText('There is no packed library').waitFor()
    expect(await world.box().isVisible()).toBe(false)
    await alert().getByRole('button', { name: 'Back to the samples' }).click()
    await eventually(() => world.results().count()).toBe(14)
    await alert().waitFor({ state: 'detached' })
    world.allow(/CORS|ERR_|Failed to load resource/)
  })

  it('[CARD-5] says so where a folder has no skills', async () => {
    const folder = join(await world.folder(), 'attic')
    await mkdir(join(folder, 'box'), { recursive: true })
    await writeFile(join(folder, 'box/readme.md'), 'nothing')
    await world.visit('samples')
    await world.results().first().waitFor()
    await world.drop(folder)
    await alert().getByText('There is no SKILL.md in attic').waitFor()
    expect(await textOf(alert())).toContain('Looked at 1 file')
    await alert().getByText('npx skillshelf new').waitFor()
    expect(await world.results().count()).toBe(14)
  })

  it('[CARD-5] lists what is wrong with a library, the worst first, where it is seen', async () => {
    const folder = join(await world.folder(), 'mixed')
    for (const [path, text] of Object.entries({
      'good/SKILL.md': GARDEN['roses/SKILL.md'],
      'off/SKILL.md': '---\nname: off\ndescription: Not used.\nenabled: false\n---\nNo.\n',
      'bad/SKILL.md': new Uint8Array([0, 0, 0]),
    })) {
      await mkdir(join(folder, path, '..'), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    await world.visit('samples')
    await world.results().first().waitFor()
    await world.drop(folder)
    await world.page.getByText(/^\d remarks? on this library$/).click()
    await world.page.locator('#notes .diagnostics').getByText('off').first().waitFor()
    const severities = await world.page.locator('#notes .severity').allTextContents()
    const order = ['error', 'warning', 'info']
    expect(severities).toEqual([...severities].sort((a, b) => order.indexOf(a) - order.indexOf(b)))
  })
})
