/// <reference types="dom-chromium-ai" />
import type { TextGenerationPipeline } from '@huggingface/transformers'
import { functionCallingModelIds, MLCEngine, type MLCEngineInterface } from '@mlc-ai/web-llm'
import { describe, expect, it, vi } from 'vitest'
import {
  createPromptChat,
  type PromptModel,
  type PromptModelFactory,
} from '../../src/agent/adapters/prompt-api.js'
import * as transformers from '../../src/agent/adapters/transformers.js'
import * as webLlm from '../../src/agent/adapters/web-llm.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createSession, type Session } from '../../src/exports/session.js'
import { skill } from '../skill-file.js'

const FILES = {
  'invoice-check/SKILL.md': skill(
    'invoice-check',
    'Checks an invoice before it is paid',
    'Look up rates.csv.',
  ),
  'invoice-check/rates.csv': 'standard,21',
  'tea/SKILL.md': skill('tea', 'Brews tea', 'Boil water.'),
  'manual/SKILL.md': skill('manual', 'Repairs a combustion engine', 'Unscrew.\n'.repeat(3_000)),
}
const INVOICE = 'check this invoice before I pay it'

async function start(): Promise<Session> {
  return createSession(await openLibrary(memory(FILES, { name: 'mine' })))
}
const opened = (session: Session): string[] => session.open.map(({ skill }) => skill.name)

// The types of the real packages fit.
const _types = (
  session: Session,
  engine: MLCEngineInterface,
  generator: TextGenerationPipeline,
  languageModel: typeof LanguageModel,
) => [
  webLlm.answerWithSkills(session, engine, {
    message: '',
    tools: functionCallingModelIds.includes(''),
  }),
  transformers.answerWithSkills(session, generator, { message: '' }),
  createPromptChat(session, { languageModel, create: {} satisfies LanguageModelCreateOptions }),
]

interface StandIn {
  factory: PromptModelFactory
  inputs: string[]
  constraints: unknown[]
  created: { tools?: LanguageModelTool[]; initialPrompts?: LanguageModelMessage[] }[]
  overflow(): void
}

/** A stand-in for the built-in model of Chrome: no browser of the tests has its weights. It reads the options as Web IDL does. */
function standInModel({
  hasTools = false,
  answers = [] as string[],
  context = 4_096,
  oldNames = false,
} = {}): StandIn {
  const stand: StandIn = {
    inputs: [],
    constraints: [],
    created: [],
    overflow: () => {},
    factory: {
      availability: async options => {
        if (hasTools) void (options as { tools?: unknown } | undefined)?.tools
        return 'available'
      },
      create: async options => {
        const { tools, initialPrompts } = options as StandIn['created'][number]
        stand.created.push({
          ...(tools ? { tools } : {}),
          ...(initialPrompts ? { initialPrompts } : {}),
        })
        return model(tools)
      },
    },
  }
  const measure = async (input: string): Promise<number> => Math.ceil(input.length / 2)
  const model = (tools: LanguageModelTool[] = []): PromptModel => ({
    ...(oldNames
      ? { inputQuota: context, measureInputUsage: measure }
      : { contextWindow: context, measureContextUsage: measure }),
    async prompt(input, { responseConstraint } = {}) {
      if (responseConstraint) {
        stand.constraints.push(responseConstraint)
        return answers.shift() ?? '"none"'
      }
      stand.inputs.push(input)
      for (const { name, execute } of tools) {
        if (name === 'load_skill') await execute({ skill: 'invoice-check' })
      }
      return 'Paid.'
    },
    clone: async () => model(),
    destroy: () => {},
    addEventListener: (type, listener) => {
      if (type === (oldNames ? 'quotaoverflow' : 'contextoverflow')) stand.overflow = listener
    },
  })
  return stand
}

describe('the built-in model', () => {
  it('[BY-19] without tools, a message gets the instructions of its match once', async () => {
    const session = await start()
    const { factory, inputs, created, overflow: _, ...stand } = standInModel()
    const chat = await createPromptChat(session, { languageModel: factory })
    expect(chat.callsTools).toBe(false)
    expect(created).toEqual([{}])
    const { text, prepared } = await chat.prompt(INVOICE)
    expect([text, prepared.loaded]).toEqual(['Paid.', ['mine/invoice-check']])
    expect(inputs[0]).toMatch(/^check this invoice[\s\S]*Look up rates\.csv\.[\s\S]*standard,21/)
    await chat.prompt('thank you')
    expect(inputs[1]).toBe('thank you')
    expect(stand.constraints).toEqual([])
  })

  it('[BY-19] without tools, instructions are repeated after the browser has dropped messages', async () => {
    for (const oldNames of [false, true]) {
      const stand = standInModel({ oldNames })
      const chat = await createPromptChat(await start(), { languageModel: stand.factory })
      await chat.prompt(INVOICE)
      stand.overflow()
      await chat.prompt('thank you')
      expect(stand.inputs[1]).toContain('Look up rates.csv.')
    }
  })

  it('[BY-19] without tools, a message takes at most half of the context, as the model measures it', async () => {
    for (const oldNames of [false, true]) {
      const { factory, inputs } = standInModel({ context: 1_600, oldNames })
      const chat = await createPromptChat(await start(), { languageModel: factory })
      const { prepared } = await chat.prompt('repair the combustion engine')
      expect(prepared.loaded).toEqual(['mine/manual'])
      expect(inputs[0]).toContain('more characters are left out')
      expect((inputs[0] as string).length / 2).toBeLessThanOrEqual(800)
    }
  })

  it('[BY-19] without tools, the model chooses between uncertain matches by a constrained answer', async () => {
    const session = await start()
    const { matches: maybe } = await session.library.search('tea', { limit: 1 })
    // The real library, with a match that is always uncertain.
    const match = { value: async () => ({ matches: [], maybe }) }
    const library: Session['library'] = Object.create(session.library, { match })
    for (const [answer, expected] of [
      ['"mine/tea"', ['tea']],
      ['"none"', []],
      ['not JSON', []],
    ] as const) {
      const unsure = createSession(library)
      const { factory, inputs, constraints } = standInModel({ answers: [answer] })
      const chat = await createPromptChat(unsure, { languageModel: factory })
      const { prepared } = await chat.prompt('something warm')
      expect(constraints).toEqual([{ type: 'string', enum: ['mine/tea', 'none'] }])
      expect(opened(unsure)).toEqual(expected)
      expect(prepared.loaded).toHaveLength(expected.length)
      expect((inputs[0] as string).includes('Boil water.')).toBe(expected.length > 0)
    }
  })

  it('[BY-19] with tools, the model opens skills itself, and the conversation has their instructions', async () => {
    const session = await start()
    const { factory, inputs, created } = standInModel({ hasTools: true })
    const initialPrompts = [{ role: 'system', content: 'Be brief.' }]
    const chat = await createPromptChat(session, {
      languageModel: factory,
      create: { initialPrompts },
    })
    expect(chat.callsTools).toBe(true)
    expect(created[0]?.tools?.map(({ name }) => name)).toContain('load_skill')
    expect(created[0]?.initialPrompts?.[0]?.content).toMatch(
      /^Be brief\.\n\nThese skills[\s\S]*<available_skills>/,
    )
    await chat.prompt(INVOICE)
    expect(opened(session)).toEqual(['invoice-check'])
    await chat.prompt('thank you')
    expect(inputs[1]).toContain('thank you')
    expect(inputs[1]).not.toContain('skill_open')
  })

  it('[BY-19] a browser without the Prompt API is reported', async () => {
    vi.stubGlobal('LanguageModel', undefined)
    await expect(createPromptChat(await start())).rejects.toMatchObject({ code: 'unsupported' })
    vi.unstubAllGlobals()
    const languageModel = { ...standInModel().factory, availability: async () => 'unavailable' }
    await expect(createPromptChat(await start(), { languageModel })).rejects.toMatchObject({
      code: 'unsupported',
    })
  })
})

type Create = webLlm.ChatEngine['chat']['completions']['create']
const engineOf = (create: Create): webLlm.ChatEngine => ({ chat: { completions: { create } } })

/** A stand-in for an engine with a loaded model. Gives these replies, one after the other. */
function standInEngine(replies: readonly object[]) {
  const requests: { messages: { role: string; content: string }[]; tools?: object[] }[] = []
  const left = [...replies]
  const engine = engineOf(async request => {
    requests.push(request)
    return { choices: [{ message: left.shift() ?? {} }] }
  })
  return { engine, requests }
}
const call = (name: string, input: object) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: '0', type: 'function', function: { name, arguments: JSON.stringify(input) } }],
})

describe('WebLLM', () => {
  it('[BY-19] a model without tools gets the instructions in the message', async () => {
    const session = await start()
    const { engine, requests } = standInEngine([
      { role: 'assistant', content: 'Paid.' },
      { content: 'Bye.' },
    ])
    const { text, messages } = await webLlm.answerWithSkills(session, engine, { message: INVOICE })
    expect(text).toBe('Paid.')
    expect(requests[0]).toMatchObject({
      messages: [{ role: 'user', content: expect.stringContaining('standard,21') }],
    })
    expect(requests[0]?.tools).toBeUndefined()
    await webLlm.answerWithSkills(session, engine, { message: 'thank you', history: messages })
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    // The conversation that was kept has no instructions, so they are given again.
    expect(messages.map(({ content }) => content)).toEqual([INVOICE, 'Paid.'])
    expect(requests[1]?.messages[0]?.content).toBe(INVOICE)
    expect(requests[1]?.messages[2]?.content).toMatch(/^thank you\n\n[\s\S]*standard,21/)
  })

  it('[BY-19] a model with tools opens a skill, and answers without tools after its last call', async () => {
    const session = await start()
    const { engine, requests } = standInEngine([
      call('load_skill', { skill: 'invoice-check' }),
      { content: null, tool_calls: [] },
      { content: 'Paid.' },
    ])
    const { text, messages } = await webLlm.answerWithSkills(session, engine, {
      message: INVOICE,
      tools: true,
    })
    expect(text).toBe('Paid.')
    expect(opened(session)).toEqual(['invoice-check'])
    expect(requests.map(({ tools }) => tools?.length)).toEqual([4, 4, undefined])
    expect(requests.flatMap(({ messages }) => messages).some(({ role }) => role === 'system')).toBe(
      false,
    )
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(messages[0].content).toBe(INVOICE)
    const heads = requests.map(request => request.messages[0]?.content)
    expect(heads[0]).toMatch(/<available_skills>[\s\S]*\n\ncheck this invoice/)
    const later = standInEngine([{ content: 'Bye.' }])
    await webLlm.answerWithSkills(session, later.engine, {
      message: 'thank you',
      history: messages,
      tools: true,
    })
    expect(later.requests[0]?.messages.at(-1)?.content).not.toContain('<available_skills>')
    expect(heads[0]).toContain(later.requests[0]?.messages[0]?.content)
    const endless = standInEngine(
      Array.from({ length: 9 }, () => call('load_skill', { skill: 'tea' })),
    )
    await webLlm.answerWithSkills(session, endless.engine, {
      message: 'brew tea',
      tools: true,
      maxSteps: 2,
    })
    expect(endless.requests.map(({ tools }) => tools !== undefined)).toEqual([true, true, false])
  })

  it('[BY-19] abort interrupts the engine', async () => {
    const controller = new AbortController()
    let interrupted = 0
    const create: Create = async () => {
      controller.abort()
      return { choices: [] }
    }
    const engine: webLlm.ChatEngine = {
      ...engineOf(create),
      interruptGenerate: () => interrupted++,
    }
    const answering = webLlm.answerWithSkills(await start(), engine, {
      message: 'tea',
      signal: controller.signal,
    })
    await expect(answering).rejects.toMatchObject({ name: 'AbortError' })
    expect(interrupted).toBe(1)
  })

  it('[BY-19] the real engine takes the request, and asks for a model', async () => {
    expect(functionCallingModelIds.length).toBeGreaterThan(0)
    const answering = webLlm.answerWithSkills(await start(), new MLCEngine(), { message: INVOICE })
    await expect(answering).rejects.toMatchObject({ name: 'ModelNotLoadedError' })
  })
})

it('[BY-19] a text generation pipeline of transformers.js gets the instructions in the message', async () => {
  /** A stand-in for a pipeline: returns the conversation with an answer. */
  const seen: object[] = []
  const sent: unknown[] = []
  const generator: transformers.TextGenerator = async (
    messages: transformers.GeneratorMessage[],
    options,
  ) => {
    seen.push(options)
    sent.push(...messages)
    return [{ generated_text: [...messages, { role: 'assistant', content: 'Paid.' }] }]
  }
  const request = { message: INVOICE, generation: { do_sample: false } }
  const { text, messages } = await transformers.answerWithSkills(await start(), generator, request)
  expect(text).toBe('Paid.')
  const content = expect.stringContaining('Look up rates.csv.')
  expect(sent).toMatchObject([{ role: 'user', content }])
  expect(messages).toMatchObject([{ role: 'user', content: INVOICE }, { role: 'assistant' }])
  expect(seen).toEqual([{ max_new_tokens: 512, do_sample: false }])
})
