import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { commandReference } from '../../scripts/reference.js'
import * as dialects from '../../src/exports/dialects.js'
import { toolDialectOption } from '../../src/tools/cli/dialects.js'
import {
  cli,
  demo,
  expectRefusal,
  main,
  packedDemo,
  skill,
  temporaryFolder,
  two,
} from './cli-world.js'

const { version } = (await import('../../package.json', { with: { type: 'json' } })).default

describe('command line', () => {
  it('prints its version', async () => {
    expect(await cli(['--version'])).toMatchObject({ code: 0, out: `${version}\n`, err: '' })
  })

  it('prints help with examples for itself and for every command', async () => {
    const { code, out } = await cli(['--help'])
    expect(code).toBe(0)
    const commands = [...out.matchAll(/^ {2}(\w+) \[options\]/gm)].map(([, name = '']) => name)
    expect(commands.slice(0, 3)).toEqual(['match', 'list', 'show'])
    expect(commands).toHaveLength(19)
    for (const command of commands) {
      const help = await cli([command, '--help'])
      expect(help.code).toBe(0)
      expect(help.out).toContain(`Examples:\n  $ skillshelf ${command}`)
    }
  })

  it('runs as a process', async () => {
    const argv = [main, 'match', 'make slides about our launch', '--skills', demo, '--json']
    const { stdout } = await promisify(execFile)(process.execPath, argv)
    expect(JSON.parse(stdout).matches[0]).toMatchObject({ name: 'ppt', above: true })
  })

  it('exits with the exit code and prints only a message', async () => {
    const failed = promisify(execFile)(process.execPath, [
      main,
      'list',
      '--skills',
      '/there/is/no/such',
    ])
    await expect(failed).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^skillshelf: /),
    })
  })
})

describe('invalid usage', () => {
  it.each([
    [[]],
    [['matsch', 'x']],
    [['match']],
    [['match', 'x', '--limit', '0']],
    [['match', 'x', '--limit', '1.5']],
    [['match', 'x', '--threshold', '1.5']],
    [['match', 'x', '--threshold', 'high']],
    [['list', '--no-such-option']],
    [['pack', demo]],
    [['new', 'x', '--dialect', 'klingon']],
    [['list', 'one', 'too-many']],
  ])('%j exits with 2', async argv => {
    const { code, out, err } = await cli(argv)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(argv.length === 0 ? /^Usage: skillshelf/ : /^skillshelf: /)
    expect(err).not.toMatch(/^error:|\n +at /)
  })

  it('suggests a similar command', async () => {
    expect((await cli(['valdate'])).err).toContain('Did you mean validate?')
  })
})

describe('opening skills', () => {
  it('defaults to ./skills, else the current folder', async () => {
    const cwd = temporaryFolder({
      'outer/SKILL.md': skill('outer', 'Found in the current folder.'),
    })
    expect((await cli(['list', '--json'], { cwd })).json().skills).toMatchObject([
      { name: 'outer' },
    ])
    const both = temporaryFolder({
      'outer/SKILL.md': skill('outer', 'Found in the current folder.'),
      'skills/inner/SKILL.md': skill('inner', 'Found in ./skills.'),
    })
    expect((await cli(['list', '--json'], { cwd: both })).json().skills).toMatchObject([
      { name: 'inner' },
    ])
  })

  it('reports a missing folder, an empty folder and a file', async () => {
    const cwd = temporaryFolder({ 'notes.txt': 'no skill', 'empty/readme.txt': 'no skill' })
    const problems = {
      nowhere: 'skillshelf: No such folder: nowhere\n',
      empty: 'skillshelf: No skills found in empty\n',
      'notes.txt': 'notes.txt is a file',
    }
    for (const command of [['list'], ['match', 'x'], ['show', 'x']]) {
      for (const [folder, says] of Object.entries(problems))
        await expectRefusal(says, [...command, '--skills', folder], { cwd })
    }
    for (const command of [['validate'], ['test'], ['pack', '--out', 'out']])
      await expectRefusal('No skills found in empty\n', [...command, 'empty'], { cwd })
  })

  it('reports a URL without a packed library and an unsupported URL', async () => {
    const list = (url: string, says: string) => expectRefusal(says, ['list', '--skills', url])
    await list(
      'http://127.0.0.1:9/none',
      'http://127.0.0.1:9/none/skillshelf.json could not be read',
    )
    await list('ftp://example.com/x', 'Unsupported URL: ftp://example.com/x')
  })

  it('reports that every skill is left out or disabled', async () => {
    const off = '---\nname: a\ndescription: A.\nenabled: false\n---\nx'
    const cwd = temporaryFolder({ 'bad/a/SKILL.md': '', 'off/a/SKILL.md': off })
    const list = async (skills: string) => (await cli(['list', '--skills', skills], { cwd })).err
    expect(await list('bad')).toContain('see the reasons with: skillshelf validate bad')
    expect(await list('off')).toContain('All skills in off are disabled (1)')
  })
})

describe('output', () => {
  const named = (text: string): string =>
    temporaryFolder({ 'a/SKILL.md': skill('a', JSON.stringify(text)) })

  it('[BY-9] prints no control characters to a terminal', async () => {
    const evil = 'good\u001b[2J\u001b]0;title\u0007\u009b31m \u202etxt.exe'
    const cwd = temporaryFolder({
      'a/SKILL.md': `---\nname: a\ndescription: ${JSON.stringify(evil)}\n---\nBody ${evil}\n`,
      'a/notes.txt': evil,
    })
    for (const command of [
      'list',
      'show a',
      'match good',
      'validate --all .',
      'show a --file notes.txt',
    ]) {
      const { out, err } = await cli(command.split(' '), {
        cwd,
        isTTY: true,
        env: { NO_COLOR: '1' },
      })
      expect(out).not.toBe('')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not be printed
      expect(out + err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    }
  })

  it('prints colors to a terminal only, and none with NO_COLOR', async () => {
    const cwd = named('Anything.')
    const control = '\u001b['
    expect((await cli(['list'], { cwd })).out).not.toContain(control)
    expect((await cli(['list'], { cwd, isTTY: true, env: {} })).out).toContain(control)
    expect((await cli(['list'], { cwd, isTTY: true, env: { NO_COLOR: '1' } })).out).not.toContain(
      control,
    )
  })

  it.each([
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1', TERM: 'dumb' }, true, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
  ])('follows %j (terminal: %s)', async (env, isTTY, colored) => {
    const cwd = named('Anything.')
    expect((await cli(['list'], { cwd, isTTY, env })).out.includes('\u001b[')).toBe(colored)
  })

  it('list and show take the folder as an argument too, and show finds a skill by its folder', async () => {
    const tidy = skill('Tidy Up', 'Sorts files.')
    const cwd = temporaryFolder({ 'a/tidy/SKILL.md': tidy, 'b/x/SKILL.md': skill('x', 'Y.') })
    const listed = await cli(['list', 'a', '--json'], { cwd })
    expect(listed.json().skills).toMatchObject([{ name: 'Tidy Up' }])
    expect((await cli(['list', '--skills', 'a', '--json'], { cwd })).out).toBe(listed.out)
    for (const where of [['a'], ['--skills', 'a'], ['.']])
      expect((await cli(['show', 'tidy', ...where], { cwd })).out).toMatch(/^Tidy Up\n/)
  })

  it('[AC-5] list, pack and validate print the same number of left-out skills', async () => {
    const cwd = temporaryFolder({
      'skills/good/SKILL.md': skill('good', 'Works.'),
      'skills/empty/SKILL.md': '',
      'skills/off/SKILL.md': '---\nname: off\ndescription: Off.\nenabled: false\n---\n\nOff.\n',
      'skills/lost/note.md': '',
    })
    for (const file of ['lost/SKILL.md', 'good/gone.md'])
      await symlink(join(cwd, 'nowhere'), join(cwd, 'skills', file))
    expect((await cli(['list'], { cwd })).out).toMatch(
      /^good [\s\S]*2 left out, see: skillshelf validate/m,
    )
    expect((await cli(['validate', '--json'], { cwd })).json().summary.leftOut).toBe(2)
    expect((await cli(['pack', '--out', 'out', '--json'], { cwd })).json().summary.leftOut).toBe(2)
  })

  it('fits the width of the terminal, also in Chinese and Japanese', async () => {
    const listed = ['list', await packedDemo()]
    for (const argv of [
      listed,
      ['match', '帮我做一个PPT', '-s', await packedDemo()],
      ['validate', demo, '--all'],
    ]) {
      const { out } = await cli(argv, { columns: 72 })
      for (const line of out.split('\n')) {
        const wide = line.match(/[\u3000-\u9fff\uff00-\uff60]/g)?.length ?? 0
        expect(line.length + wide, line).toBeLessThanOrEqual(72)
      }
    }
    const { out } = await cli(listed, { columns: 72 })
    const tokens = out.split('\n').filter(line => /\d$/.test(line) && !line.includes('skills,'))
    const columns = tokens.map(
      line => line.length + (line.match(/[\u3000-\u9fff\uff00-\uff60]/g)?.length ?? 0),
    )
    expect(new Set(columns).size).toBe(1)
  })

  it('draws progress on a terminal and not into a pipe', async () => {
    const progress = new PassThrough()
    const out = join(temporaryFolder(), 'out')
    const world = {
      cwd: temporaryFolder(two),
      progress: Object.assign(progress, { isTTY: true, columns: 80 }),
    }
    const ran = await cli(['pack', '--out', out], world)
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(String(progress.read())).toContain('reading')
    expect(ran.out).not.toContain('reading')
  })
})

describe('interrupts and errors', () => {
  it('exits with 130 when it is aborted', async () => {
    const io = { cwd: temporaryFolder(two), signal: AbortSignal.abort() }
    const interrupted = { code: 130, out: '', err: 'skillshelf: interrupted\n' }
    for (const command of [['list'], ['validate'], ['test'], ['pack', '--out', 'out']])
      expect(await cli(command, io)).toMatchObject(interrupted)
  })

  it('prints a stack trace only with --debug or DEBUG', async () => {
    const cwd = temporaryFolder()
    await mkdir(join(cwd, 'skills'))
    expect((await cli(['list'], { cwd })).err).not.toMatch(/\n +at /)
    expect((await cli(['list', '--debug'], { cwd })).err).toMatch(/\n +at /)
    expect((await cli(['list'], { cwd, env: { DEBUG: '1' } })).err).toMatch(/\n +at /)
  })
})

const guide = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
/** The text of each section of a page by its command. */
const sectionsOf = (page: string): ReadonlyMap<string, string> =>
  new Map(
    page
      .split(/^## /m)
      .flatMap((text, index) =>
        index === 0 ? [] : [[text.slice(0, text.indexOf('\n')), text] as const],
      ),
  )

it('docs/dialects.md and `--dialect` have every dialect', () => {
  const exported = Object.entries(dialects)
    .filter(([, one]) => typeof one === 'object')
    .map(([name]) => name)
  const text = readFileSync(new URL('../../docs/dialects.md', import.meta.url), 'utf8')
  const listed = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(listed.sort()).toEqual(exported.sort())
  const { argChoices: names = [] } = toolDialectOption('')
  const offered = names.map(name => name.replace('-', ''))
  expect(offered.sort()).toEqual(exported.map(name => name.toLowerCase()).sort())
})

it('[CARD-5] docs/cli.md has a section for every command, the reference every option', async () => {
  const { out } = await cli(['--help'])
  const [, list = ''] = /^Commands:\n([\s\S]*?)\n\n/m.exec(out) ?? []
  const commands = [...list.matchAll(/^ {2}(\w+) /gm)]
    .map(([, name = '']) => name)
    .filter(name => name !== 'help')
  expect(commands.length).toBeGreaterThan(5)
  expect([...sectionsOf(guide).keys()].sort()).toEqual(commands.sort())
  const reference = sectionsOf(commandReference())
  expect([...reference.keys()].sort()).toEqual(commands)
  for (const command of commands) {
    const help = (await cli([command, '--help'])).out
    const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(
      ([, option = '']) => option,
    )
    const expected = options.filter(option => !['--debug', '--help'].includes(option)).sort()
    const rows = (reference.get(command) ?? '').matchAll(/^\| `(?:-\w, )?(--[\w-]+)/gm)
    const listed = [...rows].map(([, option]) => option)
    expect({ command, options: listed.sort() }).toEqual({ command, options: expected })
  }
})
