import { cp, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'
import { writeFiles } from '../folders.js'
import { cli, contentsOf, demo, installSkills, skill, temporaryFolder } from './cli-world.js'
import { startFetchServer } from './http-server.js'
import { serving } from './serve-world.js'

/** Edge cases of the archive and index formats, beside the sample skills. */
const more: Readonly<Record<string, string | Uint8Array>> = {
  'alone/SKILL.md': skill('alone', 'Has nothing but its SKILL.md.'),
  'crlf/SKILL.md': skill('crlf', 'Has the line ends of Windows.').replaceAll('\n', '\r\n'),
  'crlf/x.bat': 'rem\r\n',
  'outer/SKILL.md': skill('outer', 'Brings another skill along.'),
  'outer/inner/SKILL.md': skill('inner', 'Stands in another.'),
  'outer/inner/notes.txt': 'x',
  'names/SKILL.md': skill('names', 'Has files with odd names.'),
  "names/a b (1)~'!$&@;=+,^{}.md": 'x',
  'names/.hidden/.x': 'x',
  'names/empty': '',
  [`deep/${'d'.repeat(90)}/${'e'.repeat(90)}.bin`]: Uint8Array.from(
    { length: 70_000 },
    (_, at) => (at * 7) % 256,
  ),
  'deep/SKILL.md': skill('deep', 'Has a path of two hundred characters.'),
  [`zipped/${'n'.repeat(120)}.md`]: 'x',
  'zipped/SKILL.md': skill('zipped', 'Has a name that fits into no tar.'),
}

/** Sample skills with a name that differs from their folder, which clients install under that name. */
const renamed: Readonly<Record<string, string>> = { 'calendar-sync': 'calendar-export' }

/** Sample skills that this client skips: an unquoted colon makes their YAML invalid. */
const unreadable = ['invoice-organizer']

/** Packs the sample skills and the edge cases into `out`. */
async function packed(): Promise<string> {
  const cwd = temporaryFolder()
  await cp(demo, join(cwd, 'skills'), { recursive: true })
  writeFiles(join(cwd, 'skills'), more)
  expect(await cli(['pack', '--out', 'out'], { cwd })).toMatchObject({
    code: 0,
    err: '',
  })
  return cwd
}

/** Files of a folder as Latin-1 text. The SKILL.md is called `SKILL.md`, whatever its spelling. */
async function filesOf(folder: string): Promise<Record<string, string>> {
  const { 'skill.md': lower, ...files } = await contentsOf(folder)
  return lower === undefined ? files : { ...files, 'SKILL.md': lower }
}

/** The files of a skill that its users install: not the tests of its author. */
async function publishedOf(folder: string): Promise<Record<string, string>> {
  const { 'triggers.yaml': _, ...files } = await filesOf(folder)
  return files
}

describe('skills CLI', () => {
  it('[BY-5] installs every skill from v0.2 alone, byte for byte', async () => {
    const cwd = await packed()
    expect(await readdir(join(cwd, 'out/.well-known'))).toEqual(['agent-skills'])
    const { address } = await serving(['out'], cwd)
    const installed = await installSkills(address)
    const folders = (await readdir(join(cwd, 'skills'), { withFileTypes: true })).filter(entry =>
      entry.isDirectory(),
    )
    const expected = folders
      .filter(({ name }) => !unreadable.includes(name))
      .map(
        ({ name }) => [renamed[name] ?? name.replace('_', '-'), join(cwd, 'skills', name)] as const,
      )
    expected.push(['inner', join(cwd, 'skills/outer/inner')])
    expect((await readdir(installed)).sort()).toEqual(expected.map(([name]) => name).sort())
    for (const [name, folder] of expected)
      expect(await filesOf(join(installed, name)), name).toEqual(await publishedOf(folder))
  })

  it('[BY-5] installs as many skills as pack reports, and pack names the others', async () => {
    const odd: Readonly<Record<string, string>> = {
      bare: 'Mends bicycles.\n',
      nameless: skill('x', 'Has no name.').replace(/name: .*\n/, ''),
      wordless: skill('wordless', 'x').replace(/description: .*\n/, ''),
      colon: skill('colon', 'Has: a colon'),
      twice: skill('twice', 'Has it twice.\ndescription: Twice.'),
      '2024': skill('2024', 'Is a number.'),
      broken: skill('broken', '"Is open'),
      list: '---\n- name\n---\nIs a list.\n',
      blanks: skill('blanks', 'Has blanks.').replace('---\n', '---  \n'),
    }
    const fine = ['one', 'two', 'quoted']
    const cwd = temporaryFolder({
      ...Object.fromEntries(
        Object.entries(odd).map(([name, text]) => [`skills/${name}/SKILL.md`, text]),
      ),
      ...Object.fromEntries(
        fine.map(name => [`skills/${name}/SKILL.md`, skill(name, `"Is: ${name}"`)]),
      ),
    })
    const { summary, diagnostics } = (await cli(['pack', '--out', 'out', '--json'], { cwd })).json()
    expect(summary.wellKnown).toEqual({ skills: 12, readable: 3 })
    const said = diagnostics.filter(({ code }: { code: string }) => code === 'published-partly')
    expect(said.map(({ path }: { path: string }) => dirname(path)).sort()).toEqual(
      Object.keys(odd).sort(),
    )
    const { address } = await serving(['out'], cwd)
    expect((await readdir(await installSkills(address))).sort()).toEqual([...fine].sort())
  })

  it('[BY-5] installs from a served folder and from a library below a path', async () => {
    const cwd = temporaryFolder({
      'skills/a/SKILL.md': skill('a', 'Mends bicycles.'),
      'skills/a/x.py': 'print(1)',
    })
    const live = await serving(['skills'], cwd)
    const files = { 'a/SKILL.md': skill('a', 'Mends bicycles.'), 'a/x.py': 'print(1)' }
    expect(await filesOf(await installSkills(live.address))).toEqual(files)
    await cli(['pack', '--out', 'site/team/skills'], { cwd })
    await cli(['pack', '--out', 'site', '--no-well-known'], { cwd })
    const { address } = await serving(['site'], cwd)
    expect(Object.keys(await filesOf(await installSkills(`${address}team/skills`))).sort()).toEqual(
      ['a/SKILL.md', 'a/x.py'],
    )
  })

  it('[BY-5] [BY-9] installs a private library through a private link', async () => {
    const library = await openLibrary(
      memory({ 'a/SKILL.md': skill('a', 'Mends bicycles.'), 'a/x.py': 'print(1)' }),
    )
    await using _ = library
    const handler = createHandler({ library, readToken: 'read', linkToken: 'open sesame' })
    const { address } = await startFetchServer(request => handler.fetch(request))
    expect((await fetch(`${address}.well-known/agent-skills/index.json`)).status).toBe(401)
    expect(await filesOf(await installSkills(`${address}s/open%20sesame`))).toEqual({
      'a/SKILL.md': skill('a', 'Mends bicycles.'),
      'a/x.py': 'print(1)',
    })
    await expect(installSkills(`${address}s/open`)).rejects.toThrow()
  })
})
