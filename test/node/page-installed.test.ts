import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { archive } from '../../src/exports/sources.js'
import {
  BY_BUNDLED_MODEL,
  describePage,
  eventually,
  FEW_COUNT,
  GARDEN,
  packed,
  textOf,
  waitForText,
} from './page-world.js'

const TEA = {
  'tea/SKILL.md':
    '---\nname: tea\ndisplay_name: 泡茶\ndescription: Brews green tea. 泡绿茶。\n---\nEighty degrees.\n',
}

describePage(
  'the installed skills of the demo page',
  { garden: () => packed(memory(GARDEN)) },
  world => {
    const { source, focused, installed, installedNames, resultNames, openInstalled } = world
    const installButton = (name: string | RegExp) => source().getByRole('button', { name })
    /** Drops files on the view of installed skills. */
    const install = async (...paths: string[]): Promise<void> => {
      await openInstalled()
      await world.view().getByRole('button', { name: 'Add a zip' }).waitFor()
      await world.drop(...paths)
      await waitForText(world.view(), /^\d+ skills? installed\./)
    }
    const removeButton = (name: string, page?: Page) =>
      installed(page).getByRole('button', { name: `Remove ${name}` })

    it('[BY-6] the page opens a dropped zip and installs it with one click: its skills are listed, ranked with the samples, and survive a reload', async () => {
      await world.visit('few')
      await world.results().first().waitFor()
      await world.drop(await world.writeZip('garden.zip', GARDEN))
      await source().getByText('From garden.zip, on this computer').waitFor()
      await eventually(() => resultNames()).toEqual(['roses', 'tulips'])
      await installButton('Install these 2 skills').click()
      await source().getByRole('status').getByText('2 skills installed.').waitFor()
      // The folder stays open.
      await eventually(() => resultNames()).toEqual(['roses', 'tulips'])
      await eventually(() => textOf(focused())).toBe('Show installed skills')
      await world.page.keyboard.press('Enter')

      await eventually(installedNames).toEqual(['roses', 'tulips'])
      const first = installed().getByRole('listitem').first()
      await eventually(() => textOf(first.locator('.description'))).toBe(
        'Prunes roses in the garden.',
      )
      const size =
        Buffer.byteLength(GARDEN['roses/SKILL.md']) + GARDEN['roses/lists/tools.md'].length
      await first.getByText(`${size} bytes`).waitFor()
      await waitForText(world.view(), /^2 skills, \d[\d.]* KB in this browser\./)
      // The link opens the page's own library.
      await first.getByRole('link', { name: 'roses' }).click()
      await world.skill().getByText('installed/roses').waitFor()
      expect(new URL(world.page.url()).search).toBe('')
      await eventually(() => world.results().count()).toBe(FEW_COUNT + 2)

      await world.page.reload()
      await world.skill().getByText('installed/roses').waitFor()
      await world.file('lists/tools.md').click()
      await eventually(() => world.preview().textContent()).toBe('shears')
      await world.ask('prune the roses')
      expect((await resultNames())[0]).toBe('roses')
      await world.page.getByText('An agent would load roses').waitFor()
      await eventually(() => world.rankedBy()).toBe(BY_BUNDLED_MODEL)
    })

    it('[BY-6] the page installs a dropped folder, a tar.gz, and several at once, and reports what was installed already', async () => {
      const before = `
      window.reads = []
      const { arrayBuffer } = Blob.prototype
      Blob.prototype.arrayBuffer = function () {
        if (this instanceof File) window.reads.push(this.name)
        return arrayBuffer.call(this)
      }`
      await world.visit('few', { before })
      await world.results().first().waitFor()
      await world.drop(await world.writeFolder('shed', GARDEN))
      await source().getByText('From shed, a folder on this computer').waitFor()
      await world.ask('prune the roses')
      await installButton('Install these 2 skills').click()
      await source().getByText('2 skills installed.').waitFor()
      // Each file is read once to be shown, ranked and installed.
      const reads = (await world.page.evaluate('window.reads')) as string[]
      expect(reads.sort()).toEqual(['SKILL.md', 'SKILL.md', 'tools.md'])
      await world.drop(await world.writeFolder('shed', GARDEN))
      await installButton('Install these 2 skills').click()
      await source().getByText('Already installed, no changes.').waitFor()
      const changed = {
        ...GARDEN,
        'tulips/SKILL.md': GARDEN['tulips/SKILL.md'].replace('three', 'four'),
      }
      await world.drop(
        await world.writeFolder('more', changed),
        await world.writeZip('kitchen.tar.gz', TEA, 'tar.gz'),
      )
      await eventually(resultNames).toEqual(['tea', 'roses', 'tulips'])
      await installButton('Install these 3 skills').click()
      await source().getByText('3 skills installed.').waitFor()
      await openInstalled()
      // The roses of both folders are copies, which are one skill.
      await eventually(installedNames).toEqual(['tea', 'tulips', 'roses', 'tulips'])
    })

    it('[BY-6] installing a skill again replaces it, and the page says so', async () => {
      await world.visit('few')
      await install(await world.writeZip('garden.zip', GARDEN))
      const changed = { 'tulips/SKILL.md': GARDEN['tulips/SKILL.md'].replace('bulbs', 'seeds') }
      await world.drop(await world.writeZip('garden.zip', changed))
      await world.view().getByText('1 updated.').waitFor()
      const descriptions = ['Prunes roses in the garden.', 'Plants tulip seeds in autumn.']
      await eventually(() => installed().locator('.description').allTextContents()).toEqual(
        descriptions,
      )
    })

    it('[BY-6] a drop is not lost if what is below the pointer is removed', async () => {
      await world.visit('few')
      await openInstalled()
      await world.view().getByRole('button', { name: 'Add a zip' }).waitFor()
      await world.page.evaluate(`{
        const below = document.createElement('div')
        below.style = 'position: fixed; inset: 0'
        let seen = 0
        below.addEventListener('dragover', () => ++seen === 2 && below.remove())
        document.body.append(below)
      }`)
      await world.drop(await world.writeZip('garden.zip', GARDEN))
      await waitForText(world.view(), '2 skills installed.')
    })

    it('[BY-6] the page removes a skill everywhere, and undo restores it', async () => {
      await world.visit('few')
      await install(await world.writeZip('garden.zip', { ...GARDEN, ...TEA }))
      await eventually(() => world.results().count()).toBe(FEW_COUNT + 3)
      await removeButton('roses').click()
      await world.view().getByRole('status').getByText('roses removed.').waitFor()
      await eventually(() => installedNames()).toEqual(['tea', 'tulips'])
      await eventually(async () => (await resultNames()).includes('roses')).toBe(false)
      await eventually(world.footer).toMatch(new RegExp(`^${FEW_COUNT + 2} skills · `))
      await eventually(() => textOf(focused())).toBe('Undo')
      // Undo still works after the view was closed.
      await world.page.keyboard.press('Escape')
      await openInstalled()
      await world.view().getByRole('button', { name: 'Undo' }).click()
      await world.view().getByText('roses restored.').waitFor()
      await eventually(() => textOf(focused())).toBe('roses')
      await eventually(() => installedNames()).toEqual(['roses', 'tea', 'tulips'])
      await eventually(() => world.results().count()).toBe(FEW_COUNT + 3)
      await world.page.keyboard.press('Enter')
      await world.file('lists/tools.md').click()
      await eventually(() => world.preview().textContent()).toBe('shears')

      // A tab that shows the removed skill says that it is gone.
      const other = await world.tab('few')
      await openInstalled(other)
      await removeButton('roses', other).click()
      await world.page.getByText('This library has no skill installed/roses.').waitFor()
    })

    it('[BY-6] the page follows other tabs, also if it was opened before the first skill was installed', async () => {
      await world.visit('few')
      await world.ask('prune the roses')
      await eventually(() => resultNames()).not.toContain('roses')
      await world.box().fill('')
      const other = await world.tab('few')
      await openInstalled(other)
      await other.getByRole('button', { name: 'Add a zip' }).waitFor()
      await openInstalled()
      await world.page.getByText('No skills installed.').waitFor()
      await other
        .locator('#install-files')
        .setInputFiles(await world.writeZip('garden.zip', GARDEN))
      await eventually(installedNames).toEqual(['roses', 'tulips'])
      await eventually(() => world.results().count()).toBe(FEW_COUNT + 2)
      await world.ask('prune the roses')
      expect((await resultNames())[0]).toBe('roses')
      await removeButton('roses', other).click()
      await eventually(installedNames).toEqual(['tulips'])
      await eventually(async () => (await resultNames()).includes('roses')).toBe(false)
      await other.getByRole('button', { name: 'Undo' }).click()
      await eventually(installedNames).toEqual(['roses', 'tulips'])
    })

    it('[BY-6] the view of installed skills explains how to install, installs chosen files, and exports all skills as a zip', async () => {
      await world.visit('few')
      await openInstalled()
      await world.view().getByText('No skills installed.').waitFor()
      await waitForText(world.view(), /^Drop a zip, a tar\.gz or a folder/)
      await eventually(() =>
        world.view().getByRole('button', { name: 'Export all as zip' }).isVisible(),
      ).toBe(false)
      await world.drag(await world.writeZip('tea.zip', TEA))
      const zone = world.page.getByText('Drop skills to install them')
      await zone.waitFor()
      // The end of the drag is not seen.
      await zone.click()
      await zone.waitFor({ state: 'hidden' })
      const choose = (input: string, path: string) =>
        world.view().locator(input).setInputFiles(path)
      await choose('#install-folder', await world.writeFolder('shed', GARDEN))
      await world.view().getByText('2 skills installed.').waitFor()
      await choose('#install-files', await world.writeZip('tea.zip', TEA))
      await world.view().getByText('1 skill installed.').waitFor()
      await eventually(() => world.page.getByText('No skills installed.').isVisible()).toBe(false)
      const downloading = world.page.waitForEvent('download')
      await world.view().getByRole('button', { name: 'Export all as zip' }).click()
      const download = await downloading
      expect(download.suggestedFilename()).toBe('my-skills.zip')
      await using library = await openLibrary(
        archive(new Uint8Array(await readFile(await download.path()))),
      )
      expect(library.snapshot.skills.map(({ path }) => path)).toEqual(['roses', 'tea', 'tulips'])
      expect((await library.read('roses', 'lists/tools.md')).text).toBe('shears')
    })

    it('[BY-6] the storage code loads only for installed skills, which are not part of other libraries', async () => {
      await world.visit('few')
      await world.ask('book a flight')
      const names = `performance.getEntriesByType('resource').map(({ name }) => name)`
      expect(String(await world.page.evaluate(names))).not.toMatch(
        /\/(?:storage|installed-[a-z]+)-[^/]*\.js/,
      )
      await eventually(() => world.page.evaluate('indexedDB.databases()')).toEqual([])
      await install(await world.writeZip('tea.zip', TEA))
      await world.page.goto(
        `${world.origin}/few/?library=${encodeURIComponent(`${world.otherOrigin}/garden/`)}`,
      )
      await eventually(resultNames).toEqual(['roses', 'tulips'])
      await eventually(() => installButton(/^Install/).count()).toBe(0)
      await source().getByRole('button', { name: 'Back to the samples' }).click()
      await source().waitFor({ state: 'hidden' })
      await eventually(() => world.results().count()).toBe(FEW_COUNT + 1)
    })

    it('[BY-6] keywords rank a skill that was installed without the bundled model, and the model ranks the others later', async () => {
      await world.visit('few')
      await world.page.route(/\/(?:latin|rows)[-.][^/]*$/, route => route.fulfill({ status: 503 }))
      await world.page.reload()
      await install(await world.writeZip('tea.zip', TEA))
      await world.ask('brew tea')
      expect((await resultNames())[0]).toBe('tea')
      await world.page.unroute(/\/(?:latin|rows)[-.][^/]*$/)
      await world.page.goto(`${world.origin}/few/`)
      await world.ask('brew tea')
      await eventually(world.rankedBy).toBe(BY_BUNDLED_MODEL)
      expect((await resultNames())[0]).toBe('tea')
      world.allow(/^Failed to load resource: .*503/)
    })

    it('[BY-6] files that are dropped before the view of installed skills has loaded are installed, not opened', async () => {
      await world.visit('few')
      await world.results().first().waitFor()
      const view = await world.hold(/\/installed-view-[^/]*\.js$/)
      await world.page.getByRole('link', { name: 'Installed', exact: true }).click()
      await eventually(view.count).toBe(1)
      await world.drop(await world.writeZip('tea.zip', TEA))
      await view.release()
      await world.view().getByText('1 skill installed.').waitFor()
      await eventually(installedNames).toEqual(['tea'])
      await eventually(() => source().isVisible()).toBe(false)
    })

    it('[BY-6] a canceled installation installs nothing', async () => {
      await world.visit('few')
      await world.page.evaluate(`
      const { arrayBuffer } = Blob.prototype
      Blob.prototype.arrayBuffer = async function () {
        if (this.name === 'tools.md') await new Promise(resolve => { window.release = resolve })
        return arrayBuffer.call(this)
      }`)
      await openInstalled()
      await world.view().getByRole('button', { name: 'Add a zip' }).waitFor()
      await world.drop(await world.writeFolder('shed', GARDEN))
      await world.view().getByText('Installing shed…').waitFor()
      await eventually(() => world.page.evaluate('window.release !== undefined')).toBe(true)
      await world.view().getByRole('button', { name: 'Cancel' }).click()
      await eventually(() => textOf(focused())).toBe('Add a zip')
      await world.page.evaluate('window.release()')
      await world.view().getByText('No skills installed.').waitFor()
      await world.drop(await world.writeZip('tea.zip', TEA))
      await world.view().getByText('1 skill installed.').waitFor()
      await world.page.reload()
      await eventually(installedNames).toEqual(['tea'])
    })

    it('[CARD-5] installing, removing and restoring work with the keyboard alone', async () => {
      await world.visit('few')
      const zip = await world.writeZip('garden.zip', GARDEN)
      // A listener has no timeout, unlike `waitForEvent`.
      world.page.on('filechooser', chooser => void chooser.setFiles(zip))
      const { keyboard } = world.page
      const tabTo = async (name: string, key = 'Tab'): Promise<void> => {
        await world.page
          .getByText(name, { exact: true })
          .filter({ visible: true })
          .first()
          .waitFor()
        for (let tabs = 0; tabs < 20 && (await textOf(focused())) !== name; tabs++)
          await keyboard.press(key)
        await eventually(() => textOf(focused())).toBe(name)
      }
      await eventually(world.focusedId).toBe('message')
      await tabTo('Open library', 'Shift+Tab')
      await keyboard.press('Enter')
      await tabTo('Choose a zip')
      await keyboard.press('Enter')
      await eventually(resultNames).toEqual(['roses', 'tulips'])
      await eventually(world.focusedId).toBe('message')
      await tabTo('Install these 2 skills')
      await keyboard.press('Enter')
      await eventually(() => textOf(focused())).toBe('Show installed skills')
      await keyboard.press('Enter')
      await eventually(() => textOf(focused())).toBe('Installed skills')
      await eventually(installedNames).toEqual(['roses', 'tulips'])
      await tabTo('Remove')
      await keyboard.press('Enter')
      await eventually(() => textOf(focused())).toBe('Undo')
      await eventually(() => installedNames()).toEqual(['tulips'])
      await keyboard.press('Enter')
      await eventually(() => textOf(focused())).toBe('roses')
      await keyboard.press('Enter')
      await world.skill().getByText('installed/roses').waitFor()
      await keyboard.press('Escape')
      await eventually(() => focused().getAttribute('href')).toBe('#/skill/installed/roses')
    })
  },
)
