import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type LocalLibrary,
  memory,
  openLibrary,
  type SkillSource,
} from '../../src/exports/index.js'
import { type SkillStore, skillStore } from '../../src/exports/store.js'
import { packedFiles } from '../packed-files.js'
import { skill } from '../skill-file.js'

const INVOICE = 'Checks an invoice before it is paid: supplier, sums, tax and due date.'
const MESSAGE = 'check this invoice before I pay it'
const SKILLS = {
  'invoice-check/SKILL.md': skill('invoice-check', INVOICE),
  'invoice-check/scripts/sum.py': 'print(1)',
  'tea/SKILL.md': skill('tea', 'Brews tea for guests.'),
  'knots/SKILL.md': skill('knots', 'Explains how to tie knots such as a bowline.'),
}
const at = (...roots: string[]): Record<string, string> =>
  Object.fromEntries(
    roots.flatMap(root => Object.entries(SKILLS).map(([path, text]) => [`${root}/${path}`, text])),
  )
const scores = async (library: LocalLibrary, message = MESSAGE) =>
  (await library.search(message)).matches.map(({ name, score }) => [name, score])

/** Files with versions that say nothing about the content, such as times. `changed` counts as a time. */
function timed(files: Record<string, string>) {
  const reads: string[] = []
  let now = 0
  const times = new Map<string, { text: string; time: number }>()
  const source: SkillSource = {
    name: 'timed',
    async list() {
      return Object.entries(files).map(([path, text]) => {
        const known = times.get(path)
        if (known?.text !== text) times.set(path, { text, time: now++ })
        return { path, size: text.length, version: String(times.get(path)?.time) }
      })
    },
    async read(path) {
      reads.push(path)
      const text = files[path]
      return text === undefined ? undefined : { bytes: new TextEncoder().encode(text) }
    },
  }
  return { source, reads }
}

describe('skills in several folders', () => {
  it.each([
    [['skills', '.claude/skills']],
    [['.claude/skills', '.agents/skills', '.cursor/skills']],
    [['.github/skills', 'plugins/office/skills', 'skills', '.agents/skills']],
  ])('[BY-30] %j: scores, names and rows are those of one folder', async roots => {
    const one = await openLibrary(memory(at('skills')))
    for (const open of [
      () => openLibrary(memory(at(...roots))),
      () => openLibrary(timed(at(...roots)).source),
      async () => openLibrary(memory(await packedFiles(memory(at(...roots))))),
    ]) {
      await using library = await open()
      expect(library.snapshot.total).toBe(3)
      expect(library.snapshot.skills.map(({ name }) => name)).toEqual([
        'invoice-check',
        'knots',
        'tea',
      ])
      for (const message of [MESSAGE, 'tea']) {
        // A pack has no vectors here.
        const options = library.snapshot.skills[0]?.origin === 'timed' ? one : undefined
        if (options) expect(await scores(library, message)).toEqual(await scores(one, message))
        const { matches } = await library.match(message)
        expect(matches).toHaveLength(1)
      }
      const listed = await library.get('invoice-check')
      expect(listed.copies).toHaveLength(roots.length - 1)
      for (const root of roots) {
        const id = `${listed.origin}/${root}/invoice-check`
        expect((await library.get(id)).id).toBe(listed.id)
        expect((await library.read(id, 'scripts/sum.py')).text).toBe('print(1)')
      }
    }
  })

  it('[BY-30] lists the one in the folder of its name, then the outermost, then the first', async () => {
    const listed = async (...folders: string[]) => {
      const files = folders.map(folder => [`${folder}/SKILL.md`, skill('tea')])
      const library = await openLibrary(memory(Object.fromEntries(files), { name: 'm' }))
      const [{ path, copies } = { path: '' }] = library.snapshot.skills
      const code = { code: 'skill-copy', severity: 'info', path: `m/${path}` }
      expect(library.snapshot.diagnostics).toMatchObject([code])
      return [path, ...(copies ?? [])]
    }
    expect(await listed('t', 'a/b/tea', 'z/tea')).toEqual(['z/tea', 'a/b/tea', 't'])
    expect(await listed('.claude/tea', '.agents/tea', 'xx/tea')).toEqual([
      'xx/tea',
      '.agents/tea',
      '.claude/tea',
    ])
  })

  it('[BY-30] line ends make no other skill', async () => {
    const files = at('a', 'b')
    for (const path of Object.keys(at('b'))) files[path] = `${files[path]}`.replaceAll('\n', '\r\n')
    for (const source of [memory(files), timed(files).source]) {
      const library = await openLibrary(source)
      expect(library.snapshot.total).toBe(3)
    }
  })

  it('[BY-30] nor do files that tools write, or line ends of other files', async () => {
    const junk = {
      'b/invoice-check/.DS_Store': 'x',
      'b/invoice-check/scripts/__pycache__/sum.cpython-312.pyc': 'x',
      'b/tea/.git/HEAD': 'x',
    }
    const onWindows = {
      'a/invoice-check/scripts/sum.py': 'print(1)\nprint(2)\n',
      'b/invoice-check/scripts/sum.py': 'print(1)\r\nprint(2)\r\n',
    }
    for (const files of [junk, onWindows]) {
      for (const source of [
        memory({ ...at('a', 'b'), ...files }),
        timed({ ...at('a', 'b'), ...files }).source,
      ]) {
        const library = await openLibrary(source)
        expect(library.snapshot.total).toBe(3)
      }
    }
  })

  it('[BY-30] a copy that is added joins a skill that was alone', async () => {
    const stored = memory(at('a'))
    const files = at('a')
    const add = at('b')
    for (const [source, write] of [
      [stored, () => stored.write({ put: add })],
      [timed(files).source, async () => void Object.assign(files, add)],
    ] as const) {
      await using library = await openLibrary(source)
      expect((await library.get('tea')).copies).toBeUndefined()
      await write()
      await library.refresh()
      expect(library.snapshot.total).toBe(3)
      expect((await library.get('tea')).copies).toEqual(['b/tea'])
    }
  })

  it('[BY-30] a skill with another file, or with another content of a file, is another skill', async () => {
    for (const change of [
      { 'b/invoice-check/scripts/sum.py': 'print(2)' },
      { 'b/invoice-check/more.md': 'more' },
    ]) {
      for (const source of [
        memory({ ...at('a', 'b'), ...change }),
        timed({ ...at('a', 'b'), ...change }).source,
      ]) {
        const library = await openLibrary(source)
        expect(library.snapshot.total).toBe(4)
        await expect(library.get('invoice-check')).rejects.toMatchObject({ code: 'ambiguous-name' })
      }
    }
  })

  it('[BY-30] reads the files of copies only, once', async () => {
    const files = at('a', 'b')
    const { source, reads } = timed({ ...files, 'c/x/SKILL.md': skill('x'), 'c/x/y.md': 'y' })
    const library = await openLibrary(source)
    expect(reads.filter(path => /\/scripts\/|\/y/.test(path)).sort()).toEqual([
      'a/invoice-check/scripts/sum.py',
      'b/invoice-check/scripts/sum.py',
    ])
    const before = reads.length
    await library.refresh()
    expect(reads).toHaveLength(before)
  })

  it('[BY-30] a copy that is disabled is another skill, and hides no other', async () => {
    const off = skill('tea', 'Brews tea for guests.', 'How to do tea.', 'enabled: false\n')
    const library = await openLibrary(memory({ ...at('a', 'b'), 'a/tea/SKILL.md': off }))
    expect(library.snapshot.total).toBe(3)
    expect((await library.get('tea')).path).toBe('b/tea')
  })

  it('[BY-30] skills in skills are copies one by one', async () => {
    const files = { ...at('a', 'b'), 'b/tea/green/SKILL.md': skill('green') }
    const library = await openLibrary(memory(files))
    expect(library.snapshot.skills.map(({ path }) => path)).toEqual([
      'a/invoice-check',
      'a/knots',
      'a/tea',
      'b/tea/green',
    ])
  })

  it('[BY-30] each environment of a packed library has its own', async () => {
    const files = at('environments/x/skills', 'environments/y/skills', 'environments/y/skills/more')
    for (const source of [memory(files), memory(await packedFiles(memory(files)))]) {
      const library = await openLibrary(source)
      expect(library.snapshot.total).toBe(3)
      for (const environment of ['x', 'y']) {
        await library.use(environment)
        expect(library.snapshot.total).toBe(3)
        expect((await library.get('tea')).path).toBe(`environments/${environment}/skills/tea`)
        expect((await library.match('tea')).matches).toHaveLength(1)
      }
    }
  })

  it('[BY-30] a layer that has the SKILL.md of a layer above is hidden, which is no problem', async () => {
    const library = await openLibrary([
      memory(at('a', 'b'), { name: 'mine' }),
      memory(await packedFiles(memory(at('a'))), { name: 'theirs' }),
    ])
    expect(library.snapshot.total).toBe(3)
    expect(library.snapshot.diagnostics.every(({ severity }) => severity === 'info')).toBe(true)
    expect((await library.get('memory/a/tea').catch(() => library.get('theirs/a/tea'))).name).toBe(
      'tea',
    )
  })
})

describe('a pack of copies', () => {
  it('[BY-30] has each skill once, and publishes it under its name', async () => {
    const files = await packedFiles(memory(at('.claude/skills', '.agents/skills')), {
      wellKnown: true,
    })
    const site = JSON.parse(new TextDecoder().decode(files['.well-known/agent-skills/index.json']))
    expect(site.skills.map(({ name }: { name: string }) => name)).toEqual([
      'invoice-check',
      'knots',
      'tea',
    ])
    // Without copies, the bytes of the others are the same.
    const one = await packedFiles(memory(at('.agents/skills')), { wellKnown: true })
    expect(
      Object.keys(files)
        .filter(path => path !== 'skillshelf.json')
        .sort(),
    ).toEqual(
      Object.keys(one)
        .filter(path => path !== 'skillshelf.json')
        .sort(),
    )
  })

  it('[BY-30] a store: a folder that gets a skill of its own holds no copy any more', async () => {
    const stored = memory({}, { name: 'stored' })
    const store = skillStore(stored)
    await store.install(memory(at('a', 'b')))
    const library = await openLibrary(stored)
    expect((await library.get('stored/b/tea')).id).toBe('stored/a/tea')
    await store.install({ 'b/tea/SKILL.md': skill('tea', 'Pours tea.') })
    await library.refresh()
    expect((await library.get('stored/b/tea')).description).toBe('Pours tea.')
    expect((await library.get('stored/a/tea')).copies).toBeUndefined()
    // A copy that is put alone is one too.
    await store.install({ 'b/tea/SKILL.md': SKILLS['tea/SKILL.md'] })
    await library.refresh()
    expect(library.snapshot.total).toBe(3)
    expect((await library.match('tea')).matches).toHaveLength(1)
    // A folder that holds a copy of a new skill has no old one.
    await store.install(memory({ 'a/tea/SKILL.md': skill('tea'), 'b/tea/SKILL.md': skill('tea') }))
    await library.refresh()
    expect(library.snapshot.total).toBe(3)
    expect((await library.get('tea')).copies).toEqual(['b/tea'])
    expect((await library.read('stored/a/invoice-check', 'scripts/sum.py')).text).toBe('print(1)')
  })
})

describe('a store of copies', () => {
  const TEA = skill('tea', 'Brews tea for guests.')
  const both = { 'tea/SKILL.md': TEA, 'mug/SKILL.md': TEA, 'tea/x.md': 'x', 'mug/x.md': 'x' }
  const shown = async (store: SkillSource) => {
    await using library = await openLibrary(store)
    const skills = await library.list()
    return skills.map(({ id, copies, description }) => [id, copies, description])
  }
  const DESCRIPTION = 'Brews tea for guests.'

  it.each<[string, (store: SkillStore) => Promise<unknown>]>([
    ['together', store => store.install(both)],
    [
      'one after the other',
      async store => {
        await store.install({ 'mug/SKILL.md': TEA, 'mug/x.md': 'x' })
        await store.install({ 'tea/SKILL.md': TEA, 'tea/x.md': 'x' })
      },
    ],
  ])(
    '[BY-30] [BY-41] installed %s has one skill, and each folder changes alone',
    async (_, install) => {
      const open = async () => {
        const store = skillStore(memory({}, { name: 'mine' }))
        await install(store)
        return store
      }
      expect(await shown(await open())).toEqual([['mine/tea', ['mug'], DESCRIPTION]])
      for (const [folder, other] of [
        ['tea', 'mug'],
        ['mug', 'tea'],
      ]) {
        const removed = await open()
        expect((await removed.remove(`mine/${folder}`)).removed).toEqual([`mine/${folder}`])
        expect(await shown(removed)).toEqual([[`mine/${other}`, undefined, DESCRIPTION]])
        const edited = await open()
        await edited.edit(`mine/${folder}`, { put: { 'SKILL.md': skill('tea', 'Pours tea.') } })
        expect((await shown(edited)).sort()).toEqual(
          [
            [`mine/${folder}`, undefined, 'Pours tea.'],
            [`mine/${other}`, undefined, DESCRIPTION],
          ].sort(),
        )
      }
      const named = await open()
      expect((await named.remove('tea')).removed).toEqual(['mine/mug', 'mine/tea'])
      expect(await shown(named)).toEqual([])
    },
  )
})

it('[BY-30] after any edit, a refreshed library is the library of the files as they are', async () => {
  const roots = ['.agents/skills', '.claude/skills', 'skills', 'x/skills']
  const path = fc.tuple(fc.constantFrom(...roots), fc.constantFrom(...Object.keys(SKILLS)))
  const edit = fc.tuple(path, fc.constantFrom('remove', 'restore', 'edit', 'disable'))
  const shown = async (library: LocalLibrary) => ({
    skills: library.snapshot.skills,
    diagnostics: library.snapshot.diagnostics,
    revision: library.snapshot.revision,
    found: await Promise.all(
      [MESSAGE, 'brew tea', 'tie a bowline'].map(async message =>
        (await library.search(message)).matches.map(({ id, score }) => [id, score]),
      ),
    ),
    opened: await Promise.all(
      library.snapshot.skills.map(async ({ id }) => (await library.get(id)).text),
    ),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(edit, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
      async steps => {
        const files = at(...roots.slice(0, 3))
        const { source } = timed(files)
        await using library = await openLibrary(source)
        for (const step of steps) {
          for (const [[root, name], kind] of step) {
            const original = SKILLS[name as keyof typeof SKILLS]
            const whole = `${root}/${name}`
            if (kind === 'remove') delete files[whole]
            else if (kind === 'restore') files[whole] = original
            else if (kind === 'edit') files[whole] = `${original}Edited.\n`
            else files[whole] = original.replace('---\n\n', 'enabled: false\n---\n\n')
          }
          await library.refresh()
          await using rebuilt = await openLibrary(timed(files).source)
          expect(await shown(library)).toEqual({
            ...(await shown(rebuilt)),
            revision: expect.any(String),
          })
        }
      },
    ),
    { numRuns: 15 },
  )
})

describe('near copies', () => {
  const library = (files: Record<string, string>) =>
    openLibrary(memory({ ...at('skills'), ...files }))
  const first = async (files: Record<string, string>) =>
    (await (await library(files)).match(MESSAGE)).matches
  const copy = '.claude/skills/invoice-check/SKILL.md'
  it.each([
    ['the description', skill('invoice-check', `${INVOICE} Asks for the currency.`)],
    ['the instructions', skill('invoice-check', INVOICE, 'Read every line. '.repeat(30))],
    ['a file', SKILLS['invoice-check/SKILL.md']],
  ])('[BY-30] that differ in %s both get what the pair deserves', async (_, text) => {
    const [alone] = await first({})
    const both = await first({ [copy]: text })
    expect(both).toHaveLength(2)
    expect(both[0]?.score).toBeCloseTo(alone?.score as number, 2)
    expect(both[1]?.score).toBeGreaterThan(0.7)
  })

  it('[BY-30] a rival in two edits counts once', async () => {
    const rival = skill('invoice-send', 'Sends an invoice to a customer before it is due.')
    const [alone] = await first({ 'skills/invoice-send/SKILL.md': rival })
    const [best] = await first({
      'skills/invoice-send/SKILL.md': rival,
      '.claude/skills/invoice-send/SKILL.md': rival.replace('a customer', 'any customer'),
    })
    expect(best?.score).toBeCloseTo(alone?.score as number, 2)
  })

  it('[BY-30] siblings of other names, or of one name and other words, share', async () => {
    const twin = {
      'skills/bill-check/SKILL.md': skill(
        'bill-check',
        INVOICE.replace('invoice', 'bill or invoice'),
      ),
    }
    const other = {
      [copy]: skill('invoice-check', 'Looks at an invoice, then tells whom to pay before noon.'),
    }
    // With a template in common.
    const tiny = { [copy]: skill('invoice-check', 'Pays an invoice.') }
    for (const files of [twin, other, tiny]) {
      const { matches, served } = await (await library(files)).search(MESSAGE)
      const [a, b] = matches.map(({ score }) => score)
      expect((a ?? 0) + (b ?? 0)).toBeLessThanOrEqual(served + 1e-9)
    }
  })
})
