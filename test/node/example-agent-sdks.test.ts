import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import ts from 'typescript'
import { afterAll, describe, expect, it } from 'vitest'
import { type ChatRequest, scriptedService } from './scripted-service.js'

/** Runs the agents of `examples/agents` against `src`, with the real SDKs and a stand-in for the model. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const examples = join(root, 'examples/agents')
const SOURCES = {
  'skillshelf/session': join(root, 'src/exports/session.ts'),
  'skillshelf/node': join(root, 'src/source/directory/directory.ts'),
  skillshelf: join(root, 'src/exports/index.ts'),
}
const { dependencies } = JSON.parse(readFileSync(join(examples, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}
const installed = Object.entries(dependencies).every(
  ([name, version]) => version.startsWith('file:') || existsSync(join(examples, 'node_modules', name)),
)
const folder = mkdtempSync(join(tmpdir(), 'skillshelf-sdks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))

const SCRIPT = [
  [{ name: 'load_skill', input: { skill: 'invoice-check' } }],
  [{ name: 'read_skill_file', input: { skill: 'invoice-check', path: 'references/rates.csv' } }],
  'The tax is wrong.',
  'You are welcome.',
] as const

const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content ?? ''))
const contents = (request: ChatRequest | undefined, role: string): string[] =>
  (request?.messages ?? []).filter(message => message.role === role).map(({ content }) => textOf(content))

describe.skipIf(!installed)('agents of other SDKs (need npm install in examples/agents)', () => {
  if (installed) {
    mkdirSync(join(folder, 'agents'))
    cpSync(join(root, 'examples/skills'), join(folder, 'skills'), { recursive: true })
    symlinkSync(join(examples, 'node_modules'), join(folder, 'agents/node_modules'), 'junction')
  }

  async function converse(
    name: string,
    address: string,
    lines: readonly string[],
  ): Promise<{ out: string; err: string }> {
    const file = join(folder, 'agents', `${name}.mjs`)
    await build({
      entryPoints: [join(examples, `${name}.ts`)],
      outfile: file,
      bundle: true,
      platform: 'node',
      format: 'esm',
      alias: SOURCES,
      external: Object.keys(dependencies).filter(one => one !== 'skillshelf'),
      nodePaths: [join(root, 'node_modules')],
      // CommonJS packages need `require`.
      banner: { js: "import { createRequire as from } from 'node:module'; const require = from(import.meta.url)" },
      logLevel: 'error',
    })
    const child = spawn(process.execPath, [file], {
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        OPENAI_BASE_URL: address,
        OPENAI_API_KEY: 'a-key',
        MODEL: 'gpt-4.1-mini',
        MASTRA_TELEMETRY_DISABLED: '1',
      },
    })
    child.stdin.end(`${lines.join('\n')}\n`)
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { out, err }
  }

  it.each(['openai-agents', 'mastra', 'tanstack-ai', 'genkit', 'llamaindex'])(
    '[BY-7] %s opens a matching skill, reads its file and answers',
    { timeout: 60_000 },
    async name => {
      await using service = await scriptedService(SCRIPT)
      const { out, err } = await converse(name, service.address, ['check this invoice before I pay it', 'thanks'])
      expect({ out: out.split('\n').filter(line => /[.]$/.test(line)), err }).toMatchObject({
        out: ['The tax is wrong.', 'You are welcome.'],
      })
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

  it('[BY-7] agents of other SDKs type-check in strict mode, without a cast', { timeout: 120_000 }, () => {
    const config = join(examples, 'tsconfig.json')
    const { config: read } = ts.readConfigFile(config, ts.sys.readFile) as { config: { compilerOptions: object } }
    const paths = Object.fromEntries(Object.entries(SOURCES).map(([name, path]) => [name, [path]]))
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
    expect(fileNames).toHaveLength(5)
    expect(faults).toEqual([])
    for (const file of fileNames) expect(readFileSync(file, 'utf8')).not.toMatch(/ as (?!const)/)
  })
})
