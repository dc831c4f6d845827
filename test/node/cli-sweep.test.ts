import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { directory } from '../../src/source/directory/directory.js'
import { startPublishServer, TOKEN } from './cli-publish-fixtures.js'
import { cli, expectRefusal, skill, temporaryFolder } from './cli-world.js'

const files = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(({ name }) => name)
    .sort()

it('[BY-5] sweep removes files of earlier packs by their age', async () => {
  const tea = skill('tea', 'Brews tea.')
  const skills = temporaryFolder({
    'tea/SKILL.md': tea,
    'tea/x.md': 'x',
    'ink/SKILL.md': skill('ink', 'Mixes ink.'),
  })
  const out = temporaryFolder()
  const pack = () => cli(['pack', skills, '--out', out, '--keep-old'])
  expect((await pack()).code).toBe(0)
  const first = await files(out)
  await writeFile(join(skills, 'tea/SKILL.md'), tea.replace('Brews', 'Pours'))
  await writeFile(join(out, 'files/0123456789abcdef.md'), 'of another program')
  expect((await pack()).code).toBe(0)
  const all = await files(out)

  const young = await cli(['sweep', out])
  expect([young.code, young.out]).toEqual([
    0,
    expect.stringMatching(/^Removed 0 unused files, 0 bytes; \d+ younger/),
  ])
  expect(await files(out)).toEqual(all)
  const dryRun = await cli(['sweep', out, '--older-than', '0', '--dry-run', '--json'])
  const { removed } = dryRun.json() as { removed: string[] }
  expect(await files(out)).toEqual(all)
  expect(removed.length).toBeGreaterThan(2)
  // A week ago.
  const old = new Date(Date.now() - 8 * 86_400_000)
  for (const path of removed) await utimes(join(out, path), old, old)
  const swept = await cli(['sweep', out])
  expect(swept.out).toMatch(new RegExp(`^Removed ${removed.length} unused files, `))
  const names = removed.map(path => path.slice(path.lastIndexOf('/') + 1))
  expect(await files(out)).toEqual(all.filter(name => !names.includes(name)))
  expect(names.every(name => first.includes(name))).toBe(true)
  await using library = await openLibrary(directory(out))
  expect((await library.get('tea')).description).toBe('Pours tea.')
  expect((await library.read('tea', 'x.md')).text).toBe('x')
})

it('[BY-5] sweep --to removes unused files of a server', async () => {
  const source = memory({}, { name: 'store' })
  const { address } = await startPublishServer({}, source, { keepOld: true })
  const io = { env: { SKILLSHELF_TOKEN: TOKEN } }
  const skills = temporaryFolder({ 'tea/SKILL.md': skill('tea', 'Brews tea.'), 'tea/x.md': 'x' })
  expect((await cli(['publish', skills, '--to', address], io)).code).toBe(0)
  await writeFile(join(skills, 'tea/x.md'), 'y')
  expect((await cli(['publish', skills, '--to', address], io)).code).toBe(0)
  const before = (await source.list()).length
  const swept = await cli(['sweep', '--to', address, '--older-than', '0', '--json'], io)
  const { removed } = swept.json() as { removed: string[] }
  expect([swept.code, removed.length]).toEqual([0, before - (await source.list()).length])
  expect(removed.length).toBeGreaterThan(1)
})

it('sweep refuses a folder without a catalog, two targets, and ages that are none', async () => {
  const folder = temporaryFolder({ 'tea/SKILL.md': skill('tea', 'Brews tea.') })
  await expectRefusal('not a packed library', ['sweep', folder])
  expect((await cli(['sweep', folder, '--to', 'https://example.com'])).err).toContain(
    'Both a folder and --to',
  )
  expect((await cli(['sweep', '--to', 'https://example.com'])).err).toContain('write token')
  for (const age of ['', '7', '-1d', '1w', '1.5d'])
    expect((await cli(['sweep', folder, `--older-than=${age}`])).err).toContain('such as 7d')
})
