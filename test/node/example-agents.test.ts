import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build as bundle } from 'esbuild'
import ts from 'typescript'
import { build } from 'vite'
import { afterAll, describe, expect, it } from 'vitest'
import { executablePath, launch } from '../launch.js'
import { cli } from './cli-world.js'
import { type ChatRequest, scriptedModel, scriptedService } from './scripted-service.js'
import { serveStatic, visit } from './vite-world.js'

/** Runs the agents of `examples` against `src` with a scripted model. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const SOURCES = {
  'skillshelf/session': 'src/exports/session.ts',
  'skillshelf/node': 'src/source/directory/directory.ts',
  'skillshelf/adapters/openai': 'src/agent/adapters/openai.ts',
  skillshelf: 'src/exports/index.ts',
}
const alias = Object.fromEntries(Object.entries(SOURCES).map(([name, path]) => [name, join(root, path)]))
const folder = mkdtempSync(join(tmpdir(), 'skillshelf-agents-'))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
cpSync(join(root, 'examples/skills'), join(folder, 'skills'), { recursive: true })
// The Vite configuration of the page imports Vite.
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')

const load = [{ name: 'load_skill', input: { skill: 'invoice-check' } }]
const read = [{ name: 'read_skill_file', input: { skill: 'invoice-check', path: 'references/rates.csv' } }]
const contents = (request: ChatRequest | undefined, role: string): (string | null)[] =>
  (request?.messages ?? []).filter(message => message.role === role).map(({ content }) => content)

describe('node-agent', () => {
  /** Runs the agent with these input lines and returns its output. */
  async function converse(address: string, lines: readonly string[]): Promise<{ out: string; err: string }> {
    const place = join(folder, 'node-agent')
    mkdirSync(place, { recursive: true })
    await bundle({
      entryPoints: [join(root, 'examples/node-agent/main.js')],
      outfile: join(place, 'main.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      alias,
      nodePaths: [join(root, 'node_modules')],
      // CommonJS packages need `require`.
      banner: { js: "import { createRequire as from } from 'node:module'; const require = from(import.meta.url)" },
      logLevel: 'error',
    })
    const env = { PATH: process.env['PATH'], OPENAI_BASE_URL: address, OPENAI_API_KEY: 'a-key', MODEL: 'scripted' }
    const child = spawn(process.execPath, ['main.mjs'], { cwd: place, env })
    child.stdin.end(`${lines.join('\n')}\n`)
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { out, err }
  }

  it('[CARD-5] opens a matching skill, reads its file and answers', async () => {
    await using service = await scriptedService([load, read, 'The tax is wrong.', 'You are welcome.'])
    const { out, err } = await converse(service.address, ['check this invoice before I pay it', 'thanks'])
    expect(out).toBe('The tax is wrong.\nYou are welcome.\n')
    // The bundle of this test has no model beside it.
    expect(err).toMatch(
      /^3 skills\. How can I help\?\n(?:skillshelf: The bundled model is unavailable[^\n]*\n)?(?: {2}load_skill {"skill":"invoice-check"}\n)/,
    )
    expect(err).toMatch(/\n {2}0\.\d % of the context; open skills: invoice-check\n$/)
    const [first, second, third, fourth] = service.requests
    expect(first).toMatchObject({ authorization: 'Bearer a-key', model: 'scripted' })
    expect(first?.tools?.map(tool => tool.function.name)).toContain('load_skill')
    expect(contents(first, 'system')[0]).toContain('<name>sourdough</name>')
    expect(contents(first, 'user')[0]).toMatch(
      /^check this invoice[^\n]*\n\n<matching_skills>\n<skill>\n<name>invoice-check/,
    )
    expect(contents(second, 'tool')[0]).toContain('Compare the supplier and the account number')
    expect(contents(third, 'tool')[1]).toContain('path="references/rates.csv"')
    expect(contents(fourth, 'assistant')).toEqual([null, null, 'The tax is wrong.'])
    // The system prompt is the same in each turn.
    expect(new Set(service.requests.map(request => contents(request, 'system')[0])).size).toBe(1)
  })

  it('[BY-8] repeats lost instructions', async () => {
    const chat = Array.from({ length: 20 }, (_, at) => `Yes, ${at}.`)
    await using service = await scriptedService([load, 'The tax is wrong.', ...chat, 'Bye.'])
    const lines = ['check this invoice before I pay it', ...chat.map(() => 'and now?'), 'bye']
    const { out } = await converse(service.address, lines)
    expect(out.split('\n').at(-2)).toBe('Bye.')
    const [before, last] = service.requests.slice(-2)
    expect(contents(before, 'tool')[0]).toContain('Compare the supplier')
    expect(contents(before, 'user').join()).not.toContain('Compare the supplier')
    expect(contents(last, 'user')).toHaveLength(12)
    expect(contents(last, 'tool')).toEqual([])
    expect(contents(last, 'user').at(-2)).toMatch(/^<skill_content name="invoice-check"[\s\S]*Compare the supplier/)
    expect(contents(last, 'user').at(-1)).toMatch(/^bye(?![\s\S]*skill_open)/)
  })

  it('[CARD-5] reports errors of the service and continues', async () => {
    await using service = await scriptedService([])
    const { out, err } = await converse(service.address.replace('/v1', '/none'), ['hello', 'hello'])
    expect(out).toBe('')
    expect(err.match(/404/g)).toHaveLength(2)
  })
})

describe.skipIf(executablePath === undefined)('browser-agent (needs a browser)', () => {
  const place = join(folder, 'browser-agent')
  const made = (async () => {
    if (executablePath === undefined) return
    cpSync(join(root, 'examples/browser-agent'), place, {
      recursive: true,
      filter: source => !/[\\/](?:node_modules|dist|public)$/.test(source),
    })
    const { scripts } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { scripts: { skills: string } }
    await cli(scripts.skills.split(' ').slice(1), { cwd: place })
    await build({
      root: place,
      configFile: join(place, 'vite.config.ts'),
      logLevel: 'error',
      resolve: { alias },
    })
  })()
  afterAll(() => made)

  async function open(script: Parameters<typeof scriptedModel>[0]) {
    await made
    const model = scriptedModel(script)
    const [browser, site] = await Promise.all([launch(), serveStatic(join(place, 'dist'), '/any/where/')])
    const { page, problems } = await visit(browser, site.address)
    await page.route('https://model.invalid/v1/chat/completions', async route => {
      const request = route.request()
      const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
      if (request.method() === 'OPTIONS') return route.fulfill({ status: 204, headers: cors })
      const json = model.reply((await request.allHeaders())['authorization'], request.postData() ?? '')
      return route.fulfill({ json, headers: cors })
    })
    await page.getByText('3 skills').waitFor()
    await page.getByLabel('Endpoint').fill('https://model.invalid/v1/')
    await page.getByLabel('Key').fill('a-key')
    return {
      ...model,
      page,
      problems,
      async send(message: string) {
        await page.getByLabel('Message').fill(message)
        await page.getByRole('button', { name: 'Send' }).click()
      },
      async [Symbol.asyncDispose]() {
        await browser.close()
        await site.close()
      },
    }
  }

  it('[CARD-5] opens a matching skill, reads its file and answers; the page is accessible', async () => {
    await using agent = await open([load, read, 'The tax is wrong. <b>Do not pay.</b>'])
    const { page, requests, problems } = agent
    await agent.send('check this invoice before I pay it')
    await page.getByText('of the context; open skills: invoice-check').waitFor()
    expect(await page.getByRole('log').getByRole('listitem').allTextContents()).toEqual([
      'check this invoice before I pay it',
      'load_skill {"skill":"invoice-check"}',
      'read_skill_file {"skill":"invoice-check","path":"references/rates.csv"}',
      'The tax is wrong. <b>Do not pay.</b>',
    ])
    expect(requests[0]).toMatchObject({ authorization: 'Bearer a-key', model: 'gpt-4.1-mini' })
    expect(contents(requests[0], 'system')[0]).toContain('<name>sourdough</name>')
    expect(contents(requests[0], 'user')[0]).toContain('<matching_skills>')
    expect(contents(requests[1], 'tool')[0]).toContain('Compare the supplier and the account number')
    expect(contents(requests[2], 'tool')[1]).toContain('path="references/rates.csv"')
    expect(problems).toEqual([])
    await page.addScriptTag({ path: join(root, 'node_modules/axe-core/axe.min.js') })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))')).toEqual([])
    }
  })

  it('[CARD-5] keeps a message that failed to send', async () => {
    await using agent = await open(['Hello.'])
    const { page, requests } = agent
    await page.getByLabel('Endpoint').fill(`${new URL('none', page.url()).href}`)
    await agent.send('hello')
    await page.getByRole('status').getByText('404').waitFor()
    await page.getByLabel('Endpoint').fill('https://model.invalid/v1')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('log').getByText('Hello.').waitFor()
    expect(contents(requests[0], 'user')).toEqual(['hello'])
  })
})

it('[CARD-5] browser-agent type-checks in strict mode', () => {
  const config = join(root, 'examples/browser-agent/tsconfig.json')
  const { config: read } = ts.readConfigFile(config, ts.sys.readFile) as { config: { compilerOptions: object } }
  const paths = Object.fromEntries(Object.entries(SOURCES).map(([name, path]) => [name, [join(root, path)]]))
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    { ...read, compilerOptions: { ...read.compilerOptions, paths } },
    ts.sys,
    join(root, 'examples/browser-agent'),
  )
  const program = ts.createProgram(fileNames, options)
  const faults = fileNames
    .flatMap(file => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  expect(options.strict).toBe(true)
  expect(fileNames).toHaveLength(2)
  expect(faults).toEqual([])
})
