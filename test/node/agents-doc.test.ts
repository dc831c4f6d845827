import Anthropic from '@anthropic-ai/sdk'
import { AIMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { jsonSchema } from 'ai'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { omniEmployee } from '../../src/exports/dialects.js'
import { createSession, type Session, type SessionMessage } from '../../src/exports/session.js'
import { hasSdks } from './agent-sdks.js'
import { INVOICE, openFiles, SCRIPT } from './agent-world.js'
import { aiSdkModel } from './ai-sdk-model.js'
import { snippetErrors, snippetsOf, withoutTypes } from './snippets.js'

/** Runs the snippets of docs/agents.md with the real packages and a scripted model that answers "Paid." */

const snippets = snippetsOf('docs/agents.md')

/** A module that a snippet imports. The package is that of `src`. */
const moduleOf = (name: string): Promise<object> =>
  name.startsWith('skillshelf')
    ? import(
        /* @vite-ignore */ `../../src/exports/${name.slice('skillshelf/'.length) || 'index'}.ts`
      )
    : import(name)
const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: string[]
) => (...given: unknown[]) => Promise<unknown>

/** Runs the only snippet that contains `mark`, with `given` in scope. Returns the value of the expression `wanted`. */
async function run(
  mark: string,
  given: Readonly<Record<string, unknown>>,
  wanted: string,
  modules: Readonly<Record<string, () => Promise<object>>> = {},
): Promise<unknown> {
  const [code, ...more] = snippets.filter(snippet => snippet.includes(mark))
  if (code === undefined || more.length > 0)
    throw new Error(`${more.length + Number(code !== undefined)} have ${mark}`)
  const body = withoutTypes(code).replace(
    /^import (\{.*\}) from '(.*)';$/gm,
    'const $1 = await load("$2")',
  )
  const load = (name: string): Promise<object> => modules[name]?.() ?? moduleOf(name)
  const known = { load, ...given }
  return new AsyncFunction(...Object.keys(known), `${body}\nreturn ${wanted}`)(
    ...Object.values(known),
  )
}

/** Declarations before all snippets but the first, and before single snippets. */
const DECLARED = `
declare const library: import('skillshelf').LocalLibrary
declare const session: import('skillshelf/session').Session
declare const message: string
declare const signal: AbortSignal
`
const DECLARED_FOR: Readonly<Record<string, string>> = {
  'session.prune(': `
declare const history: import('ai').ModelMessage[]
declare const model: Parameters<typeof import('ai').wrapLanguageModel>[0]['model']
declare const yourTools: import('ai').ToolSet`,
  'streamText(': `
declare const model: Parameters<typeof import('ai').wrapLanguageModel>[0]['model']
declare const createSession: typeof import('skillshelf/session').createSession`,
  'session.permits(': `
declare function askUser(command: string): Promise<boolean>
declare function runShell(command: string): Promise<string>`,
  'answerToolCalls(': `
import type OpenAI from 'openai'
declare const history: OpenAI.ChatCompletionMessageParam[]
declare const client: OpenAI
declare const model: string`,
  'answerFunctionCalls(': `
declare const history: OpenAI.Responses.ResponseInput
declare const client: OpenAI
declare const model: string`,
  'answerToolUses(': `
import type Anthropic from '@anthropic-ai/sdk'
declare const history: Anthropic.MessageParam[]
declare const client: Anthropic
declare const model: string`,
  'skillshelf/adapters/langchain': `
type Chat = import('@langchain/core/language_models/chat_models').BaseChatModel
declare const history: import('@langchain/core/messages').BaseMessage[]
declare const model: Chat & Required<Pick<Chat, 'bindTools'>>`,
  'session.observe(': `
declare const messages: import('openai').OpenAI.ChatCompletionMessageParam[]`,
  'session.rehydrate(': `
declare const messages: import('openai').OpenAI.ChatCompletionMessageParam[]
declare function compact(all: typeof messages): Promise<typeof messages>`,
}

/** Snippets with their declarations. */
const declared = snippets.map((code, at) => {
  const given = Object.entries(DECLARED_FOR).flatMap(([mark, text]) =>
    code.includes(mark) ? [text] : [],
  )
  return [code, ...(at > 0 ? [DECLARED] : []), ...given].join('')
})

it('[BY-7] docs: every snippet type-checks with the real packages', () => {
  expect(declared.length).toBeGreaterThan(Object.keys(DECLARED_FOR).length)
  expect(snippetErrors(declared)).toEqual([])
})

it.skipIf(!hasSdks)(
  '[BY-7] docs: the snippets of the AI SDK type-check with version 7 (need npm install in examples/agents)',
  () => {
    // The folder has version 7 of the AI SDK, the project version 6.
    const aiSdk = declared.filter(code => code.includes('skillshelf/adapters/ai-sdk'))
    expect(aiSdk.length).toBeGreaterThan(1)
    expect(snippetErrors(aiSdk, 'examples/agents/')).toEqual([])
  },
)

/** A session, a message and the conversation before it. */
async function conversation(): Promise<{
  session: Session
  message: string
  history: SessionMessage[]
}> {
  const { library } = await openFiles()
  const said = (role: 'user' | 'assistant', content: string): SessionMessage => ({ role, content })
  const history = [said('user', 'hello'), said('assistant', 'Hello.')]
  return { session: createSession(library), message: 'check this invoice before I pay it', history }
}
/** One entry for each step of a turn. */
const STEPS = Array.from({ length: 12 })
const said = (text: string): object => {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { type: 'message', role: 'assistant', content }
}
const opened = (session: Session): string[] => session.open.map(({ skill }) => skill.name)
/** A fake service: responds with these bodies, one after the other. */
const answering = (
  bodies: readonly unknown[],
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any API
  onBody: (body: any) => void = () => {},
): typeof fetch => {
  const left = [...bodies]
  return async (_, init) => {
    onBody(JSON.parse(String(init?.body)))
    return Response.json(left.shift())
  }
}
const openAi = (...service: Parameters<typeof answering>) =>
  new OpenAI({
    apiKey: 'none',
    baseURL: 'http://fake.invalid/v1',
    maxRetries: 0,
    fetch: answering(...service),
  })
const completion = (message: object) => ({
  choices: [{ message: { role: 'assistant', ...message } }],
})
const chatCalls = (calls: readonly { name: string; input: object }[], content: string | null) =>
  calls.map(({ name, input }, at) => ({
    content,
    tool_calls: [
      { id: `${at}`, type: 'function', function: { name, arguments: JSON.stringify(input) } },
    ],
  }))

it.each([
  { version: 6, ai: () => import('ai6') },
  { version: 7, ai: () => import('ai') },
])('[BY-7] docs: the AI SDK $version', async ({ ai }) => {
  const given = await conversation()
  const model = aiSdkModel(SCRIPT)
  expect(await run('session.prune(', { ...given, model, yourTools: {} }, 'text', { ai })).toBe(
    'Paid.',
  )
  expect(JSON.stringify(given.history)).toContain('load_skill')
  expect(opened(given.session)).toEqual(['invoice-check'])
  expect(model.doGenerateCalls[0]?.prompt.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'user',
  ])
})

it('[BY-21] docs: the history of the AI SDK has the instructions at the next turn', async () => {
  const given = await conversation()
  await run('session.prune(', { ...given, model: aiSdkModel(SCRIPT), yourTools: {} }, 'text')
  const next = aiSdkModel([{ name: 'load_skill', input: { skill: 'invoice-check' } }])
  await run(
    'session.prune(',
    { ...given, message: 'and this one', model: next, yourTools: {} },
    'text',
  )
  const [first = '', second = ''] = next.doGenerateCalls.map(({ prompt }) => JSON.stringify(prompt))
  expect(first).toContain('Look up rates.csv.')
  expect(first).not.toContain('skill_open')
  expect(second).toContain('It is already open: its instructions are above.')
})

it('[BY-7] docs: tools are pruned in the step after a skill was opened', async () => {
  const text = '---\nname: audit\ndescription: Audits\nallowed-tools: Read Bash(git:*)\n---\nRead.'
  const { library } = await openFiles({ 'audit/SKILL.md': text })
  const session = createSession(library)
  const names = ['Read', 'Write']
  const yourTools = Object.fromEntries(
    names.map(name => [name, { inputSchema: jsonSchema({ type: 'object' }) }]),
  )
  const model = aiSdkModel([{ name: 'load_skill', input: { skill: 'audit' } }])
  const given = { session, message: 'audit', history: [], model, yourTools }
  expect(await run('session.prune(', given, 'text')).toBe('Paid.')
  const offered = model.doGenerateCalls.map(({ tools = [] }) => tools.map(({ name }) => name))
  expect(offered.map(all => all.filter(name => names.includes(name)))).toEqual([
    ['Read', 'Write'],
    ['Read'],
  ])

  const runShell = async (command: string): Promise<string> => `ran ${command}`
  const asked: string[] = []
  const askUser = async (command: string): Promise<boolean> => {
    asked.push(command)
    return command === 'ls'
  }
  const { Bash } = (await run('session.permits(', { session, askUser, runShell }, 'yourTools')) as {
    Bash: { execute(input: { command: string }): Promise<string> }
  }
  expect(await Bash.execute({ command: 'git log' })).toBe('ran git log')
  expect(await Bash.execute({ command: 'rm -r .' })).toBe('The user refused.')
  expect(await Bash.execute({ command: 'ls' })).toBe('ran ls')
  expect(asked).toEqual(['rm -r .', 'ls'])
})

it('[OE-3] [OE-4] [BY-21] docs: each step of a loop has the skill and the reference that the step before loaded', async () => {
  const script = [
    { name: 'load_skill', input: { skill: 'invoice-check' } },
    { name: 'load_skill_reference', input: { skill: 'invoice-check', file: 'tax.md' } },
    { name: 'unload_skill', input: { skill: 'invoice-check' } },
  ]
  const seen = (systems: readonly string[]): string[] =>
    systems.map(system =>
      ['Look up rates.csv.', 'Tax is 21 %.'].filter(text => system.includes(text)).join(' '),
    )
  const expected = ['', 'Look up rates.csv.', 'Look up rates.csv. Tax is 21 %.', '']
  const message = 'check this invoice before I pay it'
  const { library } = await openFiles({ ...INVOICE, 'invoice-check/tax.md': 'Tax is 21 %.' })

  const model = aiSdkModel(script)
  const dialect = omniEmployee
  const given = { message, history: [], session: createSession(library, { dialect }) }
  expect(await run('session.prune(', { ...given, model, yourTools: {} }, 'text')).toBe('Paid.')
  const prompts = model.doGenerateCalls.map(({ prompt }) =>
    prompt.find(({ role }) => role === 'system'),
  )
  expect(seen(prompts.map(one => String(one?.content)))).toEqual(expected)

  const asked: string[] = []
  const replies = [...chatCalls(script, null), { content: 'Paid.' }]
  const client = openAi(replies.map(completion), body => asked.push(body.messages[0].content))
  const session = createSession(library, { dialect })
  const loop = { message, history: [], session, client, model: 'fake' }
  expect(await run('reply.refusal', loop, 'text')).toBe('Paid.')
  expect(seen(asked)).toEqual(expected)
})

it('[BY-7] docs: the ledger counts messages that were observed', async () => {
  const { session, history: messages } = await conversation()
  const total = await run(
    'session.ledger()\nconsole',
    { session, messages, console: { log: () => {} } },
    'total',
  )
  expect(total).toBe(session.ledger().total)
  expect(session.ledger().messages.tokens).toBeGreaterThan(0)
})

it('[BY-8] docs: a session is saved and restored', async () => {
  const { session } = await conversation()
  await session.load('invoice-check')
  const items = new Map<string, string>()
  const localStorage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
  }
  const given = { session, library: session.library, localStorage, console: { log: () => {} } }
  expect(opened((await run('restoreSession(', given, 'restored')) as Session)).toEqual([
    'invoice-check',
  ])
})

/** The answer of a client by the snippet with `mark`, and the skills that are open after it. */
async function turnOf(mark: string, client: object) {
  const given = await conversation()
  const text = await run(mark, { ...given, model: 'fake', client }, 'text')
  return { text, opened: opened(given.session) }
}
const done = { text: 'Paid.', opened: ['invoice-check'] }

it('[BY-7] docs: OpenAI, both APIs', async () => {
  // Each call comes with text, which is not the answer yet.
  const calling = chatCalls(SCRIPT, 'One moment.')
  const chatting = (replies: readonly object[]) =>
    turnOf('reply.refusal', openAi(replies.map(completion)))
  expect(await chatting([...calling, { content: 'Paid.' }])).toEqual(done)
  expect(await chatting([{ content: null, refusal: 'No.' }])).toEqual({ text: 'No.', opened: [] })
  expect(await chatting(STEPS.map(() => calling[1] as object))).toEqual({
    ...done,
    text: 'One moment.',
  })

  const functionCalls = SCRIPT.map(({ name, input }, at) => [
    said('One moment.'),
    { type: 'function_call', call_id: `${at}`, name, arguments: JSON.stringify(input) },
  ])
  const responding = (outputs: readonly object[][]) =>
    turnOf('answerFunctionCalls', openAi(outputs.map(output => ({ object: 'response', output }))))
  expect(await responding([...functionCalls, [said('Paid.')]])).toEqual(done)
  const refused = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'refusal', refusal: 'No.' }],
  }
  expect(await responding([[refused]])).toEqual({ text: '', opened: [] })
  expect(await responding(STEPS.map(() => functionCalls[1] as object[]))).toEqual({
    ...done,
    text: 'One moment.',
  })
})

it('[BY-7] docs: Anthropic', async () => {
  const uses = SCRIPT.map((use, at) => [
    { type: 'text', text: 'One moment.' },
    { type: 'tool_use', id: `${at}`, ...use },
  ])
  const talking = async (contents: readonly object[][]) => {
    const fetch = answering(
      contents.map(content => ({ type: 'message', role: 'assistant', content })),
    )
    return turnOf(
      'answerToolUses',
      new Anthropic({ apiKey: 'none', baseURL: 'http://fake.invalid', maxRetries: 0, fetch }),
    )
  }
  expect(await talking([...uses, [{ type: 'text', text: 'Paid.' }]])).toEqual(done)
  expect(await talking(STEPS.map(() => uses[1] as object[]))).toEqual({
    ...done,
    text: 'One moment.',
  })
})

it('[BY-7] docs: LangChain', async () => {
  const given = await conversation()
  const model = fakeModel()
  model.respondWithTools([{ name: 'pay', args: {}, id: 'none' }])
  for (const { name, input } of SCRIPT) model.respondWithTools([{ name, args: input, id: name }])
  model.respond(new AIMessage('Paid.'))
  expect(await run('skillshelf/adapters/langchain', { ...given, model }, 'text')).toBe('Paid.')
  expect(opened(given.session)).toEqual(['invoice-check'])
})

it('[BY-8] docs: lost instructions are added to the next message', async () => {
  const { session } = await conversation()
  const [load] = session.tools().filter(({ name }) => name === 'load_skill')
  const loaded = await load?.execute({ skill: 'invoice-check' })
  const messages = [
    { role: 'user', content: 'check this invoice' },
    { role: 'assistant', content: null, tool_calls: [] },
    { role: 'tool', content: loaded?.text },
    { role: 'assistant', content: 'Paid.' },
  ]
  const compact = async (all: typeof messages) => [
    { role: 'user', content: 'We checked an invoice.' },
    ...all.slice(-1),
  ]
  const { kept, sent } = (await run(
    'session.rehydrate',
    { session, messages, compact, message: 'and the tax?' },
    '{ kept, sent }',
  )) as { kept: SessionMessage[]; sent: SessionMessage[] }
  expect(kept).toHaveLength(4)
  expect(sent.slice(0, 3)).toEqual(kept.slice(0, 3))
  const [lost] = kept.slice(-2).map(({ content }) => content)
  const last = sent.at(-1)?.content
  expect(lost).toMatch(/^<skill_content name="invoice-check"[\s\S]*Look up rates\.csv\./)
  expect(last).toMatch(/^and the tax\?/)
  expect(last).not.toContain('skill_open')
  expect(session.rehydrate(kept).text).toBe('')
})

it('[BY-7] docs: WebMCP and MCP', async () => {
  const { session } = await conversation()
  const registering = run(
    'registerSkillTools(',
    { session, signal: new AbortController().signal },
    'undefined',
  )
  await expect(registering).rejects.toMatchObject({ code: 'unsupported' })
  const handler = (await run('createMcpHandler(', { library: session.library }, 'handler')) as {
    fetch(request: Request): Promise<Response>
  }
  const asked = await handler.fetch(
    new Request('http://fake.invalid/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    }),
  )
  expect(await asked.text()).toContain('"load_skill"')
})
