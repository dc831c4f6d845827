import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Anthropic from '@anthropic-ai/sdk'
import { AIMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { MockLanguageModelV3 } from 'ai/test'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { createSession, type Session, type SessionMessage } from '../../src/session/index.js'
import { SCRIPT, shelf } from './agent-world.js'

/** The snippets of docs/agents.md, run as they stand, each with the real package and a scripted model that answers "Paid." */

const text = readFileSync(fileURLToPath(new URL('../../docs/agents.md', import.meta.url)), 'utf8')
const snippets = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code as string)

const MODULES: Readonly<Record<string, () => Promise<object>>> = {
  ai: () => import('ai'),
  '@modelcontextprotocol/server': () => import('@modelcontextprotocol/server'),
  skillshelf: () => import('../../src/index.js'),
  'skillshelf/mcp': () => import('../../src/mcp/index.js'),
  'skillshelf/session': () => import('../../src/session/index.js'),
  'skillshelf/tools/ai-sdk': () => import('../../src/tools/ai-sdk.js'),
  'skillshelf/tools/anthropic': () => import('../../src/tools/anthropic.js'),
  'skillshelf/tools/langchain': () => import('../../src/tools/langchain.js'),
  'skillshelf/tools/openai': () => import('../../src/tools/openai.js'),
  'skillshelf/tools/webmcp': () => import('../../src/tools/webmcp.js'),
}
const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: string[]
) => (...given: unknown[]) => Promise<unknown>

/** Runs the one snippet with this in it, where these names are known; gives what one of its own names holds at the end. */
async function run(mark: string, given: Readonly<Record<string, unknown>>, wanted: string): Promise<unknown> {
  const [code, ...more] = snippets.filter(snippet => snippet.includes(mark))
  if (code === undefined || more.length > 0) throw new Error(`${more.length + Number(code !== undefined)} have ${mark}`)
  const body = code.replace(/^import (\{.*\}) from '(.*)'$/gm, 'const $1 = await load("$2")')
  const load = (name: string): Promise<object> | undefined => MODULES[name]?.()
  const known = { load, ...given }
  return new AsyncFunction(...Object.keys(known), `${body}\nreturn ${wanted}`)(...Object.values(known))
}

/** A turn with something said before it. */
async function conversation(): Promise<{ session: Session; message: string; history: SessionMessage[] }> {
  const { library } = await shelf()
  const history: SessionMessage[] = [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'Hello.' },
  ]
  return { session: createSession(library), message: 'check this invoice before I pay it', history }
}
const opened = (session: Session): string[] => session.open.map(({ skill }) => skill.name)
/** A fake of a service: it gives these bodies, one after the other. */
const answering = (bodies: readonly unknown[]): typeof fetch => {
  const left = [...bodies]
  return async () => Response.json(left.shift())
}

it('[BY-7] docs: the AI SDK', async () => {
  const given = await conversation()
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  }
  const model = new MockLanguageModelV3({
    doGenerate: [
      ...SCRIPT.map(({ name, input }, at) => ({
        content: [{ type: 'tool-call' as const, toolCallId: `${at}`, toolName: name, input: JSON.stringify(input) }],
        finishReason: { unified: 'tool-calls' as const, raw: undefined },
        usage,
        warnings: [],
      })),
      {
        content: [{ type: 'text', text: 'Paid.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      },
    ],
  })
  expect(await run("from 'ai'", { ...given, model, yourTools: {} }, 'text')).toBe('Paid.')
  expect(opened(given.session)).toEqual(['invoice-check'])
  expect(model.doGenerateCalls[0]?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
})

it('[BY-7] docs: OpenAI, both APIs', async () => {
  const client = (bodies: readonly unknown[]): OpenAI =>
    new OpenAI({ apiKey: 'none', baseURL: 'http://fake.invalid/v1', maxRetries: 0, fetch: answering(bodies) })
  const calls = SCRIPT.map(({ name, input }, at) => ({ id: `${at}`, name, arguments: JSON.stringify(input) }))
  const chat = [
    ...calls.map(({ id, ...call }) => ({ content: null, tool_calls: [{ id, type: 'function', function: call }] })),
    { content: 'Paid.' },
  ].map(message => ({ choices: [{ message: { role: 'assistant', ...message } }] }))
  const first = await conversation()
  expect(await run('answerToolCalls', { ...first, model: 'fake', client: client(chat) }, 'text')).toBe('Paid.')
  expect(opened(first.session)).toEqual(['invoice-check'])

  const responses = [
    ...calls.map(({ id, ...call }) => ({ type: 'function_call', call_id: id, ...call })),
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Paid.', annotations: [] }] },
  ].map(item => ({ object: 'response', output: [item] }))
  const second = await conversation()
  expect(await run('answerFunctionCalls', { ...second, model: 'fake', client: client(responses) }, 'text')).toBe(
    'Paid.',
  )
  expect(opened(second.session)).toEqual(['invoice-check'])
})

it('[BY-7] docs: Anthropic', async () => {
  const given = await conversation()
  const bodies = [
    ...SCRIPT.map((use, at) => ({
      content: [{ type: 'tool_use', id: `${at}`, ...use }],
      stop_reason: 'tool_use',
    })),
    { content: [{ type: 'text', text: 'Paid.' }], stop_reason: 'end_turn' },
  ]
  const fetch = answering(bodies.map(body => ({ type: 'message', role: 'assistant', ...body })))
  const client = new Anthropic({ apiKey: 'none', baseURL: 'http://fake.invalid', maxRetries: 0, fetch })
  expect(await run('answerToolUses', { ...given, model: 'fake', client }, 'text')).toBe('Paid.')
  expect(opened(given.session)).toEqual(['invoice-check'])
})

it('[BY-7] docs: LangChain', async () => {
  const given = await conversation()
  const model = fakeModel()
  for (const { name, input } of SCRIPT) model.respondWithTools([{ name, args: input, id: name }])
  model.respond(new AIMessage('Paid.'))
  expect(await run('skillshelf/tools/langchain', { ...given, model }, 'text')).toBe('Paid.')
  expect(opened(given.session)).toEqual(['invoice-check'])
})

it('[BY-8] docs: what fell out of the messages is said again with the next', async () => {
  const { session } = await conversation()
  const [load] = session.tools().filter(({ name }) => name === 'load_skill')
  const told = await load?.execute({ skill: 'invoice-check' })
  const messages = [
    { role: 'user', content: 'check this invoice' },
    { role: 'assistant', content: null, tool_calls: [] },
    { role: 'tool', content: told?.text },
    { role: 'assistant', content: 'Paid.' },
  ]
  const compact = async (all: typeof messages) => [
    { role: 'user', content: 'We checked an invoice.' },
    ...all.slice(-1),
  ]
  const kept = await run('session.rehydrate', { session, messages, compact, message: 'and the tax?' }, 'kept')
  expect(kept).toHaveLength(3)
  expect((kept as SessionMessage[]).at(-1)?.content).toMatch(
    /^and the tax\?\n[\s\S]*<skill_content name="invoice-check"[\s\S]*Look up rates\.csv\./,
  )
  expect(session.rehydrate(kept as SessionMessage[]).text).toBe('')
})

it('[BY-7] docs: WebMCP and MCP', async () => {
  const { session } = await conversation()
  const registering = run('registerSkillTools(', { session, signal: new AbortController().signal }, 'undefined')
  await expect(registering).rejects.toMatchObject({ code: 'unsupported' })
  const handler = (await run('createMcpHandler(', { library: session.library }, 'handler')) as {
    fetch(request: Request): Promise<Response>
  }
  const asked = await handler.fetch(
    new Request('http://fake.invalid/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    }),
  )
  expect(await asked.text()).toContain('"load_skill"')
})
