import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { sourceSuite } from '../../src/exports/testing.js'
import { directory } from '../../src/source/directory/directory.js'
import type { OutsideLink } from '../../src/source/directory/links.js'
import type { ReadResult, SkillSource } from '../../src/source/source.js'
import { temporaryFolder, writeFiles } from '../folders.js'
import { nextChange } from '../next-change.js'
import { type Files, packedFiles } from '../packed-files.js'
import { openInPieces, packedOnce } from '../pieces-world.js'
import { readText as read } from '../read-text.js'
import { librarySuite } from '../suites/library-suite.js'

/** Creates a folder with these files. */
async function folder(files: Files = {}): Promise<string> {
  const root = join(temporaryFolder(), 'skills')
  await mkdir(root)
  writeFiles(root, files)
  return root
}

async function packedFolder(files: Files): Promise<string> {
  const written = await packedFiles(directory(await folder(files)))
  return folder(written)
}

const skill = (name: string): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n---\nHow to do ${name}.\n`
const list = async (source: SkillSource) =>
  Object.fromEntries(
    ((await source.list?.()) ?? []).map(({ path, unreadable }) => [path, unreadable ?? '']),
  )

describe('directory', () => {
  for (const { name, run } of sourceSuite(async files => ({
    source: directory(await folder(files)),
  })))
    it(`[CARD-1] directory: ${name}`, run)
  for (const { name, run } of librarySuite(async files =>
    openLibrary(directory(await folder(files))),
  ))
    it(`[CARD-1] library of a folder: ${name}`, run)
  for (const { name, run } of librarySuite(async files =>
    openLibrary(directory(await packedFolder(files))),
  ))
    it(`[BY-5] library of a packed folder: ${name}`, run)
  const packed = packedOnce()
  for (const { name, run } of librarySuite(async files =>
    openInPieces(directory(await folder(await packed(files)))),
  ))
    it(`[BY-33] library of a folder in pieces: ${name}`, run)

  it('[CARD-1] directory accepts absolute paths, relative paths and file URLs', async () => {
    const root = await folder({ 'a b.md': 'x' })
    for (const at of [
      root,
      `${root}/`,
      pathToFileURL(root),
      pathToFileURL(`${root}/`),
      pathToFileURL(root).href,
    ]) {
      const source = directory(at)
      expect([source.name, await read(source, 'a b.md'), source.root?.('')]).toEqual([
        'skills',
        'x',
        root,
      ])
    }
    expect(directory('.').root?.('')).toBe(process.cwd())
    expect(directory(root, { name: 'mine' }).name).toBe('mine')
    expect(() => directory(new URL('https://example.com/'))).toThrow(
      expect.objectContaining({ code: 'invalid-input' }),
    )
    expect(() => directory(undefined as never)).toThrow(
      'A folder must be a path or a file URL, not undefined',
    )
  })

  it('[OS-1] [AC-5] a missing folder opens as an empty library with a diagnostic', async () => {
    const root = await folder({ 'file.md': 'x' })
    for (const at of [join(root, 'nothing'), join(root, 'file.md')]) {
      const source = directory(at)
      expect(await source.read('SKILL.md')).toBeUndefined()
      await expect(source.list?.()).rejects.toMatchObject({
        code: 'source-not-found',
        details: { subject: at },
      })
      const library = await openLibrary(source)
      expect(await library.list()).toEqual([])
      expect((await library.search('anything')).matches).toEqual([])
      const message = `No such folder: ${at} (check the path; a relative path starts at the current folder)`
      expect(library.snapshot.diagnostics).toMatchObject([{ code: 'source-missing', message }])
      await expect(openLibrary(source, { strict: true })).rejects.toMatchObject({
        code: 'source-not-found',
      })
    }
  })

  it('[OS-1] refresh finds a new folder, and keeps the skills of a removed one', async () => {
    const root = await folder({ 'a/SKILL.md': skill('a') })
    const away = `${root}-away`
    await rename(root, away)
    const library = await openLibrary(directory(root))
    expect(library.snapshot.skills).toEqual([])
    await rename(away, root)
    expect((await library.refresh()).added).toEqual(['skills/a'])
    await rename(root, away)
    expect(await library.refresh()).toMatchObject({ removed: [] })
    expect(library.snapshot.skills.map(one => one.id)).toEqual(['skills/a'])
    expect(library.snapshot.diagnostics.map(one => one.code)).toEqual(['source-missing'])
  })

  it('[BY-9] directory follows only links that stay inside the folder', async () => {
    const outside = await folder({ 'secret.md': 'secret', 'skill/SKILL.md': skill('stolen') })
    const root = await folder({ 'a/SKILL.md': skill('a'), 'a/real.md': 'real', 'b/x.md': 'x' })
    await symlink(join(root, 'a/real.md'), join(root, 'a/inside.md'))
    await symlink('../b/x.md', join(root, 'a/relative.md'))
    await symlink(join(outside, 'secret.md'), join(root, 'a/outside.md'))
    await symlink(join(outside, 'skill'), join(root, 'stolen'))
    await symlink('/etc', join(root, 'a/etc'))
    await symlink(join(root, 'nowhere'), join(root, 'a/dangling.md'))
    await symlink(join(root, 'a/loop.md'), join(root, 'a/loop.md'))
    await symlink(root, join(root, 'a/again'))
    const source = directory(root)

    const { 'a/SKILL.md': _, 'a/real.md': __, 'b/x.md': ___, ...links } = await list(source)
    expect(links).toEqual({
      'a/inside.md': '',
      'a/relative.md': '',
      'a/outside.md': expect.stringContaining('is a link that leaves'),
      stolen: expect.stringContaining('is a link that leaves'),
      'a/etc': expect.stringContaining('is a link that leaves'),
      'a/dangling.md': 'it is a link to something that does not exist',
      'a/loop.md': 'it is a link that leads to itself',
      'a/again': 'it is a link to a folder that contains it',
    })
    expect(await read(source, 'a/inside.md')).toBe('real')
    expect(await read(source, 'a/relative.md')).toBe('x')
    for (const path of ['a/outside.md', 'stolen/SKILL.md', 'a/etc/passwd'])
      await expect(source.read(path)).rejects.toMatchObject({ code: 'invalid-path' })
    expect(await source.read('a/dangling.md')).toBeUndefined()
    await expect(source.read('a/loop.md')).rejects.toMatchObject({ code: 'source-failed' })

    const library = await openLibrary(source)
    expect(library.snapshot.skills.map(one => one.id)).toEqual(['skills/a'])
    expect((await library.get('a')).files.map(one => one.path)).toEqual([
      'inside.md',
      'real.md',
      'relative.md',
    ])
    await expect(library.read('a', 'outside.md')).rejects.toMatchObject({
      code: 'resource-not-found',
    })
    expect(
      library.snapshot.diagnostics.filter(one => one.code === 'skill-unreadable'),
    ).toHaveLength(6)
  })

  it('[BY-9] directory follows a linked skill folder, and no cycle', async () => {
    const root = await folder({
      'node_modules/pack/tea/SKILL.md': skill('tea'),
      'node_modules/pack/tea/pot.txt': 'brown',
      'x/SKILL.md': skill('x'),
      'y/SKILL.md': skill('y'),
    })
    await symlink('node_modules/pack/tea', join(root, 'tea'))
    await symlink('../y', join(root, 'x/y'))
    await symlink('../x', join(root, 'y/x'))
    await symlink('.', join(root, 'self'))
    const library = await openLibrary(directory(root))
    const ids = ['tea', 'x', 'y'].map(path => `skills/${path}`)
    expect(library.snapshot.skills.map(({ id }) => id)).toEqual(ids)
    expect((await library.read('tea', 'pot.txt')).text).toBe('brown')
    expect(library.snapshot.diagnostics.map(({ path, message }) => [path, message])).toEqual([
      ['self', 'self cannot be read: it is a link to a folder that contains it'],
    ])
  })

  it('[CARD-1] directory lists a skill once that several folders link to, and links of other files where they are', async () => {
    const root = await folder({
      'skills/tea/SKILL.md': skill('tea'),
      'skills/pot/SKILL.md': skill('pot'),
      'node_modules/pack/cup/SKILL.md': skill('cup'),
      'shared/brown.txt': 'brown',
    })
    await mkdir(join(root, '.agents'))
    await mkdir(join(root, '.claude/skills'), { recursive: true })
    await symlink('../skills', join(root, '.agents/skills'))
    await symlink('../../skills/tea', join(root, '.claude/skills/tea'))
    await symlink('../node_modules/pack', join(root, '.agents/pack'))
    await symlink('../../node_modules/pack', join(root, '.claude/skills/pack'))
    await symlink('../../shared', join(root, 'skills/tea/references'))
    const library = await openLibrary(directory(root))
    const paths = library.snapshot.skills.map(({ path }) => path)
    expect(paths).toEqual(['.agents/pack/cup', 'skills/pot', 'skills/tea'])
    expect((await library.read('tea', 'references/brown.txt')).text).toBe('brown')
    expect(library.snapshot.diagnostics).toEqual([])
  })

  it('[BY-9] directory follows links in a linked folder where they are allowed, and none to what Git keeps', async () => {
    const top = await folder({
      '.git/config': 'url = https://user:secret@example.com',
      '.agents/skills/tea/SKILL.md': skill('tea'),
      '.agents/skills/cup/SKILL.md': skill('cup'),
      '.agents/skills/cup/notes.md': 'china',
      'shared/brown.txt': 'brown',
      'private/secret.md': 'secret',
    })
    const tea = join(top, '.agents/skills/tea')
    await symlink('../../../shared', join(tea, 'references'))
    await symlink('../../../private', join(tea, 'private'))
    await symlink('../cup/notes.md', join(tea, 'cup.md'))
    await symlink('../../../.git', join(tea, 'git'))
    await mkdir(join(top, '.claude/skills'), { recursive: true })
    await symlink('../../.agents/skills/tea', join(top, '.claude/skills/tea'))
    // The folder may be known by a path with a link.
    await symlink(top, `${top}-link`)
    const links = ['.agents/skills', 'shared', '.git'].map(path => join(`${top}-link`, path))
    const library = await openLibrary(directory(join(top, '.claude/skills'), { links }))
    expect((await library.get('tea')).files.map(({ path }) => path)).toEqual([
      'cup.md',
      'references/brown.txt',
    ])
    expect((await library.read('tea', 'references/brown.txt')).text).toBe('brown')
    const refused = library.snapshot.diagnostics.map(({ path }) => path)
    expect(refused.sort()).toEqual(['tea/git', 'tea/private'])
    const inside = await openLibrary(directory(top))
    expect(inside.snapshot.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining('is a link to what Git keeps'),
    ])
  })

  it('[BY-9] directory follows links out of the folder where they are allowed, and no second link elsewhere', async () => {
    const outside = await folder({
      'shared/tea/SKILL.md': skill('tea'),
      'shared/tea/pot.txt': 'brown',
      'shared/cup.md': skill('cup'),
      'private/secret.md': 'secret',
    })
    await symlink(join(outside, 'private'), join(outside, 'shared/tea/private'))
    const root = await folder({ 'cup/notes.md': 'x' })
    await symlink(join(outside, 'shared/tea'), join(root, 'tea'))
    await symlink(join(outside, 'shared/tea'), join(root, 'twice'))
    await symlink(join(outside, 'shared/cup.md'), join(root, 'cup/SKILL.md'))
    await symlink(join(outside, 'private'), join(root, 'private'))
    for (const links of [
      [join(outside, 'shared')],
      ({ path, target }: OutsideLink) => !path.endsWith('private') && target.startsWith(outside),
    ]) {
      const source = directory(root, { links, name: 'skills' })
      const library = await openLibrary(source)
      expect(library.snapshot.skills.map(({ id }) => id)).toEqual(['skills/cup', 'skills/tea'])
      expect((await library.read('tea', 'pot.txt')).text).toBe('brown')
      for (const path of ['private/secret.md', 'tea/private/secret.md'])
        await expect(source.read(path)).rejects.toMatchObject({ code: 'invalid-path' })
    }
    expect(() => directory(root, { links: 'shared' as never })).toThrow('`links`')
  })

  it('[CARD-1] directory keeps the ids of skills that a deployment replaces by links', async () => {
    const root = await folder({
      'all/..2026_01/tea/SKILL.md': skill('tea'),
      'one/cup/..2026_01/SKILL.md': skill('cup'),
    })
    await symlink('..2026_01', join(root, 'all/..data'))
    await symlink('..data/tea', join(root, 'all/tea'))
    await symlink('..2026_01', join(root, 'one/cup/..data'))
    await symlink('..data/SKILL.md', join(root, 'one/cup/SKILL.md'))
    const library = await openLibrary(directory(root, { name: 'skills' }))
    expect(library.snapshot.skills.map(({ id }) => id)).toEqual([
      'skills/all/tea',
      'skills/one/cup',
    ])
    expect(library.snapshot.diagnostics).toEqual([])
  })

  it('[BY-9] directory reads a root that is a link', async () => {
    const root = await folder({ 'a/SKILL.md': skill('a') })
    await symlink(root, `${root}-link`)
    const library = await openLibrary(directory(`${root}-link`))
    expect((await library.get('a')).root).toBe(join(`${root}-link`, 'a'))
  })

  it('[CARD-1] directory skips ignored names', async () => {
    const root = await folder({
      'a/SKILL.md': skill('a'),
      'a/node_modules/x/SKILL.md': skill('x'),
      '.git/SKILL.md': skill('git'),
      'a/__pycache__/y.pyc': '',
      'a/.DS_Store': '',
      'a/drafts/SKILL.md': skill('draft'),
      'a/.hidden.md': '',
    })
    expect(Object.keys(await list(directory(root))).sort()).toEqual([
      'a/.hidden.md',
      'a/SKILL.md',
      'a/drafts/SKILL.md',
    ])
    expect(Object.keys(await list(directory(root, { ignore: ['drafts', '.git', 'a'] })))).toEqual(
      [],
    )
    expect(Object.keys(await list(directory(root, { ignore: [] })))).toHaveLength(7)
  })

  it('[BY-9] directory reports names that are not valid paths', async () => {
    const names = ['b\\c.md', '%2e%2e%2fd.md', 'new\nline.md'].map(name => [`a/${name}`, 'x'])
    const root = await folder({ 'a/SKILL.md': skill('a'), ...Object.fromEntries(names) })
    const library = await openLibrary(directory(root))
    expect((await library.get('a')).files).toEqual([])
    expect(library.snapshot.diagnostics.map(one => one.code)).toEqual([
      'path-refused',
      'path-refused',
      'path-refused',
    ])
  })

  it('[CARD-1] directory changes the version of new content with the same size and time', async () => {
    const root = await folder({ 'a.md': 'one' })
    const source = directory(root)
    const { version } = (await source.read('a.md')) as ReadResult
    const { atime, mtime } = await stat(join(root, 'a.md'))
    await writeFile(join(root, 'b.md'), 'two')
    await utimes(join(root, 'b.md'), atime, mtime)
    await rename(join(root, 'b.md'), join(root, 'a.md'))
    const again = await source.read('a.md', { ifVersion: version as string })
    expect(again).not.toBe('unchanged')
    expect((await source.list?.())?.[0]?.version).toBe((again as ReadResult).version)
  })

  it('[OS-5] [MX-1] directory gives existing absolute paths of skills and scripts', async () => {
    const library = await openLibrary(
      directory(await folder({ 'x/a/SKILL.md': skill('a'), 'x/a/scripts/r.py': '' })),
    )
    const { root } = await library.get('a')
    expect(await readdir(root)).toEqual(['SKILL.md', 'scripts'])
    const { location } = await library.read('a', 'scripts/r.py')
    expect(location).toBe(join(root, 'scripts', 'r.py'))
    expect((await stat(location)).isFile()).toBe(true)
    await expect(library.read('a', 'scripts/none.py')).rejects.toMatchObject({
      code: 'resource-not-found',
    })
    await expect(library.read('a', '../../etc/passwd')).rejects.toMatchObject({
      code: 'invalid-path',
    })
  })

  it('[OS-5] a packed skill has no folder on disk', async () => {
    const root = await packedFolder({ 'a/SKILL.md': skill('a'), 'a/scripts/r.py': 'print(1)' })
    const library = await openLibrary(directory(root))
    expect((await library.get('a')).root).toBe('skill://skills/a')
    const script = { location: 'skill://skills/a/scripts/r.py', text: 'print(1)' }
    expect(await library.read('a', 'scripts/r.py')).toMatchObject(script)
  })
})

describe('directory with watch', () => {
  /** Returns the change of a library after an action. */
  const changes = (library: SkillLibrary) => async (act: () => unknown) => {
    const change = nextChange(library)
    await act()
    return change
  }
  /** Creates a folder in one step. */
  const put = async (path: string, files: Files): Promise<void> => rename(await folder(files), path)

  const answers = (word: string) => skill('a').replace('Does a', `Answers ${word}`)

  it('[TD-11] [AC-6] library follows new, changed and removed skills', async () => {
    const root = await folder({ 'a/SKILL.md': skill('a'), 'b/SKILL.md': skill('b') })
    await using library = await openLibrary(directory(root, { watch: true }))
    const changed = changes(library)
    const first = await changed(() => writeFile(join(root, 'a/SKILL.md'), answers('letters')))
    expect(first).toMatchObject({ changed: ['skills/a'], added: [], removed: [] })
    expect((await library.search('letters')).matches[0]?.name).toBe('a')
    // In one step: a file written to a new folder may arrive before that folder is watched.
    const c = join(await folder({ 'c/SKILL.md': skill('c') }), 'c')
    expect(await changed(() => rename(c, join(root, 'c')))).toMatchObject({ added: ['skills/c'] })
    expect(await changed(() => rm(join(root, 'b'), { recursive: true }))).toMatchObject({
      removed: ['skills/b'],
    })
  })

  it('[TD-11] library follows a file saved by renaming and a replaced folder, repeatedly', async () => {
    const root = await folder({ 'a/SKILL.md': skill('a') })
    await using library = await openLibrary(directory(root, { watch: true }))
    const changed = changes(library)
    const renames = (word: string) => async () => {
      await put(`${root}-new`, { 'SKILL.md': answers(word) })
      await rename(`${root}-new/SKILL.md`, join(root, 'a/SKILL.md'))
    }
    const replaces = (word: string) => () => {
      rmSync(join(root, 'a'), { recursive: true })
      mkdirSync(join(root, 'a'))
      writeFileSync(join(root, 'a/SKILL.md'), answers(word))
    }
    const actions = [
      ...['letters', 'parcels', 'stamps'].map(renames),
      ...['trams', 'ferries'].map(replaces),
      () => writeFile(join(root, 'a/SKILL.md'), skill('a')),
    ]
    for (const act of actions) expect(await changed(act)).toMatchObject({ changed: ['skills/a'] })
  })

  it('[TD-11] library follows a root that was removed and created again', async () => {
    const root = await folder({ 'a/SKILL.md': skill('a') })
    await using library = await openLibrary(directory(root, { watch: true }))
    const changed = changes(library)
    await rm(root, { recursive: true })
    const both = { 'a/SKILL.md': skill('a'), 'b/SKILL.md': skill('b') }
    expect(await changed(() => put(root, both))).toMatchObject({ added: ['skills/b'], removed: [] })
    const save = async () => {
      await put(`${root}-new`, { 'SKILL.md': answers('letters') })
      await rename(`${root}-new/SKILL.md`, join(root, 'a/SKILL.md'))
    }
    expect(await changed(save)).toMatchObject({ changed: ['skills/a'] })

    // Replaced in one step, then removed together with its parent.
    const replace = () => {
      rmSync(root, { recursive: true })
      mkdirSync(join(root, 'c'), { recursive: true })
      writeFileSync(join(root, 'c/SKILL.md'), skill('c'))
    }
    expect(await changed(replace)).toMatchObject({
      added: ['skills/c'],
      removed: ['skills/a', 'skills/b'],
    })
    await rm(dirname(root), { recursive: true })
    const again = { 'skills/c/SKILL.md': skill('c'), 'skills/d/SKILL.md': skill('d') }
    expect(await changed(() => put(dirname(root), again))).toMatchObject({ added: ['skills/d'] })
  })

  it('[TD-11] library follows a root that is created later together with its parent', async () => {
    const root = join(await folder(), 'later/skills')
    await using library = await openLibrary(directory(root, { watch: true }))
    expect(library.snapshot.skills).toEqual([])
    const changed = changes(library)
    const create = async () => {
      await mkdir(dirname(root))
      await put(root, { 'a/SKILL.md': skill('a') })
    }
    expect(await changed(create)).toMatchObject({ added: ['skills/a'] })
    expect(await changed(() => put(join(root, 'b'), { 'SKILL.md': skill('b') }))).toMatchObject({
      added: ['skills/b'],
    })
  })

  it('[TD-11] library follows a link above its folder, and skills that links outside lead to', async () => {
    const top = await folder({
      'release-1/skills/a/SKILL.md': skill('a'),
      'release-2/skills/a/SKILL.md': answers('parcels and letters'),
      'shared/tea/SKILL.md': skill('tea'),
    })
    const current = join(top, 'current')
    await symlink('release-1', current)
    for (const release of ['release-1', 'release-2'])
      await symlink('../../shared/tea', join(top, release, 'skills/tea'))
    const links = [join(top, 'shared')]
    await using library = await openLibrary(
      directory(join(current, 'skills'), { watch: true, links }),
    )
    const changed = changes(library)
    const release = async () => {
      await symlink('release-2', join(top, 'next'))
      await rename(join(top, 'next'), current)
    }
    expect(await changed(release)).toMatchObject({ changed: ['skills/a'] })
    const edit = () => writeFile(join(top, 'shared/tea/SKILL.md'), answers('tea').replace('a', 'b'))
    expect(await changed(edit)).toMatchObject({ changed: ['skills/tea'] })
  })

  it('[TD-11] closing the library stops watching; a missing root is harmless', async () => {
    const root = await folder({ 'a/SKILL.md': skill('a') })
    const source = directory(root, { watch: true })
    let watching = 0
    const watch: SkillSource['watch'] = onChange => {
      watching++
      const stop = source.watch?.(onChange)
      return () => {
        watching--
        stop?.()
      }
    }
    const library = await openLibrary({ ...source, watch })
    expect(watching).toBe(1)
    await library.close()
    expect(watching).toBe(0)
    await using none = await openLibrary(directory(join(root, 'none'), { watch: true }))
    expect(none.snapshot.diagnostics).toMatchObject([{ code: 'source-missing' }])
  })
})
