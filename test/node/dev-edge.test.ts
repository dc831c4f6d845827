import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectLibrary } from '../../src/exports/client.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Commands of docs/edge.md that call the local Worker. */
const [lines = ''] = [...readFileSync(`${root}docs/edge.md`, 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(
  ([, code = '']) => (code.startsWith('curl ') ? [code] : []),
)

describe('npm run dev:edge', () => {
  let running: ReturnType<typeof spawn>
  let address = ''

  beforeAll(async () => {
    running = spawn(
      process.execPath,
      ['node_modules/tsx/dist/cli.mjs', 'scripts/dev-edge.ts', '--port', '0', '--inspector-port', '0'],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    address = await new Promise((resolve, reject) => {
      let output = ''
      const listen = (chunk: unknown): void => {
        output += String(chunk)
        const [, found] = /Ready on (http:\/\/localhost:\d+)/.exec(output) ?? []
        if (found) resolve(found)
      }
      running.stdout?.on('data', listen)
      running.stderr?.on('data', listen)
      running.once('exit', code => reject(new Error(`dev:edge exited with ${code}: ${output}`)))
    })
  })
  afterAll(() => running?.kill('SIGINT'))

  it('[CARD-3] answers the commands of docs/edge.md', async () => {
    const commands = lines.trim().split('\n')
    expect(commands).toHaveLength(4)
    const answers: string[] = []
    // Twice: the commands must also work on their own results.
    for (const command of [...commands, ...commands]) {
      const here = command.replace('http://localhost:8787', address).replace('curl', 'curl -sS --fail')
      answers.push((await promisify(execFile)('sh', ['-c', here], { cwd: root })).stdout)
    }
    const [found = '', opened = '', file = '', put = ''] = answers
    expect(JSON.parse(found)).toMatchObject({ matches: [{ name: 'ppt' }], model: expect.stringMatching(/^hybrid\//) })
    expect(JSON.parse(opened)).toMatchObject({ id: 'skills/ppt', instructions: expect.stringContaining('#') })
    expect(file).toBe(readFileSync(`${root}demo/skills/ppt/SKILL.md`, 'utf8'))
    expect([...JSON.parse(put).added, ...JSON.parse(put).changed]).toEqual(['skills/invoice-check'])
  })

  it('[CARD-3] [CARD-5] serves connectLibrary and MCP clients', async () => {
    await using library = await connectLibrary(address)
    expect(library.snapshot.skills.map(({ name }) => name)).toContain('deep_research')
    expect((await library.match('帮我调研AI市场')).matches[0]?.name).toBe('deep_research')
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)))
    const { content } = await client.callTool({ name: 'search_skills', arguments: { query: 'make slides' } })
    expect(JSON.stringify(content)).toContain('ppt')
    await client.close()
  })

  it('[BY-9] refuses other host names and pages of other origins', async () => {
    const { host } = new URL(address)
    const statusFor = (headers: Readonly<Record<string, string>>) =>
      new Promise((resolve, reject) => {
        request(`${address}/v1/health`, { headers }, response => resolve(response.resume().statusCode))
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
    const exited = new Promise(resolve => running.once('exit', resolve))
    running.kill('SIGINT')
    await exited
    await expect.poll(() => fetch(address).catch(() => 'gone')).toBe('gone')
  })
})
