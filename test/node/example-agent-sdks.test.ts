import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { agentExamples, hasSdks, sdkPackages } from './agent-sdks.js'
import {
  checkExample,
  contents,
  exampleFolder,
  LOAD,
  READ,
  root,
  runExample,
} from './example-world.js'
import { startHttpServer } from './http-server.js'
import { scriptedService } from './scripted-service.js'

/** Runs the agents of `examples/agents` against `src`, with the real SDKs and a stand-in for the model. */

const SCRIPT = [LOAD, READ, 'The tax is wrong.', 'You are welcome.']

/** A stand-in for the Skills API of Anthropic. */
async function skillsService() {
  const uploads: { title: unknown; files: Record<string, string> }[] = []
  const { address } = await startHttpServer(async (request, response) => {
    const headers = { 'content-type': request.headers['content-type'] ?? '' }
    const form = await new Response(await buffer(request), { headers }).formData()
    const files = form.getAll('files[]').filter(entry => typeof entry !== 'string')
    uploads.push({
      title: form.get('display_title'),
      files: Object.fromEntries(
        await Promise.all(files.map(async file => [file.name, await file.text()] as const)),
      ),
    })
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        id: 'skill_1',
        type: 'skill',
        source: 'custom',
        created_at: '',
        updated_at: '',
      }),
    )
  })
  return { uploads, address: `${address}v1` }
}

describe.skipIf(!hasSdks)('agents of other SDKs (need npm install in examples/agents)', () => {
  const folder = hasSdks ? exampleFolder(join(agentExamples, 'node_modules')) : ''
  const start = (name: string, env: Record<string, string>, lines?: readonly string[]) =>
    runExample(folder, `agents/${name}.ts`, env, lines, sdkPackages)

  it.each(['ai-sdk', 'openai-agents', 'mastra', 'tanstack-ai', 'genkit', 'llamaindex'])(
    '[BY-7] %s opens a matching skill, reads its file and answers',
    async name => {
      await using service = await scriptedService(SCRIPT)
      const env = { OPENAI_BASE_URL: service.address, MODEL: 'gpt-4.1-mini' }
      const { out, err } = await start(name, env, ['check this invoice before I pay it', 'thanks'])
      expect({ out, err }).toMatchObject({ out: 'The tax is wrong.\nYou are welcome.\n' })
      const [first, second, third, fourth] = service.requests
      expect(first).toMatchObject({ authorization: 'Bearer a-key', model: 'gpt-4.1-mini' })
      const names = ['search_skills', 'load_skill', 'read_skill_file', 'unload_skill']
      expect(first?.tools?.map(tool => tool.function.name)).toEqual(names)
      expect(first?.tools?.[1]).toMatchObject({ function: { parameters: { required: ['skill'] } } })
      expect(contents(first, 'system').join()).toContain('<name>sourdough</name>')
      // SDKs send the message and the tail as one text, as two parts, or as two messages.
      expect(contents(first, 'user').join('\n')).toMatch(
        /check this invoice[\s\S]*<matching_skills>/,
      )
      expect(contents(second, 'tool')[0]).toContain('Compare the supplier and the account number')
      expect(contents(third, 'tool')[1]).toContain('references/rates.csv')
      // The conversation keeps the instructions.
      expect(contents(fourth, 'tool')[0]).toContain('Compare the supplier and the account number')
      expect(contents(fourth, 'user')).toHaveLength(2)
      expect(contents(fourth, 'user')[1]).not.toContain('Compare the supplier')
      expect(
        contents(fourth, 'assistant').filter(said => said.includes('The tax is wrong.')),
      ).toHaveLength(1)
    },
  )

  it('[BY-7] upload-skill sends every file of a skill to the Skills API', async () => {
    const service = await skillsService()
    const env = { ANTHROPIC_BASE_URL: service.address, ANTHROPIC_API_KEY: 'a-key' }
    const { out, err } = await start('upload-skill', env)
    expect({ out, err }).toMatchObject({ out: "{ anthropic: 'skill_1' }\n" })
    expect(service.uploads).toEqual([
      {
        title: 'invoice-check',
        files: {
          'invoice-check/SKILL.md': readFileSync(
            join(root, 'examples/skills/invoice-check/SKILL.md'),
            'utf8',
          ),
          'invoice-check/references/rates.csv': readFileSync(
            join(root, 'examples/skills/invoice-check/references/rates.csv'),
            'utf8',
          ),
        },
      },
    ])
  })

  it('[BY-7] agents of other SDKs type-check in strict mode, without a cast', () => {
    // The adapter in src must see the same version of the AI SDK.
    const ai = join(agentExamples, 'node_modules/ai/dist/index.d.ts')
    const { files, errors } = checkExample('agents', { ai })
    expect(files).toHaveLength(7)
    expect(errors).toEqual([])
    for (const file of files) expect(readFileSync(file, 'utf8')).not.toMatch(/ as (?!const)/)
  })
})
