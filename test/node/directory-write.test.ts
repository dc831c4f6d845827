import { readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import { skillStore } from '../../src/exports/store.js'
import { directory } from '../../src/source/directory/directory.js'
import { fails } from '../fails.js'
import { temporaryFolder } from '../folders.js'

const skill = (name: string, text = 'Do it.'): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n---\n${text}\n`
const openStore = (root: string, watch = false) =>
  skillStore(directory(root, { writable: true, watch, name: 'mine' }))

describe('directory with writable', () => {
  it('[CARD-1] a folder is a store: install, edit, remove, and another process reads it', async () => {
    const root = join(temporaryFolder(), 'new/skills')
    const store = openStore(root)
    expect((await openLibrary(store)).snapshot.skills).toEqual([])
    expect(
      (await store.install({ 'tea/SKILL.md': skill('tea'), 'tea/pot.txt': 'brown' })).added,
    ).toEqual(['mine/tea'])
    await store.edit('tea', { put: { 'cup.txt': 'white' }, remove: ['pot.txt'] })
    const library = await openLibrary(directory(root, { name: 'mine' }))
    expect((await library.get('tea')).files.map(({ path }) => path)).toEqual(['cup.txt'])
    expect((await library.read('tea', 'cup.txt')).text).toBe('white')
    await store.remove('tea')
    await library.refresh()
    expect(library.snapshot.skills).toEqual([])
    expect((await store.sweep({ olderThan: 0 })).removed.length).toBeGreaterThan(0)
    expect(await readdir(root)).not.toContain('.skillshelf.lock')
  })

  it('[CARD-1] concurrent writers of a folder lose nothing', async () => {
    const root = temporaryFolder()
    const names = Array.from({ length: 6 }, (_, at) => `skill-${at}`)
    // Each store has a queue of its own, as each process has.
    await Promise.all(
      names.map(name => openStore(root).install({ [`${name}/SKILL.md`]: skill(name) })),
    )
    const library = await openLibrary(directory(root))
    expect(library.snapshot.skills.map(({ name }) => name)).toEqual(names)
  })

  it('[CARD-1] a write whose catalog was changed meanwhile is a conflict, and changes no catalog', async () => {
    const root = temporaryFolder()
    const source = directory(root, { writable: true })
    await source.write({ put: { 'skillshelf.json': '{"a":1}' } }, { ifVersion: null })
    const read = await source.read('skillshelf.json')
    const version = typeof read === 'object' ? read.version : undefined
    await source.write({ put: { 'skillshelf.json': '{"b":2}' } }, { ifVersion: version })
    const late = { put: { 'skillshelf.json': 'late' } }
    for (const ifVersion of [version, null])
      await fails(source.write(late, { ifVersion }), 'conflict')
    expect(await readFile(join(root, 'skillshelf.json'), 'utf8')).toBe('{"b":2}')
  })

  it('[TD-11] a library that watches the folder follows the store of another process', async () => {
    const root = temporaryFolder()
    await using library = await openLibrary(openStore(root, true))
    const changed = new Promise<readonly string[]>(resolve =>
      library.on('change', ({ added }) => resolve(added)),
    )
    await openStore(root).install({ 'tea/SKILL.md': skill('tea') })
    expect(await changed).toEqual(['mine/tea'])
  })

  it('[BY-9] a write never leaves the folder', async () => {
    const root = temporaryFolder()
    const outside = temporaryFolder()
    await symlink(outside, join(root, 'out'))
    const source = directory(root, { writable: true })
    for (const path of ['out/x.txt', 'out/deep/x.txt', '../x.txt'])
      await fails(source.write({ put: { [path]: 'x' } }), 'invalid-path')
    await writeFile(join(outside, 'keep.txt'), 'x')
    await fails(source.write({ remove: ['out/keep.txt'] }), 'invalid-path')
    expect(await readdir(outside)).toEqual(['keep.txt'])
  })

  it('[CARD-1] a folder of plain skills is not made a packed library, which would hide them', async () => {
    const root = temporaryFolder({ 'tea/SKILL.md': skill('tea') })
    await fails(openStore(root).install({ 'pot/SKILL.md': skill('pot') }), 'unsupported', {
      details: { hint: expect.stringContaining('npx skillshelf pack') },
    })
    expect(await readdir(root)).toEqual(['tea'])
  })

  it('[CARD-1] a lock that a process left behind does not block, and a wait for one can be aborted', async () => {
    const root = temporaryFolder()
    const lock = join(root, '.skillshelf.lock')
    await writeFile(lock, '')
    await utimes(lock, 0, 0)
    await openStore(root).install({ 'tea/SKILL.md': skill('tea') })
    await writeFile(lock, '')
    const controller = new AbortController()
    const waiting = directory(root, { writable: true }).write(
      { put: { 'x.txt': 'x' } },
      { signal: controller.signal },
    )
    await expect
      .poll(() =>
        stat(join(root, 'x.txt')).then(
          info => info.isFile(),
          () => false,
        ),
      )
      .toBe(true)
    controller.abort()
    await fails(waiting, 'aborted')
  })
})
