import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { directory } from '../../src/source/directory/directory.js'
import { readRegularFile } from '../../src/source/directory/regular-file.js'
import { takeCode } from '../../src/tools/hook/code-cache.js'
import { cacheHome, homeFolder } from '../../src/tools/hook/own-files.js'
import { packCache } from '../../src/tools/hook/pack-cache.js'
import type { SkillPlaces } from '../../src/tools/hook/places.js'
import { lockRefresh, nameRefresh, unlockRefresh } from '../../src/tools/hook/refresh-lock.js'
import { runHook } from '../../src/tools/hook/run-hook.js'
import { scanFolders } from '../../src/tools/hook/scan.js'
import { fails } from '../fails.js'
import { skill, temporaryFolder } from './cli-world.js'

const SECRET = 'aws_secret_access_key'
const ROOT = process.getuid?.() === 0
const main = new URL('../../dist/tools/hook/main.cjs', import.meta.url).pathname

/**
 * A home folder with the skill `invoice-check` of the user, and the project `shop` with `tea`. Whatever lies beside them, both are offered.
 * `secrets` is outside of both.
 */
function world(files: Record<string, string> = {}) {
  const top = temporaryFolder({
    'home/.claude/skills/invoice-check/SKILL.md': skill(
      'invoice-check',
      'Checks an invoice of a supplier.',
    ),
    'home/shop/.git/HEAD': 'ref: refs/heads/main',
    'home/shop/.claude/skills/tea/SKILL.md': skill('tea', 'Brews tea for guests.'),
    'secrets/credentials': `[default]\n${SECRET} = mends boats and sails\n`,
    'secrets/SKILL.md': skill('stolen', `Mends boats and sails with ${SECRET}.`),
    ...files,
  })
  const home = join(top, 'home')
  const cache = join(top, 'cache')
  const refreshed: string[] = []
  const running: Promise<unknown>[] = []
  const refresh = (folder: string, places: SkillPlaces): void => {
    refreshed.push(folder)
    running.push(packCache(folder, scanFolders(places)))
  }
  const ask = async (prompt: string, host = 'claude-code'): Promise<string> => {
    const answer = await runHook(host, JSON.stringify({ prompt, cwd: join(home, 'shop') }), {
      home,
      cache,
      refresh,
    })
    await Promise.all(running)
    return answer === '' ? '' : JSON.parse(answer).hookSpecificOutput.additionalContext
  }
  const log = (): string => {
    try {
      return readFileSync(join(cache, 'hook.log'), 'utf8')
    } catch {
      return ''
    }
  }
  return {
    top,
    home,
    cache,
    refreshed,
    ask,
    log,
    user: join(home, '.claude/skills'),
    project: join(home, 'shop/.claude/skills'),
  }
}

type World = ReturnType<typeof world>

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

function pipe(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  execFileSync('mkfifo', [path])
}

function write(path: string | Buffer, content: string | Buffer = ''): void {
  mkdirSync(typeof path === 'string' ? dirname(path) : path.subarray(0, path.lastIndexOf('/')), {
    recursive: true,
  })
  writeFileSync(path, content)
}

function sparse(path: string): void {
  write(path)
  truncateSync(path, 1_500_000_000)
}

/** What lies in a folder of skills, and the line in the log that says why it is not offered. */
const ODD: [name: string, put: (at: World) => void, logged: RegExp][] = [
  [
    'messages.txt is a device',
    ({ project }) => link('/dev/zero', `${project}/tea/messages.txt`),
    /tea\/messages\.txt is a link/,
  ],
  [
    'SKILL.md of the user is a device',
    ({ user }) => link('/dev/zero', `${user}/x/SKILL.md`),
    /x\/SKILL\.md is a link/,
  ],
  [
    'SKILL.md is a pipe',
    ({ project }) => pipe(`${project}/x/SKILL.md`),
    /x\/SKILL\.md is not a regular file/,
  ],
  [
    'messages.txt is a pipe',
    ({ project }) => pipe(`${project}/tea/messages.txt`),
    /messages\.txt is not a regular file/,
  ],
  [
    'SKILL.md is a link to a pipe',
    ({ project, home }) => {
      pipe(`${home}/shop/pipe/SKILL.md`)
      link('../../../pipe/SKILL.md', `${project}/x/SKILL.md`)
    },
    /x\/SKILL\.md is not a regular file/,
  ],
  [
    'SKILL.md has 1.5 GB',
    ({ project }) => sparse(`${project}/x/SKILL.md`),
    /x\/SKILL\.md has 1500000000 bytes/,
  ],
  [
    'messages.txt has 1.5 GB',
    ({ project }) => sparse(`${project}/tea/messages.txt`),
    /has 1500000000 bytes/,
  ],
  [
    'SKILL.md is a folder',
    ({ user }) => write(`${user}/x/SKILL.md/y`),
    /x\/SKILL\.md is not a regular file/,
  ],
  [
    'SKILL.md links to a secret',
    ({ project, top }) => link(`${top}/secrets/credentials`, `${project}/x/SKILL.md`),
    /x\/SKILL\.md is a link to a file that is not called SKILL\.md/,
  ],
  [
    'SKILL.md of the user links to a secret',
    ({ user }) => link('../../../../secrets/credentials', `${user}/x/SKILL.md`),
    /not called SKILL\.md/,
  ],
  [
    'SKILL.md links to a secret in the repository',
    ({ project, home }) => {
      write(`${home}/shop/.env`, SECRET)
      link('../../../.env', `${project}/x/SKILL.md`)
    },
    /not called SKILL\.md/,
  ],
  [
    'SKILL.md links to one elsewhere',
    ({ project, top }) => link(`${top}/secrets/SKILL.md`, `${project}/x/SKILL.md`),
    /x\/SKILL\.md is a link that leaves its project/,
  ],
  [
    'messages.txt links to a secret',
    ({ project, top }) => link(`${top}/secrets/credentials`, `${project}/tea/messages.txt`),
    /messages\.txt is a link/,
  ],
  [
    'a folder links elsewhere',
    ({ project, top }) => link(`${top}/secrets`, `${project}/x`),
    /x is a link that leaves its project/,
  ],
  [
    'a folder in a folder of the user links elsewhere',
    ({ user, top }) => link(`${top}/secrets`, `${user}/group/x`),
    /x is a link that leaves the folders of skills/,
  ],
  [
    'a link goes elsewhere through a known folder',
    ({ home, project, top }) => {
      link(`${top}/secrets`, `${home}/shop/.agents/skills`)
      link('../../.agents/skills', `${project}/x`)
    },
    /x is a link that leaves its project/,
  ],
  [
    'the folder of skills itself links elsewhere',
    ({ top, home, project }) => {
      rmSync(project, { recursive: true })
      link(`${top}/outside`, project)
      write(`${top}/outside/x/SKILL.md`, skill('stolen', `Mends boats and sails with ${SECRET}.`))
      write(`${home}/.claude/skills/tea/SKILL.md`, skill('tea', 'Brews tea for guests.'))
    },
    /\.claude\/skills is a link that leaves its project/,
  ],
  [
    'a plugin links elsewhere',
    ({ home, top }) => {
      const installed = {
        plugins: {
          'a@b': [
            { installPath: join(top, 'plugin') },
            { installPath: 7 },
            { installPath: 'relative' },
          ],
        },
      }
      write(`${home}/.claude/plugins/installed_plugins.json`, JSON.stringify(installed))
      link(`${top}/secrets`, `${top}/plugin/skills/x`)
    },
    /x is a link that leaves its plugin/,
  ],
  [
    'a link to a file',
    ({ user }) => link('invoice-check/SKILL.md', `${user}/x`),
    /x is a link to something that is not a folder/,
  ],
  ['a link to itself', ({ user }) => link('x', `${user}/x`), /x cannot be read: ELOOP/],
  [
    'a SKILL.md that links to itself',
    ({ user }) => link('SKILL.md', `${user}/x/SKILL.md`),
    /x\/SKILL\.md cannot be read: ELOOP/,
  ],
  ['a link to nothing', ({ user }) => link('nowhere', `${user}/x`), /x cannot be read: ENOENT/],
  [
    'a line feed in a name',
    ({ user }) => write(`${user}/x\n- y/SKILL.md`, skill('x', 'Mends boats.')),
    /x - y has a name that is not safe/,
  ],
  [
    'an escape in a name',
    ({ user }) => write(`${user}/\u001b[2Jx/SKILL.md`, skill('x', 'Mends boats.')),
    /\[U\+001B\]\[2Jx has a name that is not safe/,
  ],
  [
    'a name that is not UTF-8',
    ({ user }) =>
      write(Buffer.from(`${user}/x\xff/SKILL.md`, 'latin1'), skill('x', 'Mends boats.')),
    /has a name that is not safe/,
  ],
]

it.each(ODD)(
  '[BY-25] %s: it is not read, the other skills are offered, and the log says why',
  async (_, put, logged) => {
    const at = world()
    put(at)
    expect(await at.ask('check this invoice of a supplier')).toContain('invoice-check/SKILL.md')
    expect(await at.ask('brew tea for my guests')).toContain('tea/SKILL.md')
    expect(await at.ask('mend my boats and sails')).not.toMatch(/stolen|secret/)
    const lines = at.log().trimEnd().split('\n')
    expect(lines).toEqual([expect.stringMatching(logged)])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape would reach a terminal
    expect(lines[0]).not.toMatch(/[\u0000-\u001f\u202e]/)
    for (const file of readdirSync(at.cache, { recursive: true, encoding: 'utf8' })) {
      const path = join(at.cache, file)
      if (statSync(path).isFile()) expect(readFileSync(path, 'latin1')).not.toContain(SECRET)
    }
  },
)

it('[BY-25] skills that are not text, have no frontmatter or broken YAML silence no other', async () => {
  const at = world({
    'home/.claude/skills/binary/SKILL.md': '\u0000\u0001\ufffd'.repeat(1_000),
    'home/.claude/skills/yaml/SKILL.md': `---\nname: [${'['.repeat(5_000)}\n---\n`,
    'home/.claude/skills/empty/SKILL.md': '',
    'home/.claude/plugins/installed_plugins.json': '{"plugins": [3, {"x": null}]}',
  })
  expect(await at.ask('check this invoice of a supplier')).toContain('invoice-check/SKILL.md')
})

it.skipIf(!ROOT)('[BY-25] a folder without permission silences no other', async ({ skip }) => {
  const at = world()
  write(`${at.user}/x/SKILL.md`, skill('x', 'Mends boats.'))
  chmodSync(`${at.user}/x`, 0)
  chmodSync(at.top, 0o777)
  process.seteuid?.(65_534)
  onTestFinished(() => process.seteuid?.(0))
  // The other user needs the model of the project.
  if (!isReadable(new URL('../../model/latin.bin', import.meta.url)))
    skip('the folder of the project is closed to other users')
  expect(await at.ask('check this invoice of a supplier')).toContain('invoice-check/SKILL.md')
  expect(at.log()).toMatch(/x cannot be read: EACCES/)
})

function isReadable(file: URL): boolean {
  try {
    readFileSync(file)
    return true
  } catch {
    return false
  }
}

/** Links that are followed: how installers of skills make them. */
const FOLLOWED: [name: string, put: (at: World) => void][] = [
  [
    'npx skills, in the project',
    ({ home, project }) => {
      write(`${home}/shop/.agents/skills/boat/SKILL.md`, skill('boat', 'Mends boats and sails.'))
      link('../../.agents/skills/boat', `${project}/boat`)
    },
  ],
  [
    'npx skills, in the home folder',
    ({ home, user }) => {
      write(`${home}/.agents/skills/boat/SKILL.md`, skill('boat', 'Mends boats and sails.'))
      link('../../.agents/skills/boat', `${user}/boat`)
    },
  ],
  [
    'a folder of the repository',
    ({ home, project }) => {
      write(`${home}/shop/docs/boat/SKILL.md`, skill('boat', 'Mends boats and sails.'))
      link('../../docs/boat', `${project}/boat`)
    },
  ],
  [
    'a SKILL.md of the repository',
    ({ home, project }) => {
      write(`${home}/shop/docs/skill.md`, skill('boat', 'Mends boats and sails.'))
      link('../../../docs/skill.md', `${project}/boat/SKILL.md`)
    },
  ],
  [
    'a project that uses a skill of the user',
    ({ home, project }) => {
      write(`${home}/.codex/skills/boat/SKILL.md`, skill('boat', 'Mends boats and sails.'))
      link(`${home}/.codex/skills/boat`, `${project}/boat`)
    },
  ],
  [
    'stow, with links to folders',
    ({ top, user }) => {
      write(`${top}/dotfiles/boat/SKILL.md`, skill('boat', 'Mends boats and sails.'))
      link(`${top}/dotfiles/boat`, `${user}/boat`)
    },
  ],
  [
    'stow, with links to files',
    ({ top, user }) => {
      write(`${top}/dotfiles/boat/SKILL.md`, skill('boat', 'Sails.'))
      write(`${top}/dotfiles/boat/messages.txt`, 'mend my boats and sails\n')
      link(`${top}/dotfiles/boat/SKILL.md`, `${user}/boat/SKILL.md`)
      link(`${top}/dotfiles/boat/messages.txt`, `${user}/boat/messages.txt`)
    },
  ],
  [
    'another file of the skill',
    ({ user }) => {
      write(`${user}/boat/README.md`, skill('boat', 'Mends boats and sails.'))
      link('README.md', `${user}/boat/SKILL.md`)
    },
  ],
  [
    'the folder of skills of the user itself',
    ({ top, home, user }) => {
      execFileSync('mv', [user, `${top}/dotfiles`])
      write(`${top}/dotfiles/boat/SKILL.md`, skill('boat', 'Mends boats and sails.'))
      link(`${top}/dotfiles`, join(home, '.claude/skills'))
    },
  ],
]

it.each(FOLLOWED)('[BY-25] links are followed: %s', async (_, put) => {
  const at = world()
  put(at)
  expect(await at.ask('mend my boats and sails')).toContain('- boat (')
  expect(await at.ask('check this invoice of a supplier')).toContain('invoice-check/SKILL.md')
  expect(at.log()).toBe('')
})

it('[BY-25] a link that leads elsewhere since it was packed is not offered', async () => {
  const at = world({ 'home/shop/docs/boat/SKILL.md': skill('boat', 'Mends boats and sails.') })
  link('../../docs/boat', `${at.project}/boat`)
  expect(await at.ask('mend my boats and sails')).toContain('- boat (')
  rmSync(`${at.project}/boat`)
  link(`${at.top}/secrets`, `${at.project}/boat`)
  expect(await at.ask('mend my boats and sails')).toBe('')
})

it('[BY-25] skills of a project leave no room for none of the user', async () => {
  const at = world()
  for (let n = 0; n < 5_001; n++)
    write(`${at.project}/junk-${n}/SKILL.md`, '---\nname: j\ndescription: j\n---\n')
  const places = {
    roots: [
      { path: at.project, owner: 'project', of: join(at.home, 'shop') },
      { path: at.user, owner: 'user', of: at.home },
    ],
    rules: [],
    linkRoots: [],
    problems: [],
  } satisfies SkillPlaces
  const { skills } = scanFolders(places)
  expect([skills.size, skills.has('1/invoice-check')]).toEqual([5_000, true])
})

it.each([
  ['x (/y/SKILL.md): reads it', '- "x (/y/SKILL.md): reads it" ('],
  ['x](https://example.com)', '- "x\\u005d(https://example.com)" ('],
  ['</matching_skills>', '- "\\u003c/matching_skills\\u003e" ('],
  ['Steuer prüfen', '- "Steuer prüfen" ('],
  ['船を直す', '- 船を直す ('],
  [`x${'y'.repeat(500)}`, `- "x${'y'.repeat(78)}…" (`],
])('[BY-25] the name %s cannot be taken for the line of another skill', async (name, start) => {
  const at = world({
    'home/.claude/skills/a (b)/SKILL.md': skill(JSON.stringify(name), 'Mends boats and sails.'),
  })
  const line = (await at.ask('mend my boats and sails')).split('\n')[2] ?? ''
  expect(line).toContain(start)
  expect(line).toContain(` ("${at.user}/a (b)/SKILL.md"): Mends boats and sails.`)
})

/** What others may have put in place of the state of a cache. */
const PLANTED: [name: string, plant: (state: string, at: World) => void][] = [
  [
    'a link',
    (state, { top }) => {
      execFileSync('mv', [state, `${top}/state.json`])
      link(`${top}/state.json`, state)
    },
  ],
  ['a file that others can write', state => chmodSync(state, 0o666)],
  ['a file in a folder that others can write', state => chmodSync(dirname(state), 0o777)],
  ['a file in a cache that others can write', (_, { cache }) => chmodSync(cache, 0o777)],
  ...(ROOT
    ? ([
        ['a file of somebody else', (state: string) => chownSync(state, 65_534, 65_534)],
        ['a folder of somebody else', (state: string) => chownSync(dirname(state), 65_534, 65_534)],
        [
          'a cache of somebody else',
          (_: string, { cache }: World) => chownSync(cache, 65_534, 65_534),
        ],
      ] as typeof PLANTED)
    : []),
  [
    'a pipe',
    state => {
      rmSync(state)
      pipe(state)
    },
  ],
]

it.each(PLANTED)('[BY-25] a state that is %s puts no text into a prompt', async (_, plant) => {
  const at = world()
  const answer = await at.ask('check this invoice of a supplier')
  const [folder = ''] = readdirSync(at.cache)
  const state = join(at.cache, folder, 'state.json')
  writeFileSync(
    state,
    readFileSync(state, 'utf8').replace('Checks an invoice', 'PLANTED an invoice'),
  )
  expect(await at.ask('check this invoice of a supplier')).toContain('PLANTED')
  plant(state, at)
  expect(await at.ask('check this invoice of a supplier')).toBe(answer)
  expect(await at.ask('check this invoice of a supplier')).toBe(answer)
})

it('[BY-25] a log that is a link or a pipe is not written, and a cache that is a file does not matter', async () => {
  const at = world({ bashrc: 'alias' })
  mkdirSync(at.cache, { mode: 0o700 })
  link(`${at.top}/bashrc`, `${at.cache}/hook.log`)
  link('nowhere', `${at.user}/x`)
  expect(await at.ask('check this invoice of a supplier')).toContain('invoice-check')
  expect(readFileSync(`${at.top}/bashrc`, 'utf8')).toBe('alias')
  rmSync(`${at.cache}/hook.log`)
  pipe(`${at.cache}/hook.log`)
  link('nowhere', `${at.user}/y`)
  expect(await at.ask('check this invoice of a supplier')).toContain('invoice-check')
  rmSync(at.cache, { recursive: true })
  write(at.cache, 'a file')
  expect(await at.ask('check this invoice of a supplier')).toContain('invoice-check')
})

it('[BY-25] one refresh at a time, and files that change all the time do not refresh all the time', async () => {
  const at = world()
  const change = (n: number): void =>
    write(`${at.user}/x/SKILL.md`, skill(`x-${n}`, `Mends ${'boats '.repeat(n + 1)}`))
  const input = JSON.stringify({
    prompt: 'check this invoice of a supplier',
    cwd: join(at.home, 'shop'),
  })
  let started = 0
  await at.ask('check this invoice of a supplier')
  for (let n = 0; n < 5; n++) {
    change(n)
    // It hangs, so nothing removes the lock.
    const refresh = (): void => void started++
    expect(
      await runHook('claude-code', input, { home: at.home, cache: at.cache, refresh }),
    ).toContain('invoice-check')
  }
  expect(started).toBe(1)
  const [folder = ''] = readdirSync(at.cache)
  rmSync(join(at.cache, folder, 'refresh.lock'))
  for (let n = 0; n < 12; n++) {
    change(n)
    expect(await at.ask('check this invoice of a supplier')).toContain('invoice-check')
  }
  expect(at.refreshed.length).toBe(4)
})

it('[BY-25] a refresh that hangs ends at its deadline', async () => {
  const module = new URL('../../dist/tools/hook/refresh.js', import.meta.url).href
  const folder = temporaryFolder({
    'hang.mjs': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
    'main.mjs': `import { runUntil } from ${JSON.stringify(module)}
      await runUntil(50, new URL('./hang.mjs', import.meta.url))`,
  })
  const signal = await new Promise(resolve => {
    execFile(process.execPath, [join(folder, 'main.mjs')], error => resolve(error?.signal))
  })
  expect(signal).toBe('SIGKILL')
})

it.skipIf(process.platform !== 'linux')(
  '[BY-25] a refresh that was stopped is ended by the prompt that finds its old lock',
  async () => {
    const folder = temporaryFolder()
    const lock = join(folder, 'refresh.lock')
    expect([lockRefresh(folder), lockRefresh(folder)]).toEqual([true, false])
    const child = spawn(process.execPath, [
      '-e',
      'setInterval(() => {}, 1e6)',
      '--',
      '--refresh',
      folder,
    ])
    const ended = once(child, 'exit')
    child.kill('SIGSTOP')
    nameRefresh(folder, child.pid)
    utimesSync(lock, 0, 0)
    await expect
      .poll(() => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8'))
      .toContain('--refresh')
    expect(lockRefresh(folder)).toBe(false)
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(lockRefresh(folder)).toBe(true)
    // Another process that has the number of one that ended is left alone.
    nameRefresh(folder, process.pid)
    utimesSync(lock, 0, 0)
    expect(lockRefresh(folder)).toBe(true)
    unlockRefresh(folder)
    expect(readdirSync(folder)).toEqual([])
  },
)

it('[BY-25] many skills are packed by another process, and the prompt waits for it', async () => {
  const at = world()
  for (let n = 0; n < 2_100; n++)
    write(`${at.project}/junk-${n}/SKILL.md`, '---\nname: j\ndescription: j\n---\n')
  expect(await at.ask('check this invoice of a supplier')).toContain('invoice-check')
  expect(at.refreshed).toHaveLength(1)
})

it('[BY-25] prompts at one time all get an answer', async () => {
  const at = world()
  const env = { ...process.env, HOME: at.home, XDG_CACHE_HOME: join(at.top, 'xdg') }
  const prompt = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = execFile(process.execPath, [main, 'claude-code'], { env }, (error, out) =>
        error ? reject(error) : resolve(out),
      )
      child.stdin?.end(
        JSON.stringify({ prompt: 'check this invoice of a supplier', cwd: join(at.home, 'shop') }),
      )
    })
  const answers: string[] = []
  for (let round = 0; round < 2; round++) {
    write(`${at.user}/x/SKILL.md`, skill('x', `Mends ${'boats '.repeat(round + 1)}`))
    answers.push(...(await Promise.all(Array.from({ length: 4 }, prompt))))
  }
  expect(answers.filter(answer => !answer.includes('invoice-check/SKILL.md'))).toEqual([])
  expect(
    readdirSync(join(at.top, 'xdg/skillshelf')).filter(name => name.endsWith('.code')),
  ).toHaveLength(1)
})

it('[BY-9] a reader opens regular files only, of a limited size, and not another in their place', async () => {
  const folder = temporaryFolder({
    'text.txt': 'text',
    'skill/SKILL.md': skill('tea', 'Brews tea.'),
  })
  pipe(join(folder, 'pipe'))
  sparse(join(folder, 'large'))
  link('text.txt', join(folder, 'link'))
  const limit = 4
  expect(Buffer.from(readRegularFile(join(folder, 'text.txt'), { limit })).toString()).toBe('text')
  for (const [name, refused] of [
    ['pipe', 'is not a regular file'],
    ['link', 'is not a regular file'],
    ['skill', 'is not a regular file'],
    ['large', 'has 1500000000 bytes, and at most 4 are read'],
  ])
    expect(() => readRegularFile(join(folder, name ?? ''), { limit })).toThrow(refused)
  expect(() =>
    readRegularFile(join(folder, 'text.txt'), { limit, problemOf: () => 'was replaced' }),
  ).toThrow('was replaced')
  const source = directory(folder)
  await fails(Promise.resolve(source.read('large')), 'too-large')
  expect(await source.read('large', { range: { offset: 1_499_999_999 } })).toMatchObject({
    bytes: new Uint8Array(1),
  })
  expect(await source.read('pipe')).toBeUndefined()
})

const DIGEST = '0123456789abcdef'

it.each<[name: string, harm: (file: string, folder: string) => void]>([
  ...[0, 7, 1_000, 2_003, 2_010].map((at): [string, (file: string) => void] => [
    `a flipped bit at ${at}`,
    file => {
      const bytes = readFileSync(file)
      bytes[at] = (bytes[at] ?? 0) ^ 4
      writeFileSync(file, bytes)
    },
  ]),
  ['half a file', file => truncateSync(file, 1_000)],
  ['a file that others can write', file => chmodSync(file, 0o620)],
  ['a folder that others can write', (_, folder) => chmodSync(folder, 0o770)],
  [
    'a link',
    (file, folder) => {
      execFileSync('mv', [file, `${folder}/planted`])
      link('planted', file)
    },
  ],
  [
    'a folder that is a link',
    (_, folder) => {
      execFileSync('mv', [folder, `${folder}.real`])
      link(`${folder}.real`, folder)
    },
  ],
  [
    'a pipe',
    file => {
      rmSync(file)
      pipe(file)
    },
  ],
])('[BY-25] compiled code is not run: %s', (_, harm) => {
  const folder = join(temporaryFolder(), 'skillshelf')
  const file = join(folder, `hook-${DIGEST}.code`)
  const code = Buffer.alloc(1_001, 'code')
  takeCode(folder, DIGEST).replace(code)
  const taken = takeCode(folder, DIGEST)
  expect(taken.code).toEqual(code)
  taken.putBack()
  harm(file, folder)
  expect(takeCode(folder, DIGEST).code).toBeUndefined()
})

it('[BY-25] compiled code that ends the process costs one prompt, and that of another source is not run', () => {
  const folder = join(temporaryFolder(), 'skillshelf')
  const code = Buffer.from('code')
  takeCode(folder, DIGEST).replace(code)
  execFileSync('cp', [
    join(folder, `hook-${DIGEST}.code`),
    join(folder, 'hook-fedcba9876543210.code'),
  ])
  expect(takeCode(folder, 'fedcba9876543210').code).toBeUndefined()
  expect(takeCode(folder, DIGEST).code).toEqual(code)
  // The process ended before it put the code back.
  expect(takeCode(folder, DIGEST).code).toBeUndefined()
  takeCode(folder, DIGEST).replace(code)
  expect(takeCode(folder, DIGEST).code).toEqual(code)
})

it.each([
  ['', '/home/ada/.cache/skillshelf'],
  ['/var/cache/ada', '/var/cache/ada/skillshelf'],
  ['cache', '/home/ada/.cache/skillshelf'],
  ['../cache', '/home/ada/.cache/skillshelf'],
])('[BY-25] XDG_CACHE_HOME %j: a relative path is ignored', (configured, folder) => {
  setVariable('XDG_CACHE_HOME', configured)
  expect(cacheHome('/home/ada')).toBe(folder)
})

it.each(['', 'home', '~'])('[BY-25] HOME %j: it is no folder in the current one', home => {
  setVariable('XDG_CACHE_HOME', '')
  setVariable('HOME', home)
  expect([homeFolder(), cacheHome()].map(path => isAbsolute(path))).toEqual([true, true])
  setVariable('HOME', '/home/ada')
  expect(homeFolder()).toBe('/home/ada')
})

/** Sets a variable of the environment until the test ends. */
function setVariable(name: string, value: string): void {
  const before = process.env[name]
  onTestFinished(() => {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  })
  process.env[name] = value
}
