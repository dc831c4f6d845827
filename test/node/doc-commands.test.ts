import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { writeFiles } from '../folders.js'
import { cli, temporaryFolder } from './cli-world.js'
import { snippetsOf, withoutTypes } from './snippets.js'

/**
 * Every shell command of the guides, as written, in the order of the site, in one folder. Those of the README run as processes, and the
 * others in this process where they can. `npm test` has built the package.
 */

const root = fileURLToPath(new URL('../..', import.meta.url))
/** In the order of the site. A page that is not here has no command of its own. */
const PAGES = [
  ...[
    'index',
    'get-started',
    'why',
    'bundlers',
    'sources',
    'authoring',
    'not-found',
    'matching',
    'dialects',
    'publishing',
    'agents',
  ],
  ...['edge', 'engines', 'hosts', 'trust', 'cli'],
]

/** Commands that need more than this folder, and what they need. */
const ELSEWHERE: readonly [command: RegExp, needs: string][] = [
  [/^npm (?:install|ci)\b|@tanstack\//, 'a registry'],
  [/https:\/\/|^hf /, 'a host'],
  [/localhost:\d+|^curl /, 'the server of the command before'],
  [/wrangler/, 'Cloudflare'],
  [/^npm run\b/, 'a clone'],
  [/^docker |^\.\/qdrant|QDRANT_URL/, 'Qdrant'],
  [/^export SKILLSHELF_TOKEN/, 'a token'],
  [/^skillshelf /, 'a global installation'],
]
const needsOf = (command: string): string | undefined =>
  ELSEWHERE.find(([pattern]) => pattern.test(command))?.[1]
/** Commands that run until they are stopped. They say where they listen. */
const isServer = (command: string): boolean => /\bskillshelf serve\b/.test(command)
/** Commands that need no process of their own: they read no input, and only the command line runs. */
const isAlone = (command: string): boolean =>
  /^npx skillshelf (?!serve|mcp)[^|<>;&$]*$/.test(command)

interface Command {
  page: string
  line: string
}

/** The commands of a page. A loop is one command, and so are lines that end in a backslash. */
function commandsOf(page: string): Command[] {
  const text = readFileSync(join(root, page), 'utf8')
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  return blocks.flatMap(block => {
    const whole = block.replaceAll('\\\n', '')
    const lines = whole.startsWith('for ') ? [whole] : whole.split('\n').filter(Boolean)
    return lines.map(line => ({ page, line }))
  })
}

/** A folder in which skillshelf is installed. */
function projectFolder(): string {
  const folder = temporaryFolder()
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  symlinkSync(root, join(modules, 'skillshelf'))
  const main = join(root, 'dist/tools/cli/main.js')
  const command = `#!/bin/sh\nexec node '${main}' "$@"\n`
  writeFileSync(join(modules, '.bin/skillshelf'), command, { mode: 0o755 })
  symlinkSync(join(root, 'node_modules/esbuild/bin/esbuild'), join(modules, '.bin/esbuild'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

/** Stands in for `npx`, which takes longer than what it starts. The commands of the README have the real one. */
const shortcuts = temporaryFolder()
writeFileSync(
  join(shortcuts, 'npx'),
  '#!/bin/sh\nprogram=$1\nshift\nexec "./node_modules/.bin/$program" "$@"\n',
  { mode: 0o755 },
)
const WITHOUT_NPX = { PATH: `${shortcuts}${delimiter}${process.env['PATH'] ?? ''}` }

/** Prints the arguments of `npx skillshelf`, as bash passes them. */
const PRINT_ARGUMENTS = 'npx() { shift; printf "%s\\0" "$@"; }\n'

/** Runs a command line in this process: starting another one takes longer than most commands. */
async function runHere(cwd: string, line: string): Promise<{ code: unknown; output: string }> {
  const env = { ...process.env, HOME: join(cwd, 'home'), NO_COLOR: '1' }
  const words = execFileSync('bash', ['-ec', PRINT_ARGUMENTS + line], { env, encoding: 'utf8' })
  const { code, out, err } = await cli(words.split('\0').slice(0, -1), { cwd, env })
  return { code, output: out + err }
}

/** Runs a command as a reader does. Returns its exit code and what it printed; 0 for a server that has said where it listens. */
async function run(
  cwd: string,
  line: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ code: unknown; output: string }> {
  const env = {
    ...process.env,
    HOME: join(cwd, 'home'),
    NO_COLOR: '1',
    npm_config_offline: 'true',
    ...variables,
  }
  // A group of its own: npx does not pass signals on.
  const child = spawn('bash', ['-ec', line], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  let isStopped = false
  const stop = (): void => {
    if (isStopped || !/http:\/\/\S+/.test(output)) return
    isStopped = true
    process.kill(-(child.pid as number))
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => {
      output += bytes
      if (isServer(line)) stop()
    })
  }
  const [code] = await once(child, 'close')
  return { code: isStopped ? 0 : code, output }
}

it('[CARD-5] the commands of the README run as written', async () => {
  const folder = projectFolder()
  for (const { line } of commandsOf('README.md')) {
    if (needsOf(line) === undefined) {
      expect(await run(folder, line), line).toMatchObject({ code: 0 })
    }
  }
  expect(existsSync(join(folder, 'public/skills/skillshelf.json'))).toBe(true)
})

describe('the commands of the guides, in one folder', () => {
  const folder = projectFolder()
  const commands = PAGES.flatMap(name => commandsOf(`docs/${name}.md`))
  /** What a reader has: the code of the page before, skills of a coding agent, and the files that a command names. */
  const prepare = ({ page, line }: Command): void => {
    const [skills, path] = [join(folder, 'skills'), join(folder, '.claude/skills')]
    if (page === 'docs/bundlers.md') {
      const [app = ''] = snippetsOf('docs/get-started.md')
      writeFileSync(join(folder, 'app.js'), withoutTypes(app))
    } else if (line.includes('--allow')) {
      const tls = { 'SKILL.md': '---\nname: tls\ndescription: Tests TLS.\n---\nConnect.' }
      writeFiles(join(folder, 'skills/tls'), { ...tls, 'assets/test-key.pem': 'no key' })
    } else if (line.includes('--learned')) {
      writeFileSync(join(folder, 'learned.json'), '[]')
    } else if (existsSync(skills) && !existsSync(path)) {
      cpSync(skills, path, { recursive: true })
      cpSync(path, join(folder, 'home/.claude/skills'), { recursive: true })
    }
  }

  for (const [index, { page, line }] of commands.entries()) {
    const needs = needsOf(line)
    const name = `${page} ${index}: ${line.split('\n')[0]}`
    if (needs !== undefined) it.skip(`[CARD-5] ${name} (needs ${needs})`)
    else {
      it(`[CARD-5] ${name}`, async () => {
        prepare({ page, line })
        const { code, output } = isAlone(line)
          ? await runHere(folder, line)
          : await run(folder, line, WITHOUT_NPX)
        expect(code, output).toBe(0)
      })
    }
  }

  it('[CARD-5] without a bundler, every file is where the page looks for it', () => {
    const page = readFileSync(join(root, 'docs/bundlers.md'), 'utf8')
    const [, script = ''] =
      /from '\.\/(skillshelf\/dist\/browser\/skillshelf\.js)'/.exec(page) ?? []
    const files = [script, 'skillshelf/model/latin.bin', 'skills/skillshelf.json']
    expect(files.filter(file => !existsSync(join(folder, 'public', file)))).toEqual([])
  })

  it('[CARD-5] every page with a command is tried', () => {
    const sidebar = readFileSync(join(root, 'docs/.vitepress/config.ts'), 'utf8')
    for (const [, name = ''] of sidebar.matchAll(/link: '\/([a-z-]+)'/g)) {
      const file = `docs/${name}.md`
      if (!existsSync(join(root, file)) || name === 'measured') continue
      if (commandsOf(file).length > 0) expect(PAGES).toContain(name)
    }
  })
})
