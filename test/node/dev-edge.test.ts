import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectLibrary } from '../../src/exports/client.js'
import { cli, skill, temporaryFolder } from './cli-world.js'
import { hasQdrant } from './qdrant/stand-in.js'
import { connectMcp } from './serve-world.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Commands of docs/edge.md that call the local Worker. */
const [lines = ''] = [
  ...readFileSync(`${root}docs/edge.md`, 'utf8').matchAll(/```sh\n([\s\S]*?)```/g),
].flatMap(([, code = '']) => (code.startsWith('curl ') ? [code] : []))

type Running = ReturnType<typeof spawn>

function spawnDevEdge(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const script = ['node_modules/tsx/dist/cli.mjs', 'scripts/dev-edge.ts']
  return spawn(process.execPath, [...script, '--port', '0', '--inspector-port', '0', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
}

/** Waits until the Worker is ready. */
function readyOf(running: Running): Promise<{ address: string; output: string }> {
  return new Promise((resolve, reject) => {
    let output = ''
    const listen = (chunk: unknown): void => {
      output += String(chunk)
      const [, address] = /Ready on (http:\/\/localhost:\d+)/.exec(output) ?? []
      if (address) resolve({ address, output })
    }
    running.stdout?.on('data', listen)
    running.stderr?.on('data', listen)
    running.once('exit', code => reject(new Error(`dev:edge exited with ${code}: ${output}`)))
  })
}

async function stop(running: Running): Promise<void> {
  const exited = new Promise(resolve => running.once('exit', resolve))
  running.kill('SIGINT')
  await exited
}

describe('npm run dev:edge', () => {
  let running: Running
  let address = ''

  beforeAll(async () => {
    running = spawnDevEdge([])
    address = (await readyOf(running)).address
  })
  afterAll(() => running?.kill('SIGINT'))

  it('[CARD-3] answers the commands of docs/edge.md', async () => {
    const commands = lines.trim().split('\n')
    expect(commands).toHaveLength(4)
    const answers: string[] = []
    // Twice: the commands must also work on their own results.
    for (const command of [...commands, ...commands]) {
      const here = command
        .replace('http://localhost:8787', address)
        .replace('curl', 'curl -sS --fail')
      answers.push((await promisify(execFile)('sh', ['-c', here], { cwd: root })).stdout)
    }
    const [found = '', opened = '', file = '', put = ''] = answers
    expect(JSON.parse(found)).toMatchObject({
      matches: expect.arrayContaining([expect.objectContaining({ name: 'ppt' })]),
      model: expect.stringMatching(/^hybrid\//),
    })
    expect(JSON.parse(opened)).toMatchObject({
      id: 'skills/ppt',
      instructions: expect.stringContaining('#'),
    })
    expect(file).toBe(readFileSync(`${root}demo/skills/ppt/SKILL.md`, 'utf8'))
    expect([...JSON.parse(put).added, ...JSON.parse(put).changed]).toEqual(['skills/invoice-check'])
  })

  it('[CARD-3] [CARD-5] serves connectLibrary and MCP clients', async () => {
    await using library = await connectLibrary(address)
    expect(library.snapshot.skills.map(({ name }) => name)).toContain('deep_research')
    expect((await library.match('帮我调研AI市场')).matches[0]?.name).toBe('deep_research')
    await using client = await connectMcp(`${address}/`)
    const { content } = await client.callTool({
      name: 'search_skills',
      arguments: { query: 'make slides' },
    })
    expect(JSON.stringify(content)).toContain('ppt')
  })

  it('[BY-9] refuses other host names and pages of other origins', async () => {
    const { host } = new URL(address)
    const statusFor = (headers: Readonly<Record<string, string>>) =>
      new Promise((resolve, reject) => {
        request(`${address}/v1/health`, { headers }, response =>
          resolve(response.resume().statusCode),
        )
          .on('error', reject)
          .end()
      })
    expect(await statusFor({ host })).toBe(200)
    expect(await statusFor({ host, origin: 'http://localhost:5173' })).toBe(200)
    expect(await statusFor({ host: 'evil.example' })).toBe(403)
    expect(await statusFor({ host, origin: 'http://evil.example' })).toBe(403)
    expect(await statusFor({ host, origin: 'null' })).toBe(403)
  })

  it('[CARD-3] leaves no process behind when it is stopped', async () => {
    await stop(running)
    await expect.poll(() => fetch(address).catch(() => 'gone')).toBe('gone')
  })
})

describe('npm run dev:edge -- --engine', () => {
  it.skipIf(!hasQdrant)(
    '[BY-15] [CARD-3] serves the sample skills from the engine, and takes more',
    async () => {
      const running = spawnDevEdge(['--engine'])
      try {
        const { address, output } = await readyOf(running)
        const [, engine = ''] = / at (http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? []
        const match = async (message: string) =>
          (await fetch(`${address}/v1/match?message=${encodeURIComponent(message)}`)).json()
        const found = (id: string) => ({
          matches: expect.arrayContaining([expect.objectContaining({ id })]),
        })
        expect(await match('make slides about our launch')).toMatchObject(found('skills/ppt'))
        const cwd = temporaryFolder({ 'skills/tea/SKILL.md': skill('tea', 'Brews green tea.') })
        const io = { cwd, env: { SKILLSHELF_TOKEN: 'local' } }
        const published = await cli(['publish', '--to', address, '--engine', engine], io)
        expect(published).toMatchObject({ code: 0, out: expect.stringContaining('1 added') })
        expect(await match('brew green tea')).toMatchObject(found('skills/tea'))
        await stop(running)
        await expect.poll(() => fetch(address).catch(() => 'gone')).toBe('gone')
        await expect.poll(() => fetch(engine).catch(() => 'gone')).toBe('gone')
      } finally {
        running.kill('SIGINT')
      }
    },
  )

  it('[CARD-3] says how to install the engine if it is missing', async () => {
    const running = spawnDevEdge(['--engine'], {
      QDRANT_EDGE_PYTHON: '/missing/python',
      QDRANT_URL: '',
    })
    await expect(readyOf(running)).rejects.toThrow(
      /exited with 1: .*QDRANT_URL\. To install it:\n {2}python3 -m venv node_modules\/\.qdrant-edge && .*pip install qdrant-edge-py/,
    )
  })
})
