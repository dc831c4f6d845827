import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Zippable, zipSync } from 'fflate'
import { it } from 'vitest'
import { noise } from '../core/archive-world.js'
import { temporaryFolder } from '../folders.js'
import { BY_BUNDLED_MODEL, describePage, eventually, FEW_COUNT, waitForText } from './page-world.js'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const TEA = bytes('---\nname: tea\ndescription: Brews green tea.\n---\nEighty degrees.\n')
describePage('archives and storage that the demo page refuses', {}, world => {
  const { alert, source, installedNames, openInstalled } = world
  /** Writes an archive with any names and contents: `writeZip` refuses invalid ones. */
  const zip = async (name: string, files: Zippable): Promise<string> => {
    const path = join(temporaryFolder(), name)
    await writeFile(path, zipSync(files))
    return path
  }
  /** Asserts that a file can be neither opened nor installed, and that the alert has these texts. */
  const refused = async (path: string, ...texts: RegExp[]): Promise<void> => {
    await world.visit('few')
    await world.results().first().waitFor()
    await world.drop(path)
    for (const text of texts) await alert().getByText(text).first().waitFor()
    await eventually(() => world.focused().getAttribute('role')).toBe('alert')
    await eventually(() => world.results().count()).toBe(FEW_COUNT)
    await alert().getByRole('button', { name: 'Close' }).click()
    await openInstalled()
    await world.page.getByText('No skills installed.').waitFor()
    await world.drop(path)
    for (const text of texts) await alert().getByText(text).first().waitFor()
    await eventually(() => world.focused().getAttribute('role')).toBe('alert')
    await eventually(() => installedNames()).toEqual([])
    await world.page.getByText('No skills installed.').waitFor()
  }

  it('[BY-9] the page refuses a zip whose paths leave the archive, and says why', async () => {
    await refused(
      await zip('evil.zip', {
        '../SKILL.md': TEA,
        '/etc/SKILL.md': TEA,
        'a/../../b/SKILL.md': TEA,
      }),
      /Could not unpack evil\.zip/,
      /3 names leave it/,
    )
  })

  it('[BY-9] the page does not install a file of a zip whose path leaves the archive', async () => {
    await world.visit('few')
    await openInstalled()
    await world.drop(
      await zip('mixed.zip', { 'tea/SKILL.md': TEA, '../outside.md': TEA, 'tea/../../x.md': TEA }),
    )
    await world.page.getByText('1 skill installed.').waitFor()
    await world.installed().getByRole('link', { name: 'tea' }).click()
    await world.skill().getByText('installed/tea').waitFor()
    await eventually(() => world.skill().locator('.files li').count()).toBe(0)
  })

  it('[BY-9] the page refuses a zip bomb, says why, and stays responsive', async () => {
    const bomb = await zip('bomb.zip', {
      'tea/SKILL.md': TEA,
      'tea/zeros.bin': new Uint8Array(40_000_000),
    })
    await refused(bomb, /bomb\.zip exceeds the size limit when unpacked/, /times its size/)
    await world.ask('book a flight')
  })

  it('[BY-9] the page shows an installed skill as text and runs no script in it', async () => {
    const skill = `---
name: '<img src=x onerror="window.ran = true">'
description: '<script>window.ran = true</script> for tea'
---
<script>window.ran = true</script>
`
    await world.visit('few')
    await openInstalled()
    const name = '<img src=x onerror="window.ran = true">.zip'
    await world.drop(await zip(name, { 'evil/SKILL.md': bytes(skill) }))
    await world.page.getByText('1 skill installed.').waitFor()
    await eventually(() => installedNames()).toEqual(['<img src=x onerror="window.ran = true">'])
    await world.page.getByRole('button', { name: /^Remove <img/ }).click()
    await world.page.getByText('<img src=x onerror="window.ran = true"> removed.').waitFor()
    await eventually(() => world.view().locator('img, script, [onerror]').count()).toBe(0)
    await eventually(() => world.page.evaluate('window.ran')).toBeUndefined()
  })

  it('[BY-6] the page says what is wrong with an archive: damaged, encrypted, or without skills', async () => {
    const folder = temporaryFolder()
    const broken = join(folder, 'broken.zip')
    await writeFile(broken, zipSync({ 'tea/SKILL.md': TEA }).subarray(0, 60))
    await refused(broken, /Could not unpack broken\.zip/, /Create or download the archive again/)
    const locked = join(folder, 'locked.zip')
    const lockedBytes = zipSync({ 'tea/SKILL.md': TEA })
    // Sets the encryption flag in the entry's header and in the directory.
    for (const [signature, at] of [
      [0x04034b50, 6],
      [0x02014b50, 8],
    ] as const) {
      const view = new DataView(lockedBytes.buffer, lockedBytes.byteOffset, lockedBytes.byteLength)
      for (let offset = 0; offset + 46 < view.byteLength; offset++) {
        if (view.getUint32(offset, true) === signature)
          view.setUint16(offset + at, view.getUint16(offset + at, true) | 1, true)
      }
    }
    await writeFile(locked, lockedBytes)
    await refused(locked, /locked\.zip is an unsupported archive/, /without a password/)
    await refused(
      await zip('empty.zip', { 'box/readme.md': TEA }),
      /No SKILL\.md in empty\.zip/,
      /A skill is a folder/,
    )
  })

  it('[BY-6] the page says that storage is full, and changes nothing', async () => {
    await world.visit('few')
    await world.results().first().waitFor()
    // A storage bucket with a real quota replaces the default one, which the page has not used yet.
    await world.page.evaluate(`navigator.storageBuckets.open('small', { quota: 1_000_000 }).then(({ indexedDB }) => {
        Object.defineProperty(window, 'indexedDB', { value: indexedDB })
      })`)
    await openInstalled()
    await world.drop(await zip('tea.zip', { 'tea/SKILL.md': TEA }))
    await world.page.getByText('1 skill installed.').waitFor()
    const large = await zip('large.zip', {
      'large/SKILL.md': TEA,
      'large/noise.bin': noise(2_000_000),
    })
    await world.drop(large)
    await alert().getByText('Not enough storage for large.zip').waitFor()
    await waitForText(alert(), /^Nothing was changed\. Remove skills/)
    await eventually(() => installedNames()).toEqual(['tea'])
    // The same for an open archive: it stays open, and the button can be used again.
    await world.page.keyboard.press('Escape')
    await world.view().waitFor({ state: 'hidden' })
    await world.drop(large)
    const install = source().getByRole('button', { name: 'Install this skill' })
    await install.click()
    await alert().getByText('Not enough storage for large.zip').waitFor()
    await eventually(() => world.results().count()).toBe(1)
    await install.waitFor()
    await openInstalled()
    await eventually(() => installedNames()).toEqual(['tea'])
  })

  it('[BY-6] the page restores a removed skill after an archive was refused', async () => {
    await world.visit('few')
    await world.results().first().waitFor()
    await openInstalled()
    await world.drop(await zip('tea.zip', { 'tea/SKILL.md': TEA }))
    await world.page.getByText('1 skill installed.').waitFor()
    await world.page.getByRole('button', { name: 'Remove tea' }).click()
    await world.page.getByText('tea removed.').waitFor()
    await world.drop(await zip('empty.zip', { 'notes.txt': TEA }))
    await alert().getByText('empty.zip').first().waitFor()
    await world.page.getByRole('button', { name: 'Undo' }).click()
    await eventually(() => installedNames()).toEqual(['tea'])
  })

  it.each([
    ['no IndexedDB (stubbed)', `Object.defineProperty(window, 'indexedDB', { value: undefined })`],
    [
      'SecurityError (stubbed)',
      `IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError') }`,
    ],
  ])(
    '[BY-6] the page opens skills and reports the error if the browser blocks storage: %s',
    async (_, before) => {
      await world.visit('few', { before })
      await world.ask('book a flight')
      await eventually(() => world.rankedBy()).toBe(BY_BUNDLED_MODEL)
      await eventually(() => world.page.locator('#diagnostics').textContent()).toBe('')
      await world.drop(await zip('tea.zip', { 'tea/SKILL.md': TEA }))
      await source().getByRole('button', { name: 'Install this skill' }).click()
      await alert().getByText('This browser blocks storage for this page').waitFor()
      await waitForText(alert(), /private windows/)
      await world.ask('brew tea')
      await world.box().press('Enter')
      await world.skill().getByText('Eighty degrees.').waitFor()
      await openInstalled()
      await world.view().getByText('This browser blocks storage for this page').waitFor()
      await eventually(() => world.view().getByRole('button').count()).toBe(0)
    },
  )

  it('[BY-6] the page reports installed skills that cannot be read (stubbed), and shows the samples', async () => {
    await world.visit('few', {
      before: `localStorage.setItem('skillshelf.installed', 'yes')
        IDBFactory.prototype.open = () => { throw new DOMException('gone', 'UnknownError') }`,
    })
    await eventually(() => world.results().count()).toBe(FEW_COUNT)
    await world.page.getByText('1 issue in this library').click()
    const diagnostic = /skillshelf-page could not be opened/
    await world.page.locator('#diagnostics').getByText(diagnostic).waitFor()
    await openInstalled()
    await world.view().getByText('Storage error: Installed skills').waitFor()
    await world.ask('book a flight')
  })
})
