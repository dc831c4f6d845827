import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import ts from 'typescript'
import { afterAll, describe, expect, it } from 'vitest'
import { agentExamples as examples, hasSdks, sdkPackages } from './agent-sdks.js'
import { type ChatRequest, scriptedService } from './scripted-service.js'

/** Runs the agents of `examples/agents` against `src`, with the real SDKs and a stand-in for the model. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const SOURCES = {
  'skillshelf/adapters/ai-sdk': join(root, 'src/agent/adapters/ai-sdk.ts'),
  'skillshelf/session': join(root, 'src/exports/session.ts'),
  'skillshelf/node': join(root, 'src/source/directory/directory.ts'),
  skillshelf: join(root, 'src/exports/index.ts'),
}
const folder = mkdtempSync(join(tmpdir(), 'skillshelf-sdks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))

const SCRIPT = [
  [{ name: 'load_skill', input: { skill: 'invoice-check' } }],
  [{ name: 'read_skill_file', input: { skill: 'invoice-check', path: 'references/rates.csv' } }],
  'The tax is wrong.',
  'You are welcome.',
] as const

/** A stand-in for the Skills API of Anthropic. */
async function skillsService() {
  const uploads: { title: unknown; files: Record<string, string> }[] = []
  const server = createServer(async (request, response) => {
    const headers = { 'content-type': request.headers['content-type'] ?? '' }
    const form = await new Response(await buffer(request), { headers }).formData()
    const files = form.getAll('files[]').filter(entry => typeof entry !== 'string')
    uploads.push({
      title: form.get('display_title'),
      files: Object.fromEntries(await Promise.all(files.map(async file => [file.name, await file.text()] as const))),
    })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id: 'skill_1', type: 'skill', source: 'custom', created_at: '', updated_at: '' }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    uploads,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => void server.close(() => resolve())),
  }
}

const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content ?? ''))
const contents = (request: ChatRequest | undefined, role: string): string[] =>
  (request?.messages ?? []).filter(message => message.role === role).map(({ content }) => textOf(content))

describe.skipIf(!hasSdks)('agents of other SDKs (need npm install in examples/agents)', () => {
  if (hasSdks) {
    mkdirSync(join(folder, 'agents'))
    cpSync(join(root, 'examples/skills'), join(folder, 'skills'), { recursive: true })
    symlinkSync(join(examples, 'node_modules'), join(folder, 'agents/node_modules'), 'junction')
  }

  /** Runs an example with these environment variables and input lines, and returns its output. */
  async function start(name: string, env: Record<string, string>, lines: readonly string[] = []) {
    const file = join(folder, 'agents', `${name}.mjs`)
    await build({
      entryPoints: [join(examples, `${name}.ts`)],
      outfile: file,
      bundle: true,
      platform: 'node',
      format: 'esm',
      alias: SOURCES,
      external: sdkPackages,
      nodePaths: [join(root, 'node_modules')],
      // CommonJS packages need `require`.
      banner: { js: "import { createRequire as from } from 'node:module'; const require = from(import.meta.url)" },
      logLevel: 'error',
    })
    const child = spawn(process.execPath, [file], { env: { PATH: process.env['PATH'], HOME: folder, ...env } })
    child.stdin.end(lines.map(line => `${line}\n`).join(''))
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { out, err }
  }

  it.each(['ai-sdk', 'openai-agents', 'mastra', 'tanstack-ai', 'genkit', 'llamaindex'])(
    '[BY-7] %s opens a matching skill, reads its file and answers',
    { timeout: 60_000 },
    async name => {
      await using service = await scriptedService(SCRIPT)
      const env = { OPENAI_BASE_URL: service.address, OPENAI_API_KEY: 'a-key', MODEL: 'gpt-4.1-mini' }
      const { out, err } = await start(name, env, ['check this invoice before I pay it', 'thanks'])
      expect({ out, err }).toMatchObject({ out: 'The tax is wrong.\nYou are welcome.\n' })
      const [first, second, third, fourth] = service.requests
      expect(first).toMatchObject({ authorization: 'Bearer a-key', model: 'gpt-4.1-mini' })
      expect(first?.tools?.map(tool => tool.function.name)).toEqual([
        'search_skills',
        'load_skill',
        'read_skill_file',
        'unload_skill',
      ])
      expect(first?.tools?.[1]).toMatchObject({ function: { parameters: { required: ['skill'] } } })
      expect(contents(first, 'system').join()).toContain('<name>sourdough</name>')
      expect(contents(first, 'user').at(-1)).toMatch(/^check this invoice[\s\S]*<matching_skills>/)
      expect(contents(second, 'tool')[0]).toContain('Compare the supplier and the account number')
      expect(contents(third, 'tool')[1]).toContain('references/rates.csv')
      // The conversation keeps the instructions.
      expect(contents(fourth, 'tool')[0]).toContain('Compare the supplier and the account number')
      expect(contents(fourth, 'user')).toHaveLength(2)
      expect(contents(fourth, 'user')[1]).not.toContain('Compare the supplier')
      expect(contents(fourth, 'assistant').filter(said => said.includes('The tax is wrong.'))).toHaveLength(1)
    },
  )

  it('[BY-7] upload-skill sends every file of a skill to the Skills API', { timeout: 60_000 }, async () => {
    await using service = await skillsService()
    const { out, err } = await start('upload-skill', {
      ANTHROPIC_BASE_URL: service.address,
      ANTHROPIC_API_KEY: 'a-key',
    })
    expect({ out, err }).toMatchObject({ out: "{ anthropic: 'skill_1' }\n" })
    expect(service.uploads).toEqual([
      {
        title: 'invoice-check',
        files: {
          'invoice-check/SKILL.md': readFileSync(join(root, 'examples/skills/invoice-check/SKILL.md'), 'utf8'),
          'invoice-check/references/rates.csv': readFileSync(
            join(root, 'examples/skills/invoice-check/references/rates.csv'),
            'utf8',
          ),
        },
      },
    ])
  })

  it('[BY-7] agents of other SDKs type-check in strict mode, without a cast', { timeout: 120_000 }, () => {
    const config = join(examples, 'tsconfig.json')
    const { config: read } = ts.readConfigFile(config, ts.sys.readFile) as { config: { compilerOptions: object } }
    const paths = {
      ...Object.fromEntries(Object.entries(SOURCES).map(([name, path]) => [name, [path]])),
      // The adapter in src must see the same version of the AI SDK.
      ai: [join(examples, 'node_modules/ai/dist/index.d.ts')],
    }
    const { options, fileNames } = ts.parseJsonConfigFileContent(
      { ...read, compilerOptions: { ...read.compilerOptions, paths } },
      ts.sys,
      examples,
    )
    const program = ts.createProgram(fileNames, options)
    const faults = fileNames
      .flatMap(file => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
    expect(options.strict).toBe(true)
    expect(fileNames).toHaveLength(7)
    expect(faults).toEqual([])
    for (const file of fileNames) expect(readFileSync(file, 'utf8')).not.toMatch(/ as (?!const)/)
  })
})
