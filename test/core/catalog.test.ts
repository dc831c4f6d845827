import { describe, expect, it } from 'vitest'
import { memory, openLibrary, type SkillSource } from '../../src/exports/index.js'
import type { CatalogEntry } from '../../src/library/catalog/catalog-entry.js'
import { discoverSkills, filesInFolder } from '../../src/library/catalog/discover.js'
import { readTree } from '../../src/library/catalog/read-tree.js'
import { createSnapshot, diffSnapshots, type Layer } from '../../src/library/catalog/snapshot.js'
import { skill } from '../skill-file.js'

const discover = (...paths: string[]) => discoverSkills(paths.map(path => ({ path })))
const shown = ({ folders }: ReturnType<typeof discoverSkills>) =>
  Object.fromEntries(
    folders.map(({ path, file, files }) => [path, [file.path, ...files.map(one => one.path)]]),
  )

describe('discovery', () => {
  it('[TD-8] finds skills at any depth and ignores files outside of skill folders', () => {
    const found = discover(
      'README.md',
      'a/SKILL.md',
      'b/c/d/e/SKILL.md',
      'b/c/d/e/x/y.py',
      'b/c/notes.md',
    )
    expect(shown(found)).toEqual({ a: ['a/SKILL.md'], 'b/c/d/e': ['b/c/d/e/SKILL.md', 'x/y.py'] })
    expect(found.diagnostics).toEqual([])
  })

  it('[AC-1] accepts skill.md in any case as a skill file, and no other name', () => {
    for (const file of ['SKILL.md', 'skill.md', 'Skill.md', 'SKILL.MD', 'skill.Md'])
      expect(shown(discover(`a/${file}`, 'a/b.txt'))).toEqual({ a: [`a/${file}`, 'b.txt'] })
    for (const file of [
      'SKILLS.md',
      'skill.markdown',
      'SKILL.md.bak',
      'my-skill.md',
      'skill',
      'a.SKILL.md',
    ])
      expect([file, shown(discover(`a/${file}`))]).toEqual([file, {}])
  })

  it.each([
    [['a/skill.md', 'a/SKILL.md'], 'a/SKILL.md', ['skill.md']],
    [['a/Skill.md', 'a/skill.md'], 'a/Skill.md', ['skill.md']],
    [['a/skill.md', 'a/Skill.md', 'a/SKILL.md'], 'a/SKILL.md', ['Skill.md', 'skill.md']],
  ])('[AC-1] of %j uses %s and reports the others', (paths, file, others) => {
    for (const order of [paths, [...paths].reverse()]) {
      const found = discover(...order)
      expect(shown(found)).toEqual({ a: [file, ...others] })
      const diagnostic = expect.objectContaining({ code: 'two-skill-files', severity: 'warning' })
      expect(found.diagnostics).toEqual(others.map(() => diagnostic))
      expect(found.diagnostics.at(-1)?.message).toContain(`${file.slice(2)} is used`)
    }
  })

  it('[TD-8] assigns files to the innermost skill, sorted, at every level', () => {
    const paths = 'z.txt SKILL.md a/z.py a/SKILL.md a/b/c/x.md a/b/SKILL.md a/bc/y.md a/a.py'.split(
      ' ',
    )
    expect(shown(discover(...paths))).toEqual({
      '': ['SKILL.md', 'z.txt'],
      a: ['a/SKILL.md', 'a.py', 'bc/y.md', 'z.py'],
      'a/b': ['a/b/SKILL.md', 'c/x.md'],
    })
  })

  it.each([
    '../x/SKILL.md',
    '/x/SKILL.md',
    'a\\SKILL.md',
    'a/%2e%2e/SKILL.md',
    'a//SKILL.md',
    './a/SKILL.md',
    '',
  ])('[BY-9] refuses %j in a listing with a diagnostic and keeps the others', path => {
    const found = discover(path, 'good/SKILL.md')
    expect(Object.keys(shown(found))).toEqual(['good'])
    expect(found.diagnostics).toEqual([
      expect.objectContaining({ code: 'path-refused', severity: 'error', path }),
    ])
  })

  it.each(['note:todo.md', '%2Fx', '%2e', 'C:/x.md'])(
    '[BY-9] refuses %j, which is unsafe relative to its skill, and keeps the other files',
    file => {
      const paths = ['a/SKILL.md', `a/${file}`, 'a/good.md', `a/b/${file}`, `c/${file}`]
      const found = discover(...paths)
      expect(shown(found)).toEqual({ a: ['a/SKILL.md', `b/${file}`, 'good.md'] })
      const diagnostic = { code: 'path-refused', severity: 'error', path: `a/${file}` }
      expect(found.diagnostics).toEqual([expect.objectContaining(diagnostic)])
      const entries = paths.map(path => ({ path }))
      expect(filesInFolder(entries, 'a', 'a/SKILL.md')).toEqual([
        { path: `b/${file}` },
        { path: 'good.md' },
      ])
    },
  )

  it.each(['assets', 'templates', 'resources', 'references', 'examples', 'Fixtures'])(
    '[AC-1] a SKILL.md in the %s of a skill is a file of that skill',
    folder => {
      const found = discover(
        'a/SKILL.md',
        `a/${folder}/SKILL.md`,
        `a/${folder}/skeleton/SKILL.md`,
        `a/scripts/${folder}/x/skill.md`,
        `${folder}/own/SKILL.md`,
      )
      const files = [`${folder}/SKILL.md`, `${folder}/skeleton/SKILL.md`]
      expect(shown(found)).toEqual({
        a: ['a/SKILL.md', ...[...files, `scripts/${folder}/x/skill.md`].sort()],
        [`${folder}/own`]: [`${folder}/own/SKILL.md`],
      })
      expect(found.diagnostics).toEqual([])
    },
  )

  it('[AC-1] skills of a collection in a skill are their own, with their resources', () => {
    const found = discover(
      'SKILL.md',
      'assets/a/SKILL.md',
      'skills/templates/SKILL.md',
      'skills/templates/assets/b/SKILL.md',
      'sub/SKILL.md',
    )
    expect(shown(found)).toEqual({
      '': ['SKILL.md', 'assets/a/SKILL.md'],
      'skills/templates': ['skills/templates/SKILL.md', 'assets/b/SKILL.md'],
      sub: ['sub/SKILL.md'],
    })
  })

  it('[AC-1] skills that a build wrote are found only if there is no other', () => {
    const built = ['dist/a/SKILL.md', 'x/package.json', 'x/build/skills/b/SKILL.md']
    expect(Object.keys(shown(discover(...built, 'build/c/SKILL.md', 'x/out/SKILL.md')))).toEqual([
      'build/c',
      'x/out',
    ])
    expect(Object.keys(shown(discover(...built)))).toEqual(['dist/a', 'x/build/skills/b'])
    expect(shown(discover('a/SKILL.md', 'a/dist/x.js'))).toEqual({ a: ['a/SKILL.md', 'dist/x.js'] })
  })

  it('[AC-5] reports files that cannot be read', () => {
    const found = discoverSkills([
      { path: 'locked', unreadable: 'permission denied' },
      { path: 'b/SKILL.md' },
      { path: 'b/x.md', unreadable: 'broken link' },
    ])
    expect(shown(found)).toEqual({ b: ['b/SKILL.md'] })
    expect(found.diagnostics.map(({ code, path, message }) => [code, path, message])).toEqual([
      ['skill-unreadable', 'locked', 'locked cannot be read: permission denied'],
      ['skill-unreadable', 'b/x.md', 'b/x.md cannot be read: broken link'],
    ])
  })

  it('[BY-9] uses a file that is listed twice once', () => {
    const found = discover('a/SKILL.md', 'a/x.md', 'a/SKILL.md', 'a/x.md')
    expect(shown(found)).toEqual({ a: ['a/SKILL.md', 'x.md'] })
    expect(found.diagnostics).toEqual([])
  })
})

describe('a tree', () => {
  /** A source that answers in another order each time. */
  const shuffled = (
    files: Record<string, string>,
    seed: number,
  ): SkillSource & Required<Pick<SkillSource, 'list'>> => {
    const inner = memory(files)
    const late = async (path: string): Promise<void> => {
      const turns = (path.length * 7 + path.charCodeAt(0) * seed) % 11
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    }
    return {
      name: 'shuffled',
      read: async (path, options) => {
        await late(path)
        if (path.startsWith('broken')) throw new Error('lost')
        return path.startsWith('gone') ? undefined : inner.read(path, options)
      },
      list: async () =>
        ((await inner.list?.()) ?? []).toSorted(
          (a, b) => (a.path < b.path ? 1 : -1) * (seed % 2 || -1),
        ),
    }
  }
  const files = {
    'b/SKILL.md': skill('b'),
    'a/SKILL.md': skill('a'),
    'a/skill.md': skill('a2'),
    'empty/SKILL.md': '',
    'broken-1/SKILL.md': skill('x'),
    'broken-2/SKILL.md': skill('x'),
    'gone/SKILL.md': skill('y'),
    'nameless/SKILL.md': '---\ndescription: Only that.\n---\nBody.\n',
  }

  it('[AC-5] reports every skill that is left out and keeps the others', async () => {
    const tree = await readTree(shuffled(files, 1))
    expect(tree.changed.map(one => one.entry.path)).toEqual(['a', 'b', 'nameless'])
    expect(tree.found).toBe(7)
    expect(tree.diagnostics.map(({ code, path }) => [code, path])).toEqual([
      ['two-skill-files', 'a/SKILL.md'],
      ['skill-unreadable', 'broken-1/SKILL.md'],
      ['skill-unreadable', 'broken-2/SKILL.md'],
      ['skill-left-out', 'empty/SKILL.md'],
      ['skill-unreadable', 'gone/SKILL.md'],
    ])
  })

  it('[AC-5] does not depend on the order of listing and reading', async () => {
    const trees = await Promise.all([1, 2, 3, 4, 5, 6].map(seed => readTree(shuffled(files, seed))))
    expect(new Set(trees.map(tree => JSON.stringify(tree))).size).toBe(1)
  })

  it('[OS-9] strict mode leaves out skills without a name or description', async () => {
    const all = { ...files, 'bare/SKILL.md': '# Heading\n\nA first paragraph.\n' }
    const source = memory(all) as ReturnType<typeof shuffled>
    const paths = async (strict: boolean) =>
      (await readTree(source, { strict })).changed.map(one => one.entry.path)
    expect(await paths(false)).toEqual(expect.arrayContaining(['nameless', 'bare']))
    expect(await paths(true)).not.toEqual(expect.arrayContaining(['nameless']))
    expect(await paths(true)).not.toEqual(expect.arrayContaining(['bare']))
    const { diagnostics } = await readTree(source, { strict: true })
    const message = 'nameless/SKILL.md was left out: the skill has no name'
    const nameless = diagnostics.find(one => one.path === 'nameless/SKILL.md')
    expect(nameless).toMatchObject({ code: 'skill-left-out', message })
  })

  it('[BY-5] reads only changed files again', async () => {
    const source = memory({ 'a/SKILL.md': skill('a'), 'b/SKILL.md': skill('b'), 'b/x.md': 'x' })
    const read: string[] = []
    const counted = {
      name: 'm',
      list: () => source.list?.() as ReturnType<Required<SkillSource>['list']>,
      read: async (path: string) => {
        read.push(path)
        return source.read(path)
      },
    }
    const library = await openLibrary(counted)
    const again = async () => {
      read.length = 0
      const { added, changed, removed } = await library.refresh()
      return { read: [...read], added, changed, removed }
    }
    expect(await again()).toEqual({ read: [], added: [], changed: [], removed: [] })
    await source.write({ put: { 'a/SKILL.md': skill('a', 'Another.') } })
    expect(await again()).toEqual({
      read: ['a/SKILL.md'],
      added: [],
      changed: ['m/a'],
      removed: [],
    })
    await source.write({ put: { 'b/x.md': 'y' } })
    expect(await again()).toMatchObject({ changed: ['m/b'] })
    expect(await again()).toMatchObject({ read: [] })
  })

  it('[BY-5] stops reading a file whose version changed but whose bytes did not', async () => {
    let version = '1'
    let reads = 0
    const library = await openLibrary({
      name: 'm',
      list: async () => [{ path: 'a/SKILL.md', version }],
      read: async path => {
        if (path !== 'a/SKILL.md') return undefined
        reads++
        return { bytes: new TextEncoder().encode(skill('a')), version }
      },
    })
    version = '2'
    for (let round = 0; round < 3; round++) await library.refresh()
    expect(reads).toBe(2)
  })

  it('[BY-30] a skill that changes while its tree is read is no copy of one that it was like', async () => {
    const before = { 'a/SKILL.md': skill('a'), 'a/x.md': '1', 'b/SKILL.md': skill('b') }
    const files = memory({ ...before, 'b/x.md': '1' }, { name: 'm' })
    let listings = 0
    const edited: typeof files = {
      ...files,
      async list(options) {
        const listing = await files.list(options)
        listings++
        // It becomes a copy of the other one, but for the file beside it.
        if (listings === 1) {
          await files.write({ put: { 'b/SKILL.md': skill('a'), 'b/x.md': '2' } })
        }
        return listing
      },
    }
    const { snapshot } = await openLibrary(edited)
    expect(listings).toBe(2)
    expect(snapshot.skills.map(({ id, copies }) => [id, copies])).toEqual([
      ['m/a', undefined],
      ['m/b', undefined],
    ])
    expect(snapshot.diagnostics).toEqual([])
  })

  it('[BY-30] a tree whose skills change all the time is read', async () => {
    const files = memory({ 'a/SKILL.md': skill('a'), 'b/SKILL.md': skill('b') }, { name: 'm' })
    let listings = 0
    const edit = (text: string) => files.write({ put: { 'a/SKILL.md': skill('a', text) } })
    const edited: typeof files = {
      ...files,
      async list(options) {
        listings++
        await edit(`Before listing ${listings}.`)
        const listing = await files.list(options)
        await edit(`After listing ${listings}.`)
        return listing
      },
    }
    const { snapshot } = await openLibrary(edited)
    expect(snapshot.skills.map(({ description }) => description)).toContain('After listing 3.')
    expect([listings, snapshot.total]).toEqual([3, 2])
  })
})

describe('a snapshot', () => {
  const entry = (path: string, name: string, more: Partial<CatalogEntry> = {}): CatalogEntry => ({
    path,
    name,
    description: '',
    tags: [],
    digest: `sha256:${path}${name}`,
    details: '',
    tokens: { metadata: 1, instructions: 1 },
    ...more,
  })
  const layer = (origin: string, ...entries: CatalogEntry[]): Layer => ({
    origin,
    entries,
    diagnostics: [],
  })
  const ids = (...layers: Layer[]) => createSnapshot(layers).snapshot.skills.map(one => one.id)

  it('[AC-2] builds sorted ids from origin and folder, and the origin alone at the root', () => {
    const found = ids(layer('b', entry('z/y', '1'), entry('', '2')), layer('a', entry('x', '3')))
    expect(found).toEqual(['a/x', 'b', 'b/z/y'])
  })

  it('[AC-2] lists the skill of the first source, keeps shadowed skills by id and reports them', () => {
    const { snapshot, shadowed } = createSnapshot([
      layer('top', entry('a', 'pdf'), entry('off', 'fax', { enabled: false })),
      layer('middle', entry('b', 'pdf'), entry('c', 'ppt'), entry('e', 'fax')),
      layer('bottom', entry('d', 'ppt')),
    ])
    expect(snapshot.skills.map(one => one.id)).toEqual(['middle/c', 'middle/e', 'top/a'])
    expect([...shadowed.keys()]).toEqual(['middle/b', 'bottom/d'])
    expect(snapshot.diagnostics.map(({ code, path }) => [code, path])).toEqual([
      ['skill-disabled', 'top/off'],
      ['skill-shadowed', 'middle/b'],
      ['skill-shadowed', 'bottom/d'],
    ])
    expect(snapshot.diagnostics[1]?.message).toContain('hidden by top/a')
  })

  it('[AC-2] lists both skills of the same name in one source', () => {
    expect(ids(layer('a', entry('x', 'same'), entry('y', 'same')))).toEqual(['a/x', 'a/y'])
  })

  const revision = (...layers: Layer[]) => createSnapshot(layers).snapshot.revision
  it('[AC-6] has the same revision for the same skills in any order', () => {
    const [a, b] = [entry('a', 'a'), entry('b', 'b')]
    expect(revision(layer('x', a, b))).toBe(revision(layer('x', b, a)))
    expect(revision(layer('x', a), layer('y', b))).toBe(revision(layer('y', b), layer('x', a)))
  })

  it.each<[string, Layer[]]>([
    ['a changed SKILL.md', [layer('x', entry('a', 'a', { digest: 'sha256:other' }))]],
    ['another changed file', [layer('x', entry('a', 'a', { details: 'other' }))]],
    ['another folder', [layer('x', entry('b', 'a', { digest: 'sha256:aa' }))]],
    ['another origin', [layer('y', entry('a', 'a'))]],
    ['an added skill', [layer('x', entry('a', 'a'), entry('b', 'b'))]],
    ['no skills', []],
  ])('[AC-6] has a different revision for %s', (_, layers) => {
    expect(revision(...layers)).not.toBe(revision(layer('x', entry('a', 'a'))))
  })

  it('[AC-6] has a different revision when the sources are reordered', () => {
    const [a, b] = [layer('x', entry('a', 'pdf')), layer('y', entry('a', 'pdf'))]
    expect(revision(a, b)).not.toBe(revision(b, a))
  })

  it('[AC-6] diffs added, changed and removed skills, without hidden ones', () => {
    const at = (...layers: Layer[]) => ({ layers, snapshot: createSnapshot(layers).snapshot })
    const bottom = layer(
      'low',
      entry('a', 'pdf'),
      entry('b', 'ppt'),
      entry('c', 'fax'),
      entry('d', 'same'),
    )
    const before = at(bottom)
    const [b, c] = [entry('b', 'ppt', { details: 'x' }), entry('c', 'fax', { enabled: false })]
    const after = at(
      layer('top', entry('x', 'pdf')),
      layer('low', entry('a', 'pdf'), b, c, entry('d', 'same')),
    )
    const [top, low, changed] = [['top/x'], ['low/a', 'low/c'], ['low/b']]
    const { revision } = after.snapshot
    expect(diffSnapshots(before, after)).toEqual({ revision, added: top, changed, removed: low })
    expect(diffSnapshots(after, before)).toMatchObject({ added: low, changed, removed: top })
    expect(diffSnapshots(after, after)).toMatchObject({ added: [], changed: [], removed: [] })
  })
})
