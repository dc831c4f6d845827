import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { archive, writeArchive } from '../../src/exports/archive.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { describePage, eventually, packed, textOf } from './page-world.js'

const GARDEN = {
  'roses/SKILL.md':
    '---\nname: roses\ndescription: Prunes roses in the garden.\n---\nCut above a bud, see [tools](lists/tools.md).\n',
  'roses/lists/tools.md': 'shears',
  'tulips/SKILL.md': '---\nname: tulips\ndescription: Plants tulip bulbs in autumn.\n---\nDig three inches.\n',
}
const TEA = {
  'tea/SKILL.md': '---\nname: tea\ndisplay_name: 泡茶\ndescription: Brews green tea. 泡绿茶。\n---\nEighty degrees.\n',
}

type Texts = Readonly<Record<string, string>>

describePage(
  'the demo page and the skills it keeps',
  async () => ({ garden: await packed(memory(GARDEN)) }),
  world => {
    const zip = async (name: string, files: Texts, format: 'zip' | 'tar.gz' = 'zip'): Promise<string> => {
      const path = join(await world.folder(), name)
      await writeFile(path, await writeArchive(files, { format }))
      return path
    }
    const folder = async (name: string, files: Texts): Promise<string> => {
      const root = join(await world.folder(), name)
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, path)), { recursive: true })
        await writeFile(join(root, path), text)
      }
      return root
    }
    const whence = () => world.page.locator('#whence')
    const names = (page: Page = world.page) => page.locator('#results .name').allTextContents()
    const focused = () => world.page.locator(':focus')
    const mine = (page: Page = world.page) => page.getByRole('list', { name: 'My skills' })
    const kept = (page: Page = world.page) => mine(page).locator('.name').allTextContents()
    const openMine = async (): Promise<void> => {
      await world.page.getByRole('link', { name: 'My skills', exact: true }).click()
      await world.heading().getByText('My skills').waitFor()
      await world.page.getByRole('button', { name: 'Add a zip' }).waitFor()
    }
    const keep = async (...paths: string[]): Promise<void> => {
      await openMine()
      await world.drop(...paths)
      await world
        .aside()
        .getByText(/kept\.$/)
        .waitFor()
    }
    const backToSamples = async (): Promise<void> => {
      await whence().getByRole('button', { name: 'Back to the samples' }).click()
      await whence().waitFor({ state: 'hidden' })
    }

    it('[BY-6] opens a zip that is dropped, and keeps it with one click: it is listed, found beside the samples, there after a reload', async () => {
      await world.visit('samples')
      await world.results().first().waitFor()
      await world.drop(await zip('garden.zip', GARDEN))
      await whence().getByText('From garden.zip, on this computer').waitFor()
      expect(await names()).toEqual(['roses', 'tulips'])
      await whence().getByRole('button', { name: 'Keep these 2 skills' }).click()
      await whence().getByRole('status').getByText('2 skills kept.').waitFor()
      // What is open stays open.
      expect(await names()).toEqual(['roses', 'tulips'])
      await eventually(() => textOf(focused())).toBe('Show my skills')
      await world.page.keyboard.press('Enter')

      await eventually(() => kept()).toEqual(['roses', 'tulips'])
      const first = mine().getByRole('listitem').first()
      expect(await textOf(first.locator('.description'))).toBe('Prunes roses in the garden.')
      const size = Buffer.byteLength(GARDEN['roses/SKILL.md']) + GARDEN['roses/lists/tools.md'].length
      await first.getByText(`${size} bytes`).waitFor()
      await world
        .aside()
        .getByText(/^2 skills, \d[\d.]* KB in this browser\./)
        .waitFor()
      // From here into the page's own library.
      await first.getByRole('link', { name: 'roses' }).click()
      await world.opened().getByText('mine/roses').waitFor()
      expect(new URL(world.page.url()).search).toBe('')
      await eventually(() => world.results().count()).toBe(16)

      await world.page.reload()
      await world.opened().getByText('mine/roses').waitFor()
      await world.file('lists/tools.md').click()
      await eventually(() => world.opened().locator('.preview pre').textContent()).toBe('shears')
      await world.ask('prune the roses')
      expect((await names())[0]).toBe('roses')
      await world.page.getByText('An agent would open roses.').waitFor()
      expect(await textOf(world.page.locator('#answers'))).toBe('Finds by words and the bundled model')
    })

    it('[BY-6] keeps a folder that is dropped, and a tar.gz, several things at once, and says what was there already', async () => {
      await world.visit('samples')
      await world.results().first().waitFor()
      await world.drop(await folder('shed', GARDEN))
      await whence().getByRole('button', { name: 'Keep these 2 skills' }).click()
      await whence().getByText('2 skills kept.').waitFor()
      await world.drop(await folder('shed', GARDEN))
      await whence().getByRole('button', { name: 'Keep these 2 skills' }).click()
      await whence().getByText('Kept already, as they are.').waitFor()
      const changed = { ...GARDEN, 'tulips/SKILL.md': GARDEN['tulips/SKILL.md'].replace('three', 'four') }
      await world.drop(await folder('more', changed), await zip('kitchen.tar.gz', TEA, 'tar.gz'))
      await eventually(() => names()).toEqual(['泡茶', 'roses', 'tulips'])
      await whence().getByRole('button', { name: 'Keep these 3 skills' }).click()
      await whence().getByText('3 skills kept.').waitFor()
      await openMine()
      await eventually(() => kept()).toEqual(['泡茶', 'roses', 'tulips', 'roses', 'tulips'])
    })

    it('[BY-6] replaces a skill that is kept again, and says so', async () => {
      await world.visit('samples')
      await keep(await zip('garden.zip', GARDEN))
      const changed = { 'tulips/SKILL.md': GARDEN['tulips/SKILL.md'].replace('bulbs', 'seeds') }
      await world.drop(await zip('garden.zip', changed))
      await world.aside().getByText('1 replaced.').waitFor()
      expect(await mine().locator('.description').allTextContents()).toEqual([
        'Prunes roses in the garden.',
        'Plants tulip seeds in autumn.',
      ])
    })

    it('[BY-6] reads each SKILL.md of a folder once, to show it, to find it by meaning, and to keep it', async () => {
      const before = `
      window.reads = []
      const { arrayBuffer } = Blob.prototype
      Blob.prototype.arrayBuffer = function () {
        if (this instanceof File) window.reads.push(this.name)
        return arrayBuffer.call(this)
      }
    `
      await world.visit('samples', { before })
      await world.results().first().waitFor()
      await world.drop(await folder('shed', GARDEN))
      await whence().getByText('From shed, a folder on this computer').waitFor()
      await world.ask('prune the roses')
      expect(await textOf(world.page.locator('#answers'))).toBe('Finds by words and the bundled model')
      await whence().getByRole('button', { name: 'Keep these 2 skills' }).click()
      await whence().getByText('2 skills kept.').waitFor()
      expect(((await world.page.evaluate('window.reads')) as string[]).sort()).toEqual([
        'SKILL.md',
        'SKILL.md',
        'tools.md',
      ])
    })

    it('[BY-6] removes a skill everywhere at once, and puts it back as it was', async () => {
      await world.visit('samples')
      await keep(await zip('garden.zip', { ...GARDEN, ...TEA }))
      await eventually(() => world.results().count()).toBe(17)
      const remove = mine().getByRole('button', { name: 'Remove roses' })
      await remove.click()
      await world.aside().getByRole('status').getByText('roses was removed.').waitFor()
      expect(await kept()).toEqual(['泡茶', 'tulips'])
      await eventually(async () => (await names()).includes('roses')).toBe(false)
      await eventually(() => textOf(world.page.getByRole('contentinfo'))).toMatch(/^16 skills · /)
      await eventually(() => textOf(focused())).toBe('Undo')
      // The offer outlives the view.
      await world.page.keyboard.press('Escape')
      await openMine()
      await world.aside().getByRole('button', { name: 'Undo' }).click()
      await world.aside().getByText('roses is back.').waitFor()
      await eventually(() => textOf(focused())).toBe('roses')
      expect(await kept()).toEqual(['roses', '泡茶', 'tulips'])
      await eventually(() => world.results().count()).toBe(17)
      await world.page.keyboard.press('Enter')
      await world.file('lists/tools.md').click()
      await eventually(() => world.opened().locator('.preview pre').textContent()).toBe('shears')

      // Who looks at it is told that it went.
      const other = await world.tab('samples')
      await other.getByRole('link', { name: 'My skills', exact: true }).click()
      await mine(other).getByRole('button', { name: 'Remove roses' }).click()
      await world.page.getByText('There is no skill mine/roses on this shelf.').waitFor()
    })

    it('[BY-6] follows other tabs, also one that was opened before anything was kept', async () => {
      await world.visit('samples')
      await world.ask('prune the roses')
      expect(await names()).not.toContain('roses')
      await world.page.locator('#message').fill('')
      const other = await world.tab('samples')
      await other.getByRole('link', { name: 'My skills', exact: true }).click()
      await other.getByRole('button', { name: 'Add a zip' }).waitFor()
      await openMine()
      await world.page.getByText('Nothing is kept yet.').waitFor()
      await other.locator('#mine-files').setInputFiles(await zip('garden.zip', GARDEN))
      await eventually(() => kept()).toEqual(['roses', 'tulips'])
      await eventually(() => world.results().count()).toBe(16)
      await world.ask('prune the roses')
      expect((await names())[0]).toBe('roses')
      await mine(other).getByRole('button', { name: 'Remove roses' }).click()
      await eventually(() => kept()).toEqual(['tulips'])
      await eventually(async () => (await names()).includes('roses')).toBe(false)
      await other.getByRole('button', { name: 'Undo' }).click()
      await eventually(() => kept()).toEqual(['roses', 'tulips'])
    })

    it('[BY-6] says what to do where nothing is kept, keeps what is chosen there, and hands all of it out as a zip', async () => {
      await world.visit('samples')
      await openMine()
      await world.aside().getByText('Nothing is kept yet.').waitFor()
      await world
        .aside()
        .getByText(/^Drop a zip, a tar\.gz or a folder/)
        .waitFor()
      expect(await world.aside().getByRole('button', { name: 'Export all as zip' }).isVisible()).toBe(false)
      await world.drag(await zip('tea.zip', TEA))
      await world.page.getByText('Drop skills to keep them here').waitFor()
      await world
        .aside()
        .locator('#mine-folder')
        .setInputFiles(await folder('shed', GARDEN))
      await world.aside().getByText('2 skills kept.').waitFor()
      await world
        .aside()
        .locator('#mine-files')
        .setInputFiles(await zip('tea.zip', TEA))
      await world.aside().getByText('1 skill kept.').waitFor()
      expect(await world.page.getByText('Nothing is kept yet.').isVisible()).toBe(false)
      const [download] = await Promise.all([
        world.page.waitForEvent('download'),
        world.aside().getByRole('button', { name: 'Export all as zip' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('my-skills.zip')
      await using library = await openLibrary(archive(new Uint8Array(await readFile(await download.path()))))
      expect(library.snapshot.skills.map(({ path }) => path)).toEqual(['roses', 'tea', 'tulips'])
      expect((await library.read('roses', 'lists/tools.md')).text).toBe('shears')
    })

    it('[BY-6] loads what keeps skills only where something is kept, or once the page has answered', async () => {
      const scripts = async (): Promise<string[]> =>
        (await world.page.evaluate(
          `performance.getEntriesByType('resource').map(entry => entry.name).filter(name => /\\/(?:store|keeping|mine|offline)-/.test(name))`,
        )) as string[]
      await world.visit('samples')
      await world.ask('book a flight')
      expect((await scripts()).filter(name => !/\/offline-/.test(name))).toEqual([])
      expect(await world.page.evaluate('indexedDB.databases()')).toEqual([])
      await keep(await zip('tea.zip', TEA))
      await world.page.goto(`${world.origin}/samples/`)
      await eventually(() => world.results().count()).toBe(15)
    })

    it('[BY-6] stays out of other libraries, and the other way round', async () => {
      await world.visit('samples')
      await keep(await zip('tea.zip', TEA))
      await world.page.goto(`${world.origin}/samples/?library=${encodeURIComponent(`${world.elsewhere}/garden/`)}`)
      await eventually(() => names()).toEqual(['roses', 'tulips'])
      expect(await whence().getByRole('button', { name: /^Keep/ }).count()).toBe(0)
      await backToSamples()
      await eventually(() => world.results().count()).toBe(15)
    })

    it('[BY-6] finds by words what was kept while the model could not be loaded, and the rest by it later', async () => {
      await world.visit('samples')
      await world.page.route(/\/latin-128-[^/]*\.bin$/, route => route.fulfill({ status: 503 }))
      await world.page.reload()
      await keep(await zip('tea.zip', TEA))
      await world.ask('brew tea')
      expect((await names())[0]).toBe('泡茶')
      await world.page.unroute(/\/latin-128-[^/]*\.bin$/)
      await world.page.goto(`${world.origin}/samples/`)
      await world.ask('brew tea')
      await eventually(() => textOf(world.page.locator('#answers'))).toBe('Finds by words and the bundled model')
      expect((await names())[0]).toBe('泡茶')
      world.allow(/^Failed to load resource: .*503/)
    })

    it('[BY-6] stops keeping half way, and then keeps nothing', async () => {
      await world.visit('samples')
      const gate = `
      const { arrayBuffer } = Blob.prototype
      Blob.prototype.arrayBuffer = async function () {
        if (this.name === 'tools.md') await new Promise(resolve => { window.release = resolve })
        return arrayBuffer.call(this)
      }
    `
      await world.page.evaluate(gate)
      await openMine()
      await world.drop(await folder('shed', GARDEN))
      await world.aside().getByText('Keeping shed…').waitFor()
      await eventually(() => world.page.evaluate('window.release !== undefined')).toBe(true)
      await world.aside().getByRole('button', { name: 'Cancel' }).click()
      await eventually(() => textOf(focused())).toBe('Add a zip')
      await world.page.evaluate('window.release()')
      await world.aside().getByText('Nothing is kept yet.').waitFor()
      await world.drop(await zip('tea.zip', TEA))
      await world.aside().getByText('1 skill kept.').waitFor()
      await world.page.reload()
      await eventually(() => kept()).toEqual(['泡茶'])
    })

    it('[CARD-5] keeps, finds, removes and puts back with the keyboard alone', async () => {
      await world.visit('samples')
      // Said well before it is needed: until the browser has heard of it, it gives up every choice of files.
      const chooser = world.page.waitForEvent('filechooser')
      const { keyboard } = world.page
      const tabTo = async (name: string, key = 'Tab'): Promise<void> => {
        for (let tabs = 0; tabs < 20 && (await textOf(focused())) !== name; tabs++) await keyboard.press(key)
        expect(await textOf(focused())).toBe(name)
      }
      await eventually(() => focused().getAttribute('id')).toBe('message')
      await tabTo('Open a library', 'Shift+Tab')
      await keyboard.press('Enter')
      await tabTo('Choose a zip')
      await keyboard.press('Enter')
      await (await chooser).setFiles(await zip('garden.zip', GARDEN))
      await eventually(() => names()).toEqual(['roses', 'tulips'])
      await eventually(() => focused().getAttribute('id')).toBe('message')
      await tabTo('Keep these 2 skills')
      await keyboard.press('Enter')
      await eventually(() => textOf(focused())).toBe('Show my skills')
      await keyboard.press('Enter')
      await eventually(() => textOf(focused())).toBe('My skills')
      await eventually(() => kept()).toEqual(['roses', 'tulips'])
      await tabTo('Remove')
      await keyboard.press('Enter')
      await eventually(() => textOf(focused())).toBe('Undo')
      expect(await kept()).toEqual(['tulips'])
      await keyboard.press('Enter')
      await eventually(() => textOf(focused())).toBe('roses')
      await keyboard.press('Enter')
      await world.opened().getByText('mine/roses').waitFor()
      await keyboard.press('Escape')
      await eventually(() => focused().getAttribute('href')).toBe('#/skill/mine/roses')
    })
  },
)
