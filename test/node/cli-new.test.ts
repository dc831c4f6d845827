import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseSkill } from '../../src/exports/index.js'
import { cli, expectRefusal, temporaryFolder } from './cli-world.js'

const DIALECTS = [
  ...['spec', 'openseed', 'manusx', 'omniemployee'].map(dialect => [
    dialect,
    'invoice-check',
    'invoice-check/SKILL.md',
  ]),
  ['tokendance', 'invoice_check', 'invoice_check/SKILL.md'],
  ['agent-core', 'Invoice Check', 'invoice-check/skill.md'],
] as [dialect: string, name: string, file: string][]

describe('skillshelf new', () => {
  for (const [dialect, name, file] of DIALECTS)
    it.each(['en', 'zh'])(
      `[TD-2] [TD-10] [OS-7] a new skill of ${dialect} passes validate and test (%s)`,
      async lang => {
        const cwd = temporaryFolder()
        const made = await cli(
          ['new', name, '--dialect', dialect, '--lang', lang, '--dir', 'skills'],
          { cwd },
        )
        expect(made).toMatchObject({
          code: 0,
          err: '',
          out: expect.stringContaining(`skills/${file}`),
        })
        const checked = await cli(['validate', 'skills', '--dialect', dialect, '--json'], { cwd })
        expect(checked.code).toBe(0)
        const { summary, diagnostics } = checked.json()
        expect(summary).toMatchObject({ found: 1, skills: 1, own: 1, inferred: 0, errors: 0 })
        const problems = diagnostics.filter((one: { severity: string }) => one.severity !== 'info')
        expect(problems).toMatchObject([{ code: 'placeholder-text' }])
        const own = await cli(['validate', 'skills', '--dialect', dialect, '--strict'], { cwd })
        expect([own.code, own.out]).toEqual([0, expect.stringContaining('0 errors')])
        const strict = await cli(['validate', `skills/${dirname(file)}`, '--strict'], { cwd })
        expect(strict.code).toBe(
          ['tokendance', 'omniemployee', 'agent-core'].includes(dialect) ? 1 : 0,
        )
        const passed = { code: 0, out: expect.stringContaining('2 of 2') }
        expect(await cli(['test', 'skills'], { cwd })).toMatchObject(passed)
      },
    )

  it.each(['file', 'file/inside', '/proc/skills'])(
    'reports that the folder %s cannot be made',
    async dir => {
      const cwd = temporaryFolder({ file: 'x' })
      const says = /is not a folder, or is inside a file|Cannot create the folder \/proc/
      await expectRefusal(says, ['new', 'invoice-check', '--dir', dir], { cwd })
    },
  )

  it('[TD-10] creates the fields, six sections and resources of TokenDance', async () => {
    const cwd = temporaryFolder()
    await cli(['new', 'invoice_check', '--dialect', 'tokendance', '--lang', 'zh'], { cwd })
    const text = await readFile(join(cwd, 'invoice_check/SKILL.md'), 'utf8')
    const { metadata, body } = await parseSkill(text)
    expect(metadata).toMatchObject({
      name: 'invoice_check',
      displayName: 'invoice check',
      version: '1.0.0',
      tags: ['invoice', 'check'],
      allowedTools: ['read_file'],
      maxIterations: 30,
      timeout: 300,
      enabled: true,
    })
    const sections = '能力概述 工作流程 工具使用 最佳实践 输出格式 注意事项'
    expect(body.match(/(?<=^## ).+$/gm)).toEqual(sections.split(' '))
    expect(await readdir(join(cwd, 'invoice_check/resources'))).toEqual([
      'example.py',
      'guide.md',
      'templates',
    ])
  })

  it('[TD-10] writes a README about the layout only into a new or empty folder', async () => {
    const cwd = temporaryFolder()
    const first = await cli(['new', 'one', '--dir', 'fresh'], { cwd })
    expect(first.out).toContain('fresh/README.md')
    const readme = await readFile(join(cwd, 'fresh/README.md'), 'utf8')
    expect(readme).toContain('SKILL.md')
    expect(readme).toContain('triggers.yaml')
    await cli(['new', 'two', '--dir', 'fresh'], { cwd })
    expect(await readFile(join(cwd, 'fresh/README.md'), 'utf8')).toBe(readme)
    const full = temporaryFolder({ 'something.txt': 'x' })
    await cli(['new', 'one'], { cwd: full })
    expect((await readdir(full)).sort()).toEqual(['one', 'something.txt'])
    const empty = temporaryFolder({ '.gitkeep': '' })
    await cli(['new', 'one', '--lang', 'zh'], { cwd: empty })
    expect(await readFile(join(empty, 'README.md'), 'utf8')).toContain('文件夹')
  })

  it('creates the skill in ./skills if that exists', async () => {
    const cwd = temporaryFolder({ 'skills/.gitkeep': '' })
    await cli(['new', 'one'], { cwd })
    expect((await readdir(join(cwd, 'skills'))).sort()).toEqual(['.gitkeep', 'README.md', 'one'])
  })

  it('writes a description with special characters', async () => {
    const cwd = temporaryFolder()
    const description = 'Checks: invoices # "all" of them, \'quoted\' — 发票\nand more'
    await cli(['new', 'one', '--description', description], { cwd })
    const { metadata, diagnostics } = await parseSkill(await readFile(join(cwd, 'one/SKILL.md')))
    expect(metadata.description).toBe(description.replace('\n', ' '))
    expect(diagnostics).toEqual([])
    expect((await cli(['new', 'two', '--description', ''], { cwd })).code).toBe(2)
    expect((await cli(['new', 'two', '--description', 'x'.repeat(1025)], { cwd })).code).toBe(2)
  })

  it('never overwrites a folder', async () => {
    const cwd = temporaryFolder({ 'one/SKILL.md': 'mine' })
    await expectRefusal('already exists', ['new', 'one'], { cwd })
    expect(await readFile(join(cwd, 'one/SKILL.md'), 'utf8')).toBe('mine')
    expect(await readdir(join(cwd, 'one'))).toEqual(['SKILL.md'])
  })

  it.each([
    ['Invoice Check', 'spec', 'invoice-check'],
    ['invoiceCheck', 'openseed', 'invoice-check'],
    ['--invoice--', 'manusx', 'invoice'],
    ['Café_Menü', 'omniemployee', 'cafe-menu'],
    ['../../evil', 'spec', 'evil'],
    ['Invoice Check', 'tokendance', 'invoice_check'],
    ['发票', 'spec', 'invoice-check'],
  ])('[OS-7] suggests a name for %j in the dialect %s', async (name, dialect, slug) => {
    const cwd = temporaryFolder()
    const { code, err } = await cli(['new', '--dialect', dialect, '--', name], { cwd })
    expect(code).toBe(2)
    expect(err).toMatch(new RegExp(`for example ${slug}\n$`))
    expect(await readdir(cwd)).toEqual([])
  })

  it('[BY-9] keeps a free name inside the folder', async () => {
    const cwd = temporaryFolder({ 'in/x.txt': '' })
    await cli(['new', '../../Evil Name/..', '--dialect', 'agent-core', '--dir', 'in'], { cwd })
    expect((await readdir(join(cwd, 'in'))).sort()).toEqual(['evil-name', 'x.txt'])
    expect(
      (await cli(['new', '../..', '--dialect', 'agent-core', '--dir', 'in'], { cwd })).code,
    ).toBe(2)
    await cli(['new', '发票 检查', '--dialect', 'agent-core', '--dir', 'in'], { cwd })
    expect(await readdir(join(cwd, 'in/发票-检查'))).toContain('skill.md')
  })
})
