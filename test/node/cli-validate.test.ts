import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, demo, folderOf, skill } from './cli-world.js'

const codes = (diagnostics: readonly { code: string }[]): string[] => diagnostics.map(({ code }) => code)

describe('skillshelf validate', () => {
  it('[OS-7] accepts skills that follow the specification', async () => {
    const cwd = await folderOf({ 'tidy-up/SKILL.md': skill('tidy-up', 'Sorts files into folders.') })
    for (const more of [[], ['--strict']])
      expect(await cli(['validate', '.', ...more], { cwd })).toMatchObject({
        code: 0,
        out: '1 skill, 0 errors, 0 warnings\n',
        err: '',
      })
  })

  it.each([
    ['name-invalid', 'a--b', 'name: a--b\ndescription: Two hyphens.'],
    ['name-invalid', '-a', 'name: -a\ndescription: A hyphen first.'],
    ['name-invalid', 'Upper', 'name: Upper\ndescription: Upper case.'],
    ['name-invalid', 'x'.repeat(65), `name: ${'x'.repeat(65)}\ndescription: Too long.`],
    ['name-not-folder', 'here', 'name: there\ndescription: Another folder.'],
    ['description-length', 'long', `name: long\ndescription: ${'x'.repeat(1025)}`],
    ['compatibility-length', 'old', `name: old\ndescription: Old.\ncompatibility: ${'x'.repeat(501)}`],
  ])('[OS-7] reports %s in the folder %s, as an error with --strict', async (code, folder, fields) => {
    const cwd = await folderOf({ [`${folder}/SKILL.md`]: `---\n${fields}\n---\n\nDo it.\n` })
    const lax = await cli(['validate', '.', '--json'], { cwd })
    expect(lax.code).toBe(0)
    expect(lax.json().diagnostics).toContainEqual(
      expect.objectContaining({ code, severity: 'warning', path: `${folder}/SKILL.md`, line: expect.any(Number) }),
    )
    const strict = await cli(['validate', '.', '--json', '--strict'], { cwd })
    expect(strict.code).toBe(1)
    expect(strict.json().diagnostics).toContainEqual(expect.objectContaining({ code, severity: 'error' }))
  })

  it('[OS-7] reports an unknown field as a note, and as an error with --strict', async () => {
    const cwd = await folderOf({ 'a/SKILL.md': '---\nname: a\ndescription: A.\ncolour: red\n---\n\nDo it.\n' })
    expect((await cli(['validate', '.'], { cwd })).out).toBe(
      '1 skill, 0 errors, 0 warnings, 1 note (print with --all)\n',
    )
    expect((await cli(['validate', '.', '--all'], { cwd })).out).toContain('colour')
    expect(await cli(['validate', '.', '--strict'], { cwd })).toMatchObject({
      code: 1,
      out: expect.stringContaining('colour'),
    })
  })

  it('[TD-2] --dialect tokendance checks the fields that its document requires', async () => {
    const whole = 'name: a\ndisplay_name: A\ndescription: A.\nversion: 1.0.0\nallowed_tools: []\n'
    const cwd = await folderOf({
      'a/SKILL.md': `---\n${whole}---\n\nDo it.\n`,
      'b/SKILL.md': '---\nname: b\ndescription: B.\n---\n\nDo it.\n',
    })
    const checked = await cli(['validate', '.', '--dialect', 'tokendance', '--json'], { cwd })
    expect(checked.code).toBe(1)
    const required = checked.json().diagnostics.filter((one: { code: string }) => one.code === 'field-required')
    expect(required).toMatchObject([
      { severity: 'error', path: 'b/SKILL.md', message: expect.stringContaining('"version"') },
      { severity: 'warning', path: 'b/SKILL.md', message: expect.stringContaining('"display_name"') },
      { severity: 'warning', path: 'b/SKILL.md', message: expect.stringContaining('"allowed_tools"') },
    ])
    for (const more of [[], ['--dialect', 'openseed']])
      expect((await cli(['validate', '.', '--json', ...more], { cwd })).code).toBe(0)
    const bare = await folderOf({ 'a/SKILL.md': '---\nname: a\n---\n\nDo it.\n' })
    expect((await cli(['validate', '.', '--dialect', 'manusx'], { cwd: bare })).code).toBe(1)
    expect((await cli(['validate', '.', '--dialect', 'other'], { cwd })).code).not.toBe(0)
  })

  it('[TD-2] a skill of `new --dialect tokendance` has every field that `validate` checks', async () => {
    const cwd = await folderOf({})
    await cli(['new', 'invoice_check', '--dialect', 'tokendance', '--dir', '.'], { cwd })
    const { code, json } = await cli(['validate', '.', '--dialect', 'tokendance', '--json'], { cwd })
    expect(code).toBe(0)
    expect(codes(json().diagnostics)).not.toContain('field-required')
  })

  it('[OS-9] infers a missing description, and leaves the skill out with --strict', async () => {
    const cwd = await folderOf({
      'good/SKILL.md': skill('good', 'Works.'),
      'bare/SKILL.md': '---\nname: bare\n---\n\nSorts the files of a folder.\n',
    })
    const lax = await cli(['validate', '.', '--json'], { cwd })
    expect(lax.code).toBe(0)
    expect(lax.json().summary).toMatchObject({ found: 2, skills: 2, own: 1, inferred: 1, leftOut: 0, errors: 0 })
    expect(lax.json().diagnostics).toMatchObject([
      { code: 'mcp-left-out' },
      { code: 'description-inferred', severity: 'warning' },
    ])
    const strict = await cli(['validate', '.', '--json', '--strict'], { cwd })
    expect(strict.code).toBe(1)
    expect(strict.json().summary).toMatchObject({ found: 2, skills: 1, inferred: 0, leftOut: 1 })
    expect(strict.json().diagnostics).toContainEqual(
      expect.objectContaining({ code: 'skill-left-out', severity: 'error', path: 'bare/SKILL.md' }),
    )
  })

  it('groups diagnostics by file, with line and hint', async () => {
    const { out } = await cli(['validate', demo])
    expect(out).toMatch(/\nmeeting-notes\/skill\.md\nwarning\s+2\s+The name "Meeting Notes"/)
    expect(out).toMatch(/14 skills, 0 errors, \d+ warnings, \d+ notes/)
  })

  it('[AC-5] reports each cause with its own code', async () => {
    const cwd = await folderOf({
      'good/SKILL.md': skill('good', 'Works.'),
      'empty/SKILL.md': '',
      'twice/SKILL.md': skill('twice', 'Works.'),
      'twice/skill.md': skill('twice', 'Works.'),
    })
    await symlink(join(cwd, 'nowhere'), join(cwd, 'good', 'gone.md'))
    const ran = await cli(['validate', '.', '--json'], { cwd })
    expect(ran.code).toBe(1)
    const { summary, diagnostics } = ran.json()
    expect(summary).toMatchObject({ found: 3, skills: 2, leftOut: 1 })
    expect(codes(diagnostics)).toEqual(
      expect.arrayContaining(['skill-left-out', 'skill-unreadable', 'two-skill-files']),
    )
    expect(diagnostics.every((one: { path?: string }) => one.path)).toBe(true)
  })

  it('validates a single skill and compares its name with its folder', async () => {
    const cwd = await folderOf({ 'here/SKILL.md': skill('there', 'Another folder.'), 'bad/SKILL.md': '' })
    for (const one of ['here', 'here/SKILL.md']) {
      const { summary, diagnostics } = (await cli(['validate', one, '--json'], { cwd })).json()
      expect(summary).toMatchObject({ found: 1, skills: 1 })
      expect(diagnostics).toMatchObject([{ code: 'name-not-folder', path: 'here/SKILL.md' }])
    }
    expect((await cli(['validate', 'bad'], { cwd })).code).toBe(1)
  })

  it('limits a long table, but not with --all or --json', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 210 }, (_, at) => [`s${at}/SKILL.md`, skill('Not Allowed', 'Works.')]),
    )
    const cwd = await folderOf(many)
    const { out } = await cli(['validate', '.'], { cwd })
    expect(out.match(/^warning/gm)).toHaveLength(200)
    expect(out).toContain('… and 220 more')
    expect((await cli(['validate', '.', '--all'], { cwd })).out.match(/^warning/gm)).toHaveLength(420)
    expect((await cli(['validate', '.', '--json'], { cwd })).json().diagnostics).toHaveLength(630)
  })
})
