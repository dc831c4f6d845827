import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { cli, temporaryFolder } from './cli-world.js'

const OTHERS = `{
    "theme":   "dark",
    "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "say \\"done\\"" } ] } ],
      "UserPromptSubmit": [
        { "hooks": [{ "type": "command", "command": "date" }] }
      ] },
    "n": 1e3 }
`

it.each<[name: string, host: string, file: string, before: string | undefined]>([
  ['no file', 'claude-code', '.claude/settings.json', undefined],
  ['an empty object', 'codex', '.codex/hooks.json', '{}'],
  ['other settings', 'gemini-cli', '.gemini/settings.json', '{\n\t"ui": {\n\t\t"theme": "dark"\n\t}\n}'],
  ['other hooks', 'claude-code', '.claude/settings.json', OTHERS],
  ['a file of its own', 'copilot-cli', '.copilot/hooks/skillshelf.json', undefined],
])('[BY-25] install and uninstall: %s', async (_, host, file, before) => {
  const home = temporaryFolder(before === undefined ? {} : { [file]: before })
  const env = { HOME: home }
  const path = join(home, file)
  const read = () => readFile(path, 'utf8').catch(() => undefined)
  const shown = await cli(['hook', 'install', host, '--dry-run'], { cwd: home, env })
  expect(shown.out).toMatch(/\+ .*hook\/main\.cjs/)
  expect(await read()).toBe(before)
  expect((await cli(['hook', 'install', host, '--yes'], { cwd: home, env })).code).toBe(0)
  const installed = (await read()) ?? ''
  const { hooks, ...others } = JSON.parse(installed)
  expect(JSON.stringify(hooks)).toContain(`main.cjs\\" ${host}`)
  const { hooks: _hooks, ...same } = JSON.parse(before ?? '{}')
  expect(others).toEqual(host === 'copilot-cli' ? { version: 1 } : same)
  // What was there keeps its bytes: the text before is the text after without one part.
  if (before) {
    let start = 0
    while (before[start] === installed[start]) start++
    const rest = before.length - start
    expect(installed.endsWith(before.slice(start)) || installed.slice(-rest) === before.slice(-rest)).toBe(true)
  }
  expect((await cli(['hook', 'install', host, '--yes'], { cwd: home, env })).out).toContain('nothing to change')
  expect(await read()).toBe(installed)
  expect((await cli(['hook', 'uninstall', host, '--yes'], { cwd: home, env })).code).toBe(0)
  expect(await read()).toBe(before)
})

it('[BY-25] install asks, follows links, and refuses what is not JSON', async () => {
  const home = temporaryFolder({ 'dotfiles/settings.json': '{}', '.codex/hooks.json': '{ // mine\n}' })
  const env = { HOME: home }
  await mkdir(join(home, '.claude'))
  await symlink(join(home, 'dotfiles/settings.json'), join(home, '.claude/settings.json'))
  const answering = async (line: string) => {
    const stdin = new PassThrough()
    stdin.end(`${line}\n`)
    return cli(['hook', 'install', 'claude-code'], { cwd: home, env, streams: { stdin, stdout: new PassThrough() } })
  }
  expect(await answering('no')).toMatchObject({ code: 1, out: expect.stringContaining('Nothing was changed') })
  expect(await readFile(join(home, 'dotfiles/settings.json'), 'utf8')).toBe('{}')
  expect((await answering('y')).code).toBe(0)
  expect(await readFile(join(home, 'dotfiles/settings.json'), 'utf8')).toContain('UserPromptSubmit')
  const refused = await cli(['hook', 'install', 'codex', '--yes'], { cwd: home, env })
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('not JSON') })
  await mkdir(join(home, '.gemini'))
  await writeFile(join(home, '.gemini/settings.json'), '{"hooks": []}')
  expect((await cli(['hook', 'install', 'gemini-cli', '--yes'], { cwd: home, env })).err).toContain('not an object')
})
