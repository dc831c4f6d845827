import { execFile, execFileSync } from 'node:child_process'
import { chmod, lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { hookCommand, isHookCommand } from '../../src/tools/cli/hook-command.js'
import { installHook, uninstallHook } from '../../src/tools/cli/hook-settings.js'
import type { Host, Shell } from '../../src/tools/hook/hosts/host.js'
import { HOSTS } from '../../src/tools/hook/hosts/hosts.js'
import { EVERYTHING } from '../samples.js'
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
  [
    'other settings',
    'gemini-cli',
    '.gemini/settings.json',
    '{\n\t"ui": {\n\t\t"theme": "dark"\n\t}\n}',
  ],
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
  expect(JSON.stringify(hooks)).toContain(`main.cjs' ${host}`)
  const { hooks: _hooks, ...same } = JSON.parse(before ?? '{}')
  expect(others).toEqual(host === 'copilot-cli' ? { version: 1 } : same)
  // What was there keeps its bytes: the text before is the text after without one part.
  if (before) {
    let start = 0
    while (before[start] === installed[start]) start++
    const rest = before.length - start
    expect(
      installed.endsWith(before.slice(start)) || installed.slice(-rest) === before.slice(-rest),
    ).toBe(true)
  }
  expect((await cli(['hook', 'install', host, '--yes'], { cwd: home, env })).out).toContain(
    'nothing to change',
  )
  expect(await read()).toBe(installed)
  expect((await cli(['hook', 'uninstall', host, '--yes'], { cwd: home, env })).code).toBe(0)
  expect(await read()).toBe(before)
})

it('[BY-25] install asks, and follows links', async () => {
  const home = temporaryFolder({ 'dotfiles/settings.json': '{}' })
  const env = { HOME: home }
  await mkdir(join(home, '.claude'))
  await symlink(join(home, 'dotfiles/settings.json'), join(home, '.claude/settings.json'))
  const answering = async (line: string) => {
    const stdin = new PassThrough()
    stdin.end(`${line}\n`)
    return cli(['hook', 'install', 'claude-code'], {
      cwd: home,
      env,
      streams: { stdin, stdout: new PassThrough() },
    })
  }
  expect(await answering('no')).toMatchObject({
    code: 1,
    out: expect.stringContaining('Nothing was changed'),
  })
  expect(await readFile(join(home, 'dotfiles/settings.json'), 'utf8')).toBe('{}')
  expect((await answering('y')).code).toBe(0)
  expect(await readFile(join(home, 'dotfiles/settings.json'), 'utf8')).toContain('UserPromptSubmit')
})

const NODE = '/usr/bin/node'
const MAIN = '/opt/lib/node_modules/skillshelf/dist/tools/hook/main.cjs'
const CURRENT = { node: NODE, script: MAIN, host: 'claude-code' }

it.each<[command: string, isOurs: boolean]>([
  // What this version and earlier ones write.
  [`'${NODE}' '${MAIN}' claude-code`, true],
  [`"${NODE}" "${MAIN}" claude-code`, true],
  [`"${NODE}" "${MAIN.replace('cjs', 'js')}" codex`, true],
  [`& "${NODE}" "${MAIN}" copilot-cli`, true],
  [
    `& 'C:\\Program Files\\nodejs\\node.exe' 'C:\\it''s\\skillshelf\\dist\\tools\\hook\\main.cjs' gemini-cli`,
    true,
  ],
  [`"C:\\nodejs\\node.exe" "C:\\100"^%"\\skillshelf\\dist\\tools\\hook\\main.cjs" codex`, true],
  [
    `/usr/bin/nodejs /home/me/.npm/_npx/1a/node_modules/skillshelf/dist/tools/hook/main.cjs claude-code`,
    true,
  ],
  [`node '/home/o'\\''hara/skillshelf/dist/tools/hook/main.cjs' claude-code `, true],
  // Commands of others, which mention it.
  ['echo tools/hook/main.cjs', false],
  [`my-wrapper --run ${MAIN}`, false],
  [`my-wrapper ${MAIN} claude-code`, false],
  [`/usr/bin/node ${MAIN}`, false],
  [`/usr/bin/node ${MAIN} claude-code --verbose`, false],
  [`/usr/bin/node --inspect ${MAIN} claude-code`, false],
  [`/usr/bin/node ${MAIN} other-host`, false],
  [`/usr/bin/node ${MAIN} toString`, false],
  [`/usr/bin/node ${MAIN} claude-code; rm -rf tmp`, false],
  [`/usr/bin/node ${MAIN} claude-code && date`, false],
  [`/usr/bin/node ${MAIN} claude-code | tee log`, false],
  [`/usr/bin/node ${MAIN} claude-code >log`, false],
  [`/usr/bin/node ${MAIN} claude-code # note`, false],
  [`/usr/bin/node ${MAIN} claude-code\ndate`, false],
  [`date\n/usr/bin/node ${MAIN} claude-code`, false],
  [`NODE_OPTIONS= /usr/bin/node ${MAIN} claude-code`, false],
  [`/usr/bin/node $(dirname x)/skillshelf/dist/tools/hook/main.cjs claude-code`, false],
  ['node /srv/acme/tools/hook/main.cjs claude-code', false],
  ['node /srv/acme/dist/tools/hook/main.cjs claude-code', false],
  [`node ${MAIN}.bak claude-code`, false],
  [`node ${MAIN}/../other.js claude-code`, false],
  [`node other.js ${MAIN} claude-code`, false],
  [`/usr/bin/node-exporter ${MAIN} claude-code`, false],
  [`/opt/not-node ${MAIN} claude-code`, false],
  [`'${NODE} ${MAIN} claude-code`, false],
  ['', false],
])('[BY-25] whether a command is the hook and nothing else: %s, %s', (command, isOurs) => {
  expect(isHookCommand(command, { ...CURRENT, script: '/elsewhere/main.cjs' })).toBe(isOurs)
})

it('[BY-25] the hook of a checkout is known by its package, whatever its folder is called', () => {
  const root = temporaryFolder({
    'mine/package.json': '{"name":"skillshelf"}',
    'theirs/package.json': '{"name":"x"}',
  })
  const isOurs = (folder: string) =>
    isHookCommand(`node '${join(root, folder)}/dist/tools/hook/main.cjs' codex`, {
      ...CURRENT,
      script: '/x',
    })
  expect(['mine', 'theirs', 'gone'].map(isOurs)).toEqual([true, false, false])
})

/** Names that mean something to a shell. Slashes are left out. */
const NAMES = [
  'plain',
  'two words',
  "o'hara",
  '$(touch ran)',
  '`touch ran`',
  '"; touch ran; "',
  "'; touch ran; '",
  '$HOME',
  '%PATH%',
  '!ran',
  'a\\',
  "a\\'; touch ran; '",
  '\\\\',
  'a\nb',
  '‘; touch ran; ’',
  '#*?[x]{a,b}~&|<>;()',
]

it.each(NAMES)('[BY-25] the command runs the hook in a folder with any name: %s', async name => {
  const root = temporaryFolder({
    [`${name}/main.cjs`]: 'process.stdout.write(__dirname + process.argv[2])',
  })
  const script = join(root, name, 'main.cjs')
  const program = { node: process.execPath, script, host: 'codex' }
  const command = hookCommand(program, 'posix')
  const cwd = temporaryFolder()
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command], { cwd })
  expect(stdout).toBe(`${join(root, name)}codex`)
  expect(await readFile(join(cwd, 'ran')).catch(() => 'nothing ran')).toBe('nothing ran')
  for (const shell of ['posix', 'powershell', 'cmd'] as const)
    expect([shell, isHookCommand(hookCommand(program, shell), program)]).toEqual([shell, true])
})

it.each<[shell: Shell, folder: string, quoted: string]>([
  ['powershell', `it's ‘$(x)’ "\`n`, `'it''s ‘‘$(x)’’ "\`n'`],
  ['cmd', 'C:\\50% of %PATH% & more', '"C:\\50"^%" of "^%"PATH"^%" & more"'],
  ['posix', "a\\b 'c' \\\\d\\", "'a\\b '\\''c'\\'' '\\\\'\\d'\\\\''"],
])('[BY-25] a path is quoted for %s', (shell, folder, quoted) => {
  expect(hookCommand({ node: 'node', script: folder, host: 'codex' }, shell)).toContain(
    ` ${quoted} codex`,
  )
})

it('[BY-25] each host on Windows gets the command for the shell that runs it', () => {
  const commands = Object.entries(HOSTS).map(([host, one]) => {
    const { text = '' } = change('install', undefined, { host, platform: 'win32' })
    const found = JSON.stringify(JSON.parse(text).hooks).match(
      /"(?:command|bash|powershell)":"(& )?\\?(.)/g,
    )
    return [one.title, found]
  })
  expect(Object.fromEntries(commands)).toEqual({
    'Claude Code': [`"command":"'`],
    Codex: ['"command":"\\"'],
    'Gemini CLI': [`"command":"& '`],
    'Copilot CLI': [`"bash":"'`, `"powershell":"& '`],
  })
})

type Action = 'install' | 'uninstall'
interface ChangeOptions {
  host?: string
  platform?: NodeJS.Platform
}

function change(
  action: Action,
  text: string | undefined,
  { host = 'claude-code', platform = 'linux' }: ChangeOptions = {},
) {
  const program = { ...CURRENT, host }
  const input = { file: 'f', text, isLinked: false, host: HOSTS[host] as Host, program, platform }
  return action === 'install' ? installHook(input) : uninstallHook(input)
}

const OURS = { type: 'command', command: `'${NODE}' '${MAIN}' claude-code`, timeout: 10 }
const OLD = {
  type: 'command',
  command: `"${NODE}" "/old/skillshelf/dist/tools/hook/main.js" claude-code`,
  timeout: 5,
}
const DATE = { type: 'command', command: 'date' }
const ECHO = { type: 'command', command: 'echo tools/hook/main.cjs' }
const inEvent = (...groups: unknown[]) => ({ hooks: { UserPromptSubmit: groups } })

describe('[BY-25] one command is changed, and what others wrote stays', () => {
  it.each<[name: string, before: unknown, installed: unknown, uninstalled: unknown]>([
    [
      'a group with other commands',
      inEvent({ matcher: 'x', hooks: [DATE, OLD, ECHO] }),
      inEvent({ matcher: 'x', hooks: [DATE, { ...OLD, command: OURS.command }, ECHO] }),
      inEvent({ matcher: 'x', hooks: [DATE, ECHO] }),
    ],
    [
      'a mention',
      inEvent({ hooks: [ECHO] }),
      inEvent({ hooks: [ECHO] }, { hooks: [OURS] }),
      inEvent({ hooks: [ECHO] }),
    ],
    [
      'the hook is there three times',
      inEvent({ hooks: [OLD] }, { hooks: [DATE, OLD] }, { hooks: [OURS] }),
      inEvent({ hooks: [{ ...OLD, command: OURS.command }] }, { hooks: [DATE] }),
      inEvent({ hooks: [DATE] }),
    ],
    [
      'an empty group of others',
      inEvent({ hooks: [] }, { hooks: [OURS] }),
      inEvent({ hooks: [] }, { hooks: [OURS] }),
      inEvent({ hooks: [] }),
    ],
    [
      'items of odd types',
      inEvent(
        null,
        1,
        'x',
        [],
        { hooks: null },
        { hooks: [null, 2, { command: 3 }, { type: 'prompt', command: OLD.command }] },
        OLD,
      ),
      inEvent(
        null,
        1,
        'x',
        [],
        { hooks: null },
        { hooks: [null, 2, { command: 3 }, { type: 'prompt', command: OLD.command }] },
        OLD,
        { hooks: [OURS] },
      ),
      inEvent(
        null,
        1,
        'x',
        [],
        { hooks: null },
        { hooks: [null, 2, { command: 3 }, { type: 'prompt', command: OLD.command }] },
        OLD,
      ),
    ],
    ['an empty list', inEvent(), inEvent({ hooks: [OURS] }), inEvent()],
    ['an empty object', { hooks: {} }, inEvent({ hooks: [OURS] }), { hooks: {} }],
    [
      'another event',
      { hooks: { Stop: [{ hooks: [OLD] }] } },
      { hooks: { Stop: [{ hooks: [OLD] }], UserPromptSubmit: [{ hooks: [OURS] }] } },
      { hooks: { Stop: [{ hooks: [OLD] }] } },
    ],
  ])('%s', (_, before, installed, uninstalled) => {
    for (const indent of [0, 2, 4, '\t']) {
      const text = JSON.stringify(before, undefined, indent)
      const now = change('install', text).text as string
      expect(JSON.parse(now)).toEqual(installed)
      expect(change('install', now).text).toBe(now)
      expect(JSON.parse(change('uninstall', now).text as string)).toEqual(uninstalled)
      expect(JSON.parse(change('uninstall', text).text as string)).toEqual(uninstalled)
    }
  })

  it('a setting of Copilot CLI loses our command only', () => {
    const setting = { type: 'command', bash: OLD.command, powershell: 'Get-Date' }
    const text = JSON.stringify({ version: 1, hooks: { userPromptSubmitted: [setting] } })
    const command = `'${NODE}' '${MAIN}' copilot-cli`
    const changed = (action: Action) =>
      JSON.parse(change(action, text, { host: 'copilot-cli' }).text as string).hooks
        .userPromptSubmitted
    expect(changed('install')).toEqual([{ ...setting, bash: command }])
    expect(changed('uninstall')).toEqual([{ type: 'command', powershell: 'Get-Date' }])
  })

  it('commands that name the hook and stay are named', async () => {
    const text = JSON.stringify(inEvent({ hooks: [ECHO, OLD, DATE] }))
    expect(change('uninstall', text).left).toEqual([ECHO.command])
    const home = temporaryFolder({
      '.claude/settings.json': JSON.stringify(inEvent({ hooks: [ECHO] })),
    })
    const { out } = await cli(['hook', 'uninstall', 'claude-code'], {
      cwd: home,
      env: { HOME: home },
    })
    expect(out).toContain('nothing to change')
    expect(out).toContain(ECHO.command)
  })

  // Comments, trailing commas, line ends and empty files, as text: `#` is where the hook is added.
  it.each<[name: string, before: string, installed: string, uninstalled?: string | undefined]>([
    ['a comment beside the last item', '{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  #\n}'],
    ['a trailing comma', '{\n  "a": 1, // one\n}', '{\n  "a": 1, // one\n  #,\n}'],
    [
      'a comment on a line of its own',
      '{\n  "a": 1\n  // end\n}',
      '{\n  "a": 1,\n  #\n  // end\n}',
    ],
    ['a comment in an empty object', '{ // mine\n}', '{ // mine\n  #\n}'],
    ['CRLF', '{\r\n\t"a": 1\r\n}\r\n', '{\r\n\t"a": 1,\r\n\t#\r\n}\r\n'],
    ['one line', '{"a":1,"b":[1,2]}', '{"a":1,"b":[1,2],\n  #}'],
    ['space after it', '{"a":1}  // end', '{"a":1,\n  #}  // end'],
    ['only a comment', '// mine', '// mine\n{\n  #\n}\n', '// mine\n{}\n'],
    ['nothing', ' \n', '{\n  #\n}\n', undefined],
  ])('%s', (_, before, installed, ...uninstalled) => {
    const now = change('install', before).text as string
    expect(now.replace(/"hooks": \{[\s\S]*?main\.cjs[\s\S]*?\][\s\S]*?\][\s\S]*?\}/, '#')).toBe(
      installed,
    )
    expect(parse(now, [], { allowTrailingComma: true })).toMatchObject(inEvent({ hooks: [OURS] }))
    expect(change('uninstall', now).text).toBe(uninstalled.length > 0 ? uninstalled[0] : before)
  })

  it('comments around a removed command stay', () => {
    const json = JSON.stringify(OLD)
    const text = `{ "hooks": { "UserPromptSubmit": [ // list
      { "hooks": [ /* first */ ${JSON.stringify(DATE)}, // date
        // the next one
        ${json} /* old */ , /* last */ ${JSON.stringify(ECHO)} ] }, // group
      // of skillshelf
      { "hooks": [${json}] } // end
      ] } }`
    const after = change('uninstall', text).text as string
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(after).toContain(comment)
    expect(parse(after)).toEqual(inEvent({ hooks: [DATE, ECHO] }))
    expect(
      parse(
        change(
          'uninstall',
          `[{"hooks":[// x\n${json}]}]`.replace(
            /.*/s,
            list => `{"hooks":{"UserPromptSubmit":${list}}}`,
          ),
        ).text as string,
      ),
    ).toEqual(inEvent())
  })
})

/** Prints a value as people write settings: with comments, trailing commas, and line ends of their system. */
function print(
  value: unknown,
  random: () => number,
  style: { comments: boolean; unit: string; lineEnd: string },
) {
  const comments: string[] = []
  const comment = (): string => {
    if (!style.comments || random() > 0.2) return ''
    const text = random() < 0.5 ? `/* ${comments.length}, ]} " */` : `// ${comments.length}, ]} "`
    comments.push(text)
    return text.startsWith('//') ? ` ${text}${style.lineEnd}` : ` ${text} `
  }
  const write = (one: unknown, depth: number): string => {
    if (typeof one !== 'object' || one === null) return JSON.stringify(one)
    const parts = Array.isArray(one)
      ? one.map(item => write(item, depth + 1))
      : Object.entries(one).map(
          ([key, item]) => `${JSON.stringify(key)}:${comment()}${write(item, depth + 1)}`,
        )
    const line = random() < 0.3 ? '' : style.lineEnd + style.unit.repeat(depth + 1)
    const items = parts.map(
      (part, index) =>
        `${line}${comment()}${part}${comment()}${index < parts.length - 1 || (style.comments && random() < 0.3) ? ',' : ''}${comment()}`,
    )
    const [open, close] = Array.isArray(one) ? '[]' : '{}'
    return `${open}${items.join('')}${parts.length > 0 ? line.replace(style.unit, '') : ''}${close}`
  }
  return { text: comment() + write(value, 0) + comment(), comments }
}

describe('[BY-25] every other value of generated settings is the same before and after', () => {
  const commands = [
    OURS.command,
    OLD.command,
    DATE.command,
    ECHO.command,
    `${OURS.command} && date`,
    `x ${OURS.command}`,
  ]
  const any = fc
    .jsonValue({ maxDepth: 2 })
    .filter(value => !JSON.stringify(value).includes('"__proto__"'))
  const command = fc.record(
    {
      type: fc.constant('command'),
      command: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...commands) },
        { weight: 1, arbitrary: any },
      ),
      timeout: fc.nat(),
      extra: any,
    },
    { requiredKeys: ['command'] },
  )
  const group = fc.record(
    {
      matcher: fc.string(),
      hooks: fc.array(fc.oneof({ weight: 8, arbitrary: command }, { weight: 1, arbitrary: any }), {
        maxLength: 4,
      }),
    },
    { requiredKeys: ['hooks'] },
  )
  const list = fc.array(fc.oneof({ weight: 8, arbitrary: group }, { weight: 1, arbitrary: any }), {
    maxLength: 4,
  })
  const events = fc.record(
    { Stop: list, UserPromptSubmit: list, PreToolUse: any },
    { requiredKeys: [] },
  )
  const settings = fc.record(
    {
      theme: any,
      permissions: fc.record({ deny: fc.array(fc.string()) }),
      hooks: events,
      'é\u2028"\\': any,
    },
    { requiredKeys: [] },
  )
  const style = fc.record({
    comments: fc.boolean(),
    unit: fc.constantFrom('', '  ', '    ', '\t'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
  })

  type Json = null | number | string | boolean | Json[] | { [key: string]: Json }
  const isOurs = (one: Json): boolean =>
    typeof one === 'object' &&
    one !== null &&
    !Array.isArray(one) &&
    (one['command'] === OURS.command || one['command'] === OLD.command)
  /** The settings without our commands and the groups that hold nothing else; a list and an object that are empty count as absent. */
  function withoutOurs(value: Json): Json {
    const { hooks, ...others } = structuredClone(value) as {
      hooks?: { UserPromptSubmit?: Json[]; [event: string]: Json | undefined }
    }
    if (!hooks) return others as Json
    const { UserPromptSubmit: groups = [], ...events } = hooks
    const kept = groups.flatMap(one => {
      if (
        typeof one !== 'object' ||
        one === null ||
        Array.isArray(one) ||
        !Array.isArray(one['hooks'])
      )
        return [one]
      const left = one['hooks'].filter(item => !isOurs(item))
      return left.length === 0 && one['hooks'].length > 0 ? [] : [{ ...one, hooks: left }]
    })
    const all = kept.length > 0 ? { ...events, UserPromptSubmit: kept } : events
    return (Object.keys(all).length > 0 ? { ...others, hooks: all } : others) as Json
  }
  const read = (text: string | undefined): Json => {
    const errors: never[] = []
    const value = parse(text ?? '{}', errors, { allowTrailingComma: true }) as Json
    expect([text, errors]).toEqual([text, []])
    return value
  }
  const ourCommands = (value: Json): number =>
    JSON.stringify(value).split(JSON.stringify(OURS.command)).length - 1

  it('install, uninstall, and one after the other', () => {
    fc.assert(
      fc.property(
        settings,
        style,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (value, form, stream) => {
          const { text, comments } = print(value, () => stream.next().value as number, form)
          const before = read(text)
          const installed = change('install', text).text
          expect(withoutOurs(read(installed))).toEqual(withoutOurs(before))
          const { hooks } = read(installed) as { hooks: { UserPromptSubmit: Json } }
          expect(ourCommands(hooks.UserPromptSubmit)).toBeGreaterThan(0)
          expect(change('install', installed).text).toBe(installed)
          for (const one of [text, installed]) {
            const removed = change('uninstall', one).text
            expect(withoutOurs(read(removed))).toEqual(withoutOurs(before))
            // No key is gone but those of collections that are empty.
            const now = JSON.stringify(read(removed) ?? {})
            expect(now.length).toBeGreaterThanOrEqual(JSON.stringify(withoutOurs(before)).length)
            expect(change('uninstall', removed).text).toBe(removed)
          }
          // Where the hook was not, every comment and every byte is as before.
          if (change('uninstall', text).text !== text) return
          for (const comment of comments) expect(installed).toContain(comment)
          for (const comment of comments)
            expect(change('uninstall', installed).text).toContain(comment)
        },
      ),
      { numRuns: EVERYTHING ? 5_000 : 40, seed: 46 },
    )
  })
})

describe('[BY-25] settings that are not changed', () => {
  const deep = `{"a":${'['.repeat(3_000)}${']'.repeat(3_000)}}`
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map(part => Buffer.from(part as string)))
  it.each<[name: string, content: string | Buffer, says: RegExp]>([
    ['no JSON', '{\n"a": 1,\n"b" 2}', /settings\.json is not JSON: colon expected in line 3/],
    ['two values', '{}\n{}', /is not JSON: .* in line 2/],
    ['bytes that are not UTF-8', bytes('{"a": "caf', [0xe9], '"}'), /is not UTF-8/],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), /is not UTF-8/],
    [
      '`hooks` twice',
      '{\n"hooks": {},\n"a": 1,\n"hooks": {}\n}',
      /"hooks" is there 2 times .* in line 2 and 4/,
    ],
    [
      'an escaped `hooks` too',
      '{"hooks": {}, "h\\u006foks": {}}',
      /"hooks" is there 2 times .* in line 1/,
    ],
    [
      'the event twice',
      '{"hooks": {"UserPromptSubmit": [],\n "UserPromptSubmit": []}}',
      /"UserPromptSubmit" is there 2 times/,
    ],
    [
      'our command twice',
      JSON.stringify(inEvent({ hooks: [OURS] })).replace(
        '"command":',
        '"command":"date","command":',
      ),
      /"command" is there 2 times/,
    ],
    [
      'our group with two lists',
      JSON.stringify(inEvent({ hooks: [OURS] })).replace('[{"hooks"', '[{"hooks":[],"hooks"'),
      /"hooks" is there 2 times/,
    ],
    ['3,000 nested lists', deep, /nested more than 1000 levels deep in line 1/],
    ['100,000 nested lists', '['.repeat(100_000), /nested more than 1000 levels/],
    ['a list', '[]', /The root in line 1 .* is not an object/],
    ['null', '{\n"hooks": null}', /"hooks" in line 2 .* is not an object/],
    ['a list of events', '{"hooks": []}', /"hooks" .* is not an object/],
    [
      'an object for a list',
      '{"hooks": {"UserPromptSubmit": {}}}',
      /"hooks.UserPromptSubmit" .* is not a list/,
    ],
    [
      'our command 101 times',
      JSON.stringify(inEvent(...Array(101).fill({ hooks: [OURS] }))),
      /has the hook more than 100 times/,
    ],
    ['more than 4 MB', Buffer.alloc(4_000_001, 32), /too large/],
  ])('%s', async (_, content, says) => {
    const home = temporaryFolder({ '.claude/settings.json': content })
    const file = join(home, '.claude/settings.json')
    for (const action of ['install', 'uninstall']) {
      const { code, err, out } = await cli(['hook', action, 'claude-code', '--yes'], {
        cwd: home,
        env: { HOME: home },
      })
      expect([code, out]).toEqual([2, ''])
      expect(err).toMatch(says)
      expect(err).toContain('\n  ')
      expect(Buffer.from(content as string).equals(await readFile(file))).toBe(true)
    }
  })

  it.each<[name: string, make: (file: string) => unknown, says: RegExp]>([
    ['a folder', file => mkdir(file), /is a folder/],
    ['a pipe', file => execFileSync('mkfifo', [file]), /is not a regular file/],
    ['a link to a device', file => symlink('/dev/zero', file), /zero is not a regular file/],
    [
      'a link to nothing',
      file => symlink('gone.json', file),
      /is a link to gone\.json, where there is nothing/,
    ],
    ['a link to itself', file => symlink('settings.json', file), /too many symbolic links/],
    [
      'a file without permission to write',
      file => writeFile(file, '{}', { mode: 0o444 }),
      /is read-only/,
    ],
  ])('%s', async (_, make, says) => {
    const home = temporaryFolder({ '.claude/x': '' })
    const file = join(home, '.claude/settings.json')
    await make(file)
    const before = await lstat(file)
    const { code, err } = await cli(['hook', 'install', 'claude-code', '--yes'], {
      cwd: home,
      env: { HOME: home },
    })
    expect([code, err]).toEqual([2, expect.stringMatching(says)])
    const after = await lstat(file)
    expect([after.ino, after.mode, after.mtimeMs]).toEqual([
      before.ino,
      before.mode,
      before.mtimeMs,
    ])
  })

  it('a byte order mark and the mode of the file stay', async () => {
    const home = temporaryFolder({ '.claude/settings.json': '\ufeff{"a": 1}' })
    const file = join(home, '.claude/settings.json')
    await chmod(file, 0o600)
    const env = { HOME: home }
    expect((await cli(['hook', 'install', 'claude-code', '--yes'], { cwd: home, env })).code).toBe(
      0,
    )
    expect(await readFile(file, 'utf8')).toMatch(/^\ufeff\{"a": 1,\n/)
    expect((await lstat(file)).mode & 0o777).toBe(0o600)
    expect(
      (await cli(['hook', 'uninstall', 'claude-code', '--yes'], { cwd: home, env })).code,
    ).toBe(0)
    expect(await readFile(file, 'utf8')).toBe('\ufeff{"a": 1}')
  })

  it.each<
    [
      name: string,
      edit: (file: string) => Promise<unknown>,
      after: string | undefined,
      before?: string,
    ]
  >([
    [
      'a rule is added',
      file => writeFile(file, '{"permissions":{"deny":["Read(.env)"]}}'),
      '{"permissions":{"deny":["Read(.env)"]}}',
    ],
    ['the file is removed', file => rm(file), undefined],
    ['the file appears', file => writeFile(file, '{"a":1}'), '{"a":1}', ''],
    ['a link takes its place', file => rm(file).then(() => symlink('../other.json', file)), '{}'],
  ])('an edit while it asks: %s', async (_, edit, after, before = '{}') => {
    const files = before === '' ? { '.claude/x': '' } : { '.claude/settings.json': before }
    const home = temporaryFolder({ ...files, 'other.json': '{}' })
    const file = join(home, '.claude/settings.json')
    const stdin = new PassThrough()
    let edited: Promise<unknown> | undefined
    const streams = { stdin, stdout: new PassThrough() }
    const { code, err } = await cli(['hook', 'install', 'claude-code'], {
      cwd: home,
      env: { HOME: home },
      streams,
      stdout: text => {
        if (text.includes('[y/N]')) edited ??= edit(file).then(() => stdin.end('y\n'))
      },
    })
    await edited
    expect([code, err]).toEqual([2, expect.stringContaining('was changed by another program')])
    expect(await readFile(file, 'utf8').catch(() => undefined)).toBe(after)
  })

  it('a link whose file is emptied leads somewhere still', async () => {
    const home = temporaryFolder({ 'dotfiles/settings.json': '{}\n', '.claude/x': '' })
    await symlink('../dotfiles/settings.json', join(home, '.claude/settings.json'))
    for (const action of ['install', 'uninstall', 'install'])
      expect(
        (await cli(['hook', action, 'claude-code', '--yes'], { cwd: home, env: { HOME: home } }))
          .code,
      ).toBe(0)
    expect((await lstat(join(home, '.claude/settings.json'))).isSymbolicLink()).toBe(true)
  })
})
