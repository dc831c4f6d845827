import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Io } from '../../src/tools/cli/program.js'
import { startPublishServer, TOKEN } from './cli-publish-fixtures.js'
import { cli, skill, temporaryFolder } from './cli-world.js'

/** Sets the title, clears the screen, colors, hides, writes over the line, turns the direction, starts a row. Ends in a word to look for. */
const EVIL =
  '\u001b]0;t\u0007\u001b[2J\u001b[35m\u001b[8m\u009b31m\u202e\u2066\u200b\u007f\rEVIL\u001b[35mEVIL\nEVIL'
/** What paths may hold, with a line break where the file system takes one. */
const IN_PATH = EVIL.replaceAll('/', '')
const yaml = (text: string): string =>
  `"${[...text].map(one => `\\U${(one.codePointAt(0) as number).toString(16).padStart(8, '0')}`).join('')}"`
const evil = (word: string): string => `${word}${EVIL}`

const SKILL = `---
name: ${yaml(evil('paint'))}
description: ${yaml(evil('Paints walls.'))}
when_to_use: ${yaml(evil('For walls.'))}
version: ${yaml(evil('1'))}
tags: [${yaml(evil('walls'))}]
${evil('unknown').replaceAll('\n', '')}: x
---
Draw with care. ${EVIL.replaceAll('\n', '')}
`
const FILES = {
  'skills/paint/SKILL.md': SKILL,
  [`skills/paint/references/a${IN_PATH}.md`]: EVIL,
  'skills/paint/messages.txt': `${EVIL.replaceAll('\n', '')} paint the walls\n`,
  'skills/paint/triggers.yaml': `- message: ${yaml(evil('boil water'))}\n- oops${EVIL}\n`,
  [`skills/b${IN_PATH}/SKILL.md`]: skill(yaml(evil('brew')), 'Brews tea.'),
  'skills/cup/SKILL.md': `---\nName: cup\nDescription: Washes ${EVIL.replaceAll('\n', '')}\n---\n\nWash.\n`,
  'now/paint/SKILL.md': SKILL.replace('Draw', `Draw ${EVIL.replaceAll('\n', '')}`),
  [`now/paint/assets/b${IN_PATH}.bin`]: 'x',
  'learned.json': JSON.stringify([
    {
      skill: 'skills/paint',
      message: evil('paint the wall'),
      count: 2,
      last: '2026-03-01T09:00:00.000Z',
    },
    {
      skill: `skills/gone${EVIL}`,
      message: evil('boil'),
      count: 1,
      last: '2026-03-01T09:00:00.000Z',
      outcome: 'near',
    },
  ]),
  '.claude/settings.json': JSON.stringify({
    [evil('key')]: EVIL,
    hooks: {
      UserPromptSubmit: [
        { hooks: [{ type: 'command', command: `echo ${EVIL} tools/hook/main.cjs` }] },
      ],
    },
  }),
  '.codex/hooks.json': `{"a": "\u202e\u009b31m\u007fEVIL" // ${evil('x').replaceAll(/[\r\n]/g, '')}\r\n}`,
}
const NONE = evil('none')

const commandLines = (address: string): string[][] => [
  ['match', 'paint walls'],
  ['match', 'zzz', '--tag', NONE],
  ['list'],
  ['list', '--tag', NONE],
  ['show', evil('paint')],
  ['show', evil('paint'), '--file', `references/a${IN_PATH}.md`],
  ['show', NONE, '--debug'],
  ['new', NONE],
  ['validate', '--all', '--overlap'],
  ['validate', '--fix', '--dry-run', '--all'],
  ['validate', '--strict'],
  ['test'],
  ['enrich', '--dry-run'],
  ['enrich', '--plan', `plan${IN_PATH}`],
  ['enrich', '--check'],
  ['pack', '--out', `out${IN_PATH}`],
  ['serve', '--port', '0'],
  ['publish', '--to', address, '--dry-run'],
  ['publish', '--to', address],
  ['sweep', `out${IN_PATH}`],
  ['keys', 'new', `key${IN_PATH}`],
  ['diff', 'skills', 'now'],
  ['lock', 'skills'],
  ['lock', 'now', '--frozen'],
  ['mcp', 'skills'],
  ['hook', 'install', 'claude-code', '--dry-run'],
  ['hook', 'install', 'claude-code', '--yes'],
  ['hook', 'install', 'codex', '--yes'],
  ['hook', 'uninstall', 'codex', '--yes'],
  ['budget'],
  ['copy', NONE],
  ['report', '--learned', 'learned.json'],
  ['report', '--learned', 'learned.json', '--triggers'],
  ['report', '--learned', NONE],
  ['list', NONE, '--debug'],
  [NONE],
  ['list', `--${NONE}`],
]

/** Runs a command on a terminal with colors. What waits for an end gets one. */
async function onTerminal(cwd: string, argv: readonly string[], io: Partial<Io> = {}) {
  const stop = new AbortController()
  const stdin = new PassThrough()
  stdin.end()
  return cli(argv, {
    cwd,
    isTTY: true,
    // Nothing is wrapped.
    columns: 5_000,
    env: { HOME: cwd, SKILLSHELF_TOKEN: TOKEN, FORCE_COLOR: '1' },
    signal: argv[0] === 'serve' ? AbortSignal.abort() : stop.signal,
    streams: { stdin, stdout: new PassThrough() },
    ...io,
  })
}

/** The sequences that commands write themselves. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colors are control sequences
const COLOR = /\u001b\[(?:1|2|22|31|32|33|39)m/g
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]|\p{Default_Ignorable_Code_Point}/u

it('[BY-9] no command writes a control sequence of a skill, file, message or setting to a terminal', async () => {
  const cwd = temporaryFolder(FILES)
  await mkdir(join(cwd, `plan${IN_PATH}`))
  const { address } = await startPublishServer()
  const lines = commandLines(address)
  const { out: help } = await cli(['--help'])
  const commands = [...help.matchAll(/^ {2}([a-z]+) .*(?:\[|<)/gm)].map(([, name = '']) => name)
  expect(
    commands.filter(name => name !== 'help' && !lines.some(([command]) => command === name)),
  ).toEqual([])
  let colored = 0
  for (const argv of lines) {
    const { out, err } = await onTerminal(cwd, argv)
    const text = `${out}${err}`
    colored += text.match(COLOR)?.length ?? 0
    expect([argv, text.length > 0]).toEqual([argv, true])
    expect([argv, HIDDEN.exec(text.replaceAll(COLOR, ''))]).toEqual([argv, null])
    // No text of others starts a row, except where a file is shown.
    if (argv[0] !== 'show')
      expect([argv, /^ *EVIL/m.exec(text.replaceAll(COLOR, ''))]).toEqual([argv, null])
  }
  expect(colored).toBeGreaterThan(20)
})

it('[BY-9] JSON has no hidden character, and holds every text as it is', async () => {
  const cwd = temporaryFolder(FILES)
  const name = evil('paint')
  for (const argv of [
    ['list'],
    ['match', 'paint walls'],
    ['show', name],
    ['validate', '--fix', '--dry-run'],
    ['validate', '--format', 'sarif'],
    ['test'],
    ['budget'],
    ['diff', 'skills', 'now'],
    ['pack', '--out', 'out'],
    ['report', '--learned', 'learned.json'],
  ]) {
    const { out, json } = await onTerminal(cwd, [
      ...argv,
      ...(argv.includes('sarif') ? [] : ['--json']),
    ])
    expect([argv, HIDDEN.exec(out)]).toEqual([argv, null])
    expect([argv, typeof json()]).toEqual([argv, 'object'])
  }
  const { skills } = (await onTerminal(cwd, ['list', '--json'])).json()
  expect(skills.map((one: { name: string }) => one.name)).toContain(name)
})

it('[BY-9] cases of triggers.yaml have the texts of the report', async () => {
  const cwd = temporaryFolder(FILES)
  const report = ['report', '--learned', 'learned.json']
  const { opened } = (await onTerminal(cwd, [...report, '--json'])).json()
  const { out } = await onTerminal(cwd, [...report, '--triggers'])
  expect(parse(out)).toEqual([{ message: opened[0].message, skill: evil('paint') }])
})

it('[BY-9] a file goes into a pipe as it is, and colors where they are forced', async () => {
  const cwd = temporaryFolder(FILES)
  await rename(
    join(cwd, 'skills/paint/references', `a${IN_PATH}.md`),
    join(cwd, 'skills/paint/a.md'),
  )
  await writeFile(join(cwd, 'skills/paint/SKILL.md'), skill('paint', 'Paints.'))
  expect((await cli(['show', 'paint', '--file', 'a.md'], { cwd })).out).toBe(EVIL)
  const { out } = await cli(['validate', 'now'], { cwd, env: { FORCE_COLOR: '1' } })
  expect(out).toContain('\u001b[31m1 error\u001b[39m')
})
