import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Zippable, zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { describePage, eventually, textOf } from './page-world.js'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const TEA = bytes('---\nname: tea\ndescription: Brews green tea.\n---\nEighty degrees.\n')
/** What no zip makes smaller. */
const noise = (size: number): Uint8Array => {
  let state = 1
  return Uint8Array.from({ length: size }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
}

describePage(
  'the demo page and what it cannot keep',
  async () => ({}),
  world => {
    const alert = () => world.page.getByRole('alert')
    const whence = () => world.page.locator('#whence')
    const kept = () => world.page.getByRole('list', { name: 'My skills' }).locator('.name').allTextContents()
    const zip = async (name: string, files: Zippable): Promise<string> => {
      const path = join(await world.folder(), name)
      await writeFile(path, zipSync(files))
      return path
    }
    const openMine = async (): Promise<void> => {
      await world.page.getByRole('link', { name: 'My skills', exact: true }).click()
      await world.heading().getByText('My skills').waitFor()
    }
    /** What is said of it where it is to be opened, and where it is to be kept: nothing is kept of it. */
    const refused = async (path: string, ...texts: RegExp[]): Promise<void> => {
      await world.visit('samples')
      await world.results().first().waitFor()
      await world.drop(path)
      for (const text of texts) await alert().getByText(text).first().waitFor()
      await eventually(() => world.page.locator(':focus').getAttribute('role')).toBe('alert')
      expect(await world.results().count()).toBe(14)
      await alert().getByRole('button', { name: 'Close' }).click()
      await openMine()
      await world.page.getByText('Nothing is kept yet.').waitFor()
      await world.drop(path)
      for (const text of texts) await alert().getByText(text).first().waitFor()
      await eventually(() => world.page.locator(':focus').getAttribute('role')).toBe('alert')
      expect(await kept()).toEqual([])
      await world.page.getByText('Nothing is kept yet.').waitFor()
    }

    it('[BY-9] refuses a zip whose names lead out of it, with words', async () => {
      await refused(
        await zip('evil.zip', { '../SKILL.md': TEA, '/etc/SKILL.md': TEA, 'a/../../b/SKILL.md': TEA }),
        /evil\.zip cannot be unpacked/,
        /3 names lead out of it/,
      )
    })

    it('[BY-9] keeps of a zip no file whose name leads out of it', async () => {
      await world.visit('samples')
      await openMine()
      await world.drop(await zip('mixed.zip', { 'tea/SKILL.md': TEA, '../outside.md': TEA, 'tea/../../x.md': TEA }))
      await world.page.getByText('1 skill kept.').waitFor()
      await world.page.getByRole('list', { name: 'My skills' }).getByRole('link', { name: 'tea' }).click()
      await world.opened().getByText('mine/tea').waitFor()
      expect(await world.opened().locator('.files li').count()).toBe(0)
    })

    it('[BY-9] refuses a zip bomb, with words, and stays alive', async () => {
      const bomb = await zip('bomb.zip', { 'tea/SKILL.md': TEA, 'tea/zeros.bin': new Uint8Array(40_000_000) })
      await refused(bomb, /bomb\.zip unpacks to more than this page takes in/, /times its size/)
      await world.ask('book a flight')
    })

    it('[BY-9] shows what a kept skill says as text, and runs nothing of it', async () => {
      const skill = `---
name: '<img src=x onerror="window.ran = true">'
description: '<script>window.ran = true</script> for tea'
---
<script>window.ran = true</script>
`
      await world.visit('samples')
      await openMine()
      await world.drop(
        await zip('<img src=x onerror="window.ran = true">.zip'.replaceAll('/', ''), { 'evil/SKILL.md': bytes(skill) }),
      )
      await world.page.getByText('1 skill kept.').waitFor()
      await eventually(kept).toEqual(['<img src=x onerror="window.ran = true">'])
      await world.page.getByRole('button', { name: /^Remove <img/ }).click()
      await world.page.getByText('<img src=x onerror="window.ran = true"> was removed.').waitFor()
      expect(await world.aside().locator('img, script, [onerror]').count()).toBe(0)
      expect(await world.page.evaluate('window.ran')).toBeUndefined()
    })

    it('[BY-6] says what is wrong with an archive: broken, with a password, without a skill', async () => {
      const folder = await world.folder()
      const broken = join(folder, 'broken.zip')
      await writeFile(broken, zipSync({ 'tea/SKILL.md': TEA }).subarray(0, 60))
      await refused(broken, /broken\.zip cannot be unpacked/, /Make the archive again/)
      const locked = join(folder, 'locked.zip')
      const lockedBytes = zipSync({ 'tea/SKILL.md': TEA })
      // The flag of an encrypted entry, in its own header and in the directory.
      for (const [signature, at] of [
        [0x04034b50, 6],
        [0x02014b50, 8],
      ] as const) {
        const view = new DataView(lockedBytes.buffer, lockedBytes.byteOffset, lockedBytes.byteLength)
        for (let offset = 0; offset + 46 < view.byteLength; offset++)
          if (view.getUint32(offset, true) === signature)
            view.setUint16(offset + at, view.getUint16(offset + at, true) | 1, true)
      }
      await writeFile(locked, lockedBytes)
      await refused(locked, /locked\.zip is an archive that this page cannot read/, /without a password/)
      await refused(
        await zip('empty.zip', { 'box/readme.md': TEA }),
        /There is no SKILL\.md in empty\.zip/,
        /A skill is a folder/,
      )
    })

    it('[BY-6] says that there is no room, with what is kept as it was', async () => {
      await world.visit('samples')
      await world.results().first().waitFor()
      // A real limit: a storage bucket in place of the default one, which the page has not used yet.
      await world.page.evaluate(`navigator.storageBuckets.open('small', { quota: 1_000_000 }).then(({ indexedDB }) => {
        Object.defineProperty(window, 'indexedDB', { value: indexedDB })
      })`)
      await openMine()
      await world.drop(await zip('tea.zip', { 'tea/SKILL.md': TEA }))
      await world.page.getByText('1 skill kept.').waitFor()
      const large = await zip('large.zip', { 'large/SKILL.md': TEA, 'large/noise.bin': noise(2_000_000) })
      await world.drop(large)
      await alert().getByText('There is no room for large.zip in this browser').waitFor()
      await alert()
        .getByText(/^Nothing was changed\. Remove skills/)
        .waitFor()
      expect(await kept()).toEqual(['tea'])
      // As well where it is looked at first: it stays open, and can be tried once more.
      await world.page.keyboard.press('Escape')
      await world.drop(large)
      const keep = whence().getByRole('button', { name: 'Keep this skill' })
      await keep.click()
      await alert().getByText('There is no room for large.zip in this browser').waitFor()
      expect(await world.results().count()).toBe(1)
      await keep.waitFor()
      await openMine()
      await eventually(kept).toEqual(['tea'])
      // What was removed for it, and finds no room afterwards either, is not lost: it can be put back.
      await world.page.getByRole('button', { name: 'Remove tea' }).click()
      await world.drop(large)
      await alert().getByText('There is no room for large.zip in this browser').waitFor()
      await world.page.getByRole('button', { name: 'Undo' }).click()
      await eventually(kept).toEqual(['tea'])
    })

    it.each([
      ['no IndexedDB (stubbed)', `Object.defineProperty(window, 'indexedDB', { value: undefined })`],
      [
        'SecurityError (stubbed)',
        `IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError') }`,
      ],
    ])('[BY-6] opens all the same, and says so, where the browser keeps nothing: %s', async (_, before) => {
      await world.visit('samples', { before })
      await world.ask('book a flight')
      expect(await textOf(world.page.locator('#answers'))).toBe('Finds by words and the bundled model')
      expect(await world.page.locator('#notes').textContent()).toBe('')
      await world.drop(await zip('tea.zip', { 'tea/SKILL.md': TEA }))
      await whence().getByRole('button', { name: 'Keep this skill' }).click()
      await alert().getByText('This browser keeps nothing for this page').waitFor()
      await alert()
        .getByText(/private windows/)
        .waitFor()
      await world.ask('brew tea')
      await world.box().press('Enter')
      await world.opened().getByText('Eighty degrees.').waitFor()
      await openMine()
      await world.aside().getByText('This browser keeps nothing for this page').waitFor()
      expect(await world.aside().getByRole('button').count()).toBe(0)
    })

    it('[BY-6] says so where what was kept cannot be read any more (stubbed), and shows the samples', async () => {
      await world.visit('samples', {
        before: `localStorage.setItem('skillshelf.kept', 'yes')
        IDBFactory.prototype.open = () => { throw new DOMException('gone', 'UnknownError') }`,
      })
      await eventually(() => world.results().count()).toBe(14)
      await world.page.getByText('1 remark on this library').click()
      await world.page
        .locator('#notes')
        .getByText(/skillshelf-page could not be opened/)
        .waitFor()
      await openMine()
      await world.aside().getByText('My skills: that did not work').waitFor()
      await world.ask('book a flight')
    })
  },
)
