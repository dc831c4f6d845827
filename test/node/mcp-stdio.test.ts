import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it } from 'vitest'
import { run } from '../../src/tools/cli/program.js'
import { INVOICE, RESULTS, SCRIPT, TEA } from './agent-world.js'
import { cli, expectRefusal, main, temporaryFolder } from './cli-world.js'
import { connectMcp, serving } from './serve-world.js'

const { version } = (await import('../../package.json', { with: { type: 'json' } })).default

/** Runs `skillshelf mcp` in this process and connects a client to its streams. */
async function connect(args: readonly string[]) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough() }
  let stderr = ''
  const ended = run(['mcp', ...args], {
    stdout: () => {},
    stderr: text => {
      stderr += text
    },
    cwd: tmpdir(),
    isTTY: false,
    streams,
  })
  const buffer = new ReadBuffer()
  const transport: Transport = {
    async start() {
      streams.stdout.on('data', chunk => {
        buffer.append(chunk)
        for (let message = buffer.readMessage(); message; message = buffer.readMessage())
          transport.onmessage?.(message)
      })
    },
    send: async message => void streams.stdin.write(serializeMessage(message)),
    async close() {
      streams.stdin.end()
      expect(await ended).toBe(0)
      transport.onclose?.()
    },
  }
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return Object.assign(client, {
    stderr: () => stderr,
    [Symbol.asyncDispose]: () => client.close(),
  })
}

/** Runs the built `skillshelf mcp` as a process and connects a client over stdio. */
async function connectProcess(args: readonly string[], mode: 'legacy' | 'auto') {
  const command = { command: process.execPath, args: [main, 'mcp', ...args] }
  const transport = new StdioClientTransport({ ...command, stderr: 'pipe' })
  let stderr = ''
  transport.stderr?.on('data', part => {
    stderr += String(part)
  })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const faults: Error[] = []
  client.onerror = error => faults.push(error)
  await client.connect(transport)
  return Object.assign(client, {
    stderr: () => stderr,
    faults,
    [Symbol.asyncDispose]: () => client.close(),
  })
}
const textOf = (result: { content?: unknown }): string =>
  (result.content as [{ text: string }])[0].text

const MODES = ['legacy', 'auto'] as const
it.each(MODES)(
  '[BY-7] skillshelf mcp: an agent searches, opens and reads over stdio, %s',
  async mode => {
    const folder = temporaryFolder({ ...INVOICE, ...TEA })
    await using client = await connectProcess([folder], mode)
    expect(client.getServerVersion()).toMatchObject({ name: 'skillshelf', version })
    expect(client.getInstructions()).toContain('<name>tea</name>')
    for (const [at, { name, input }] of SCRIPT.entries())
      expect(textOf(await client.callTool({ name, arguments: input }))).toMatch(
        RESULTS[at] as RegExp,
      )
    expect(client.stderr()).toBe(`skillshelf: serving 2 skills of ${folder} over stdio (MCP)\n`)
    expect(client.faults).toEqual([])
  },
)

it('[BY-7] skillshelf mcp, serve and validate name the skills that the Skills extension leaves out', async () => {
  const folder = temporaryFolder({
    ...TEA,
    'fullstack/SKILL.md': '---\nname: fullstack-dev\ndescription: Builds sites\n---\nBuild.\n',
    'deep_research/SKILL.md': '---\nname: deep_research\ndescription: Researches\n---\nDig.\n',
    'versions/SKILL.md':
      '---\nname: versions\ndescription: Counts\nmetadata:\n  version: 1.0\n---\nHm.\n',
  })
  const id = (name: string) => `${folder.slice(folder.lastIndexOf('/') + 1)}/${name}`
  const leftOut = [
    'skillshelf: the MCP Skills extension leaves out 2 of 4 skills; tools, resources and prompts have them:',
    `  ${id('deep_research')}: the name "deep_research" must be 1-64 lowercase letters, digits and single hyphens`,
    `  ${id('versions')}: metadata must map strings to strings`,
    '',
  ].join('\n')
  await using client = await connect([folder])
  await expect.poll(client.stderr).toContain(leftOut)
  const served = await serving(['.', '--api'], folder)
  await served.printed(leftOut)
  const plain = await serving(['.'], folder)
  expect(plain.err()).not.toContain('extension')
  const { diagnostics } = (await cli(['validate', '--json'], { cwd: folder })).json()
  const found = diagnostics.filter(({ code }: { code: string }) => code === 'mcp-left-out')
  expect(found).toMatchObject([
    { path: 'deep_research/SKILL.md', severity: 'info' },
    {
      path: 'versions/SKILL.md',
      severity: 'info',
      message: expect.stringContaining('metadata must map strings to strings'),
    },
  ])
})

it('[TD-11] skillshelf mcp: changes in the folder are offered without a restart', async () => {
  const folder = temporaryFolder({ ...INVOICE })
  await using client = await connect([folder])
  const notified = new Promise<void>(resolve =>
    client.setNotificationHandler('notifications/resources/list_changed', () => resolve()),
  )
  const draft = join(temporaryFolder(), 'tea')
  await mkdir(draft)
  await writeFile(join(draft, 'SKILL.md'), TEA['tea/SKILL.md'])
  await rename(draft, join(folder, 'tea'))
  await notified
  expect(
    textOf(await client.callTool({ name: 'load_skill', arguments: { skill: 'tea' } })),
  ).toContain('Boil water.')
})

it('[BY-7] skillshelf mcp: opens a packed library at a URL and matches by meaning', async () => {
  const folder = temporaryFolder({ 'skills/tea/SKILL.md': TEA['tea/SKILL.md'] })
  await cli(['pack', '--out', 'out'], { cwd: folder })
  const { address } = await serving(['out'], folder)
  await using client = await connect([address])
  const found = await client.callTool({
    name: 'search_skills',
    arguments: { query: '我想泡一杯茶' },
  })
  expect(textOf(found)).toContain('<name>tea</name>')
  expect(client.stderr()).toBe(`skillshelf: serving 1 skill of ${address} over stdio (MCP)\n`)
})

const OPENSEED = [
  'load_skill',
  'search_skills',
  'load_skill_asset',
  'get_skill_script_path',
  'list_skill_assets',
]
/** Tools of each dialect, and a call that opens a skill. */
const DIALECT_TOOLS = [
  [
    'TD-8',
    'tokendance',
    ['load_l2', 'load_l3_resource', 'get_resource_path'],
    'load_l2',
    { skill_id: 'tea' },
  ],
  ['OS-8', 'openseed', OPENSEED, 'load_skill', { skill_name: 'tea' }],
  ['MX-5', 'manusx', ['skill_request', 'file_read'], 'skill_request', { skill_name: 'tea' }],
  [
    'OE-2',
    'omniemployee',
    ['load_skill', 'load_skill_reference', 'unload_skill'],
    'load_skill',
    { skill: 'tea' },
  ],
  ['AC-3', 'agent-core', ['skill'], 'skill', { skill: 'tea' }],
] as const

it.each(DIALECT_TOOLS)(
  '[%s] skillshelf mcp and serve offer the tools of --dialect %s',
  async (_, dialect, tools, opener, input) => {
    const folder = temporaryFolder({ ...TEA })
    await using local = await connect([folder, '--dialect', dialect])
    const { address } = await serving(['.', '--api', '--dialect', dialect], folder)
    await using remote = await connectMcp(address)
    for (const client of [local, remote]) {
      const offered = (await client.listTools()).tools.map(({ name }) => name)
      // A session over HTTP lasts one request, so nothing can be closed.
      expect(offered).toEqual(tools.filter(name => client === local || name !== 'unload_skill'))
      const { content } = await client.callTool({ name: opener, arguments: input })
      expect(JSON.stringify(content)).toContain('Boil water.')
    }
  },
)

it('[BY-7] skillshelf mcp and serve refuse a --dialect that does not exist, and serve one without --api', async () => {
  const cwd = temporaryFolder({ ...TEA })
  for (const command of ['mcp', 'serve']) {
    const { code, err } = await cli([command, '.', '--dialect', 'klingon'], { cwd })
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('Allowed choices are tokendance, openseed'),
    ])
  }
  const { code, err } = await cli(['serve', '.', '--dialect', 'openseed'], { cwd })
  expect([code, err]).toEqual([2, expect.stringContaining('`--dialect` needs --api')])
})

it('[BY-7] skillshelf mcp: exits on SIGTERM, with nothing on stdout', async () => {
  const child = spawn(process.execPath, [main, 'mcp', temporaryFolder({ ...TEA })])
  let out = ''
  child.stdout.on('data', part => {
    out += String(part)
  })
  await once(child.stderr, 'data')
  child.kill('SIGTERM')
  expect([(await once(child, 'close'))[0], out]).toEqual([0, ''])
})

it('[BY-7] skillshelf mcp: a missing folder is reported on stderr', async () => {
  await expectRefusal('skillshelf: No such folder: nowhere', ['mcp', 'nowhere'])
})
