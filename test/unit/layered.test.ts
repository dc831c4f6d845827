import { describe, expect, it } from 'vitest'
import { memory, openLibrary, type SkillSource } from '../../src/exports/index.js'
import { pack } from '../../src/exports/store.js'
import { packedFiles } from '../packed-files.js'

const skill = (name: string, description = `Does ${name}.`, body = `How to do ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`

const MINE = {
  'report/SKILL.md': skill('report', 'Writes my reports.', 'mine'),
  'own/SKILL.md': skill('own'),
}
const mine = memory(MINE, { name: 'mine' })

/** A packed library that cannot be listed. */
async function published(): Promise<SkillSource> {
  const source = memory({
    'report/SKILL.md': skill('report', 'Writes reports of the firm.', 'theirs'),
    'report/form.txt': 'a form',
    'travel/SKILL.md': skill('travel'),
  })
  return { name: 'firm', read: memory(await packedFiles(source)).read }
}

/** A source that fails while `state.down` is set. */
function failing(files: Record<string, string>) {
  const inner = memory(files, { name: 'flaky' })
  const state = { down: true }
  const orFail = () => {
    if (state.down) throw new Error('no route to host')
  }
  const source: SkillSource = {
    name: 'flaky',
    async read(path, options) {
      orFail()
      return inner.read(path, options)
    },
    async list(options) {
      orFail()
      return (await inner.list?.(options)) ?? []
    },
  }
  return { source, state }
}

const ids = ({ snapshot }: { snapshot: { skills: readonly { id: string }[] } }): string[] =>
  snapshot.skills.map(({ id }) => id)

describe('an array of layers', () => {
  it('[CARD-1] a tree on a packed library: the first is on top, hidden skills are reported and reachable by id', async () => {
    const library = await openLibrary([mine, await published()])
    expect(ids(library)).toEqual(['firm/travel', 'mine/own', 'mine/report'])
    expect(library.snapshot.diagnostics).toMatchObject([
      { code: 'skill-shadowed', path: 'firm/report' },
    ])
    expect((await library.get('report')).instructions).toBe('mine')
    expect((await library.get('firm/report')).instructions).toBe('theirs')
    expect((await library.read('firm/report', 'form.txt')).text).toBe('a form')
    const { matches } = await library.search('reports')
    expect(matches.map(({ id }) => id)).toEqual(['mine/report'])

    const other = await openLibrary([await published(), mine])
    expect(ids(other)).toEqual(['firm/report', 'firm/travel', 'mine/own'])
    expect((await other.get('report')).instructions).toBe('theirs')
  })

  it('[AC-5] a layer that fails does not affect the others, and returns to its place', async () => {
    for (const at of [0, 1]) {
      const { source, state } = failing({ 'travel/SKILL.md': skill('travel', 'Nearer travels.') })
      const firm = await published()
      const library = await openLibrary(at === 0 ? [source, firm] : [firm, source])
      expect(ids(library)).toEqual(['firm/report', 'firm/travel'])
      expect(library.snapshot.diagnostics).toMatchObject([
        { code: 'source-unreadable', path: 'flaky' },
      ])
      expect((await library.match('travel', { threshold: 0 })).matches[0]?.id).toBe('firm/travel')
      state.down = false
      await library.refresh()
      expect((await library.get('travel')).id).toBe(at === 0 ? 'flaky/travel' : 'firm/travel')
      expect(library.snapshot.diagnostics.map(({ code }) => code)).toEqual(['skill-shadowed'])
      // A layer that fails again keeps its skills.
      state.down = true
      await library.refresh()
      expect((await library.get('travel')).id).toBe(at === 0 ? 'flaky/travel' : 'firm/travel')
      const codes = library.snapshot.diagnostics.map(({ code }) => code)
      expect(codes.sort()).toEqual(['skill-shadowed', 'source-unreadable'])
    }
  })
})

it('[BY-9] names that look the same are reported as name-confusable', async () => {
  const names = { a: 'deploy', b: '"deploy\u200b"', c: 'ｄｅｐｌｏｙ', d: '部署', e: 'Deploy' }
  const files: Record<string, string> = {}
  for (const [folder, name] of Object.entries(names))
    files[`${folder}/SKILL.md`] = skill(name, 'Deploys.')
  const source = memory(files)
  const library = await openLibrary(source)
  const found = library.snapshot.diagnostics.filter(({ code }) => code === 'name-confusable')
  expect(found).toEqual(
    ['memory/b', 'memory/c'].map(path => ({
      code: 'name-confusable',
      severity: 'warning',
      message: `The names of ${path} and memory/a differ only by characters that readers do not see`,
      path,
      hint: 'rename one of them',
    })),
  )
  const written: Record<string, Uint8Array<ArrayBuffer>> = {}
  const outputs = pack(source)
  let step = await outputs.next()
  for (; !step.done; step = await outputs.next()) written[step.value.path] = step.value.bytes
  const packed = step.value.diagnostics.filter(({ code }) => code === 'name-confusable')
  expect(packed.map(({ path }) => path)).toEqual(['b', 'c'])

  await using alone = await openLibrary(memory(written))
  expect(alone.snapshot.diagnostics).toEqual(library.snapshot.diagnostics)
  await using layered = await openLibrary([
    memory(written),
    { 'x/SKILL.md': '---\nname: deplo\u200by\n---\nx\n' },
  ])
  const between = layered.snapshot.diagnostics.filter(({ code }) => code === 'name-confusable')
  expect(between.map(({ path }) => path)).toContain('memory~2/x')
})
