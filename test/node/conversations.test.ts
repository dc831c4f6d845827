import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { generateText, type ModelMessage, stepCountIs, wrapLanguageModel } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { userWords } from '../../src/core/text/user-words.js'
import * as aiSdk from '../../src/exports/adapters/ai-sdk.js'
import * as anthropic from '../../src/exports/adapters/anthropic.js'
import * as langchain from '../../src/exports/adapters/langchain.js'
import * as openai from '../../src/exports/adapters/openai.js'
import { createSession, type HostMessage, type Session } from '../../src/exports/session.js'
import { skill } from '../skill-file.js'
import { openFiles } from './agent-world.js'

/** Nine turns with each SDK: what is kept is of the user and the model, and what is sent begins with it. */

const FILES = Object.fromEntries(
  Object.entries({
    money: 'Analyzes bank transactions and tracks what was spent per month.',
    wechat: 'Publishes a Markdown article to a WeChat account.',
    video: 'Cuts, merges and converts video clips with ffmpeg.',
    weather: 'Fetches the weather forecast for a place.',
    hotel: 'Finds hotels and hostels near a place.',
    music: 'Controls speakers and Spotify playback at home.',
  }).map(([name, description]) => [`${name}/SKILL.md`, skill(name, description, 'Do it.')]),
)
const TURNS: readonly [message: string, skill: string][] = [
  ['weather in Zurich tomorrow', 'weather'],
  ['and in Geneva?', 'weather'],
  ['cut this video clip to ten seconds', 'video'],
  ['yes, do that', 'video'],
  ['analyze what I spent by my bank transactions this month', 'money'],
  ['and last month?', 'money'],
  ['find a hostel near the station', 'hotel'],
  ['and for two nights?', 'hotel'],
  ['is there a cheaper one?', 'hotel'],
]
const SYSTEM = 'You are a helpful assistant.'
const ANSWER = 'Done. I can also publish it to WeChat, or play music on the speakers.'

/** One call of the model: the system prompt, the messages, and what was kept before them. */
interface Call {
  system: unknown
  sent: readonly unknown[]
  kept: readonly unknown[]
}

/** A conversation with an SDK, and a scripted model that opens the skill that comes first in the tail, once. */
interface Client {
  /** The conversation as it is kept. */
  history: readonly HostMessage[]
  /** Says a message. `onCall` is called with each call of the model. */
  say(message: string, onCall: (call: Call) => void): Promise<void>
  /** Leaves the last messages only. */
  compact(kept: number): void
}

/** The skill that a tail puts first. */
const firstIn = (sent: unknown): string | undefined =>
  /<matching_skills>[\s\S]*?<name>([\w-]+)<\/name>/.exec(textOf(sent))?.[1]
const textOf = (sent: unknown): string => JSON.stringify(sent)
/** The first match of each message from now on. */
function firstMatches(session: Session): (string | undefined)[] {
  const first: (string | undefined)[] = []
  session.on('activity', ({ type, matches }) => {
    if (type === 'prepare') first.push(matches?.[0]?.id.split('/').at(-1))
  })
  return first
}
const opens = (session: Session, sent: unknown): string | undefined => {
  const first = firstIn((sent as unknown[]).at(-1))
  const isOpen = session.open.some(({ skill }) => skill.name === first)
  return isOpen ? undefined : first
}

function chat(session: Session): Client {
  let history: HostMessage[] = []
  return {
    get history() {
      return history
    },
    async say(message, onCall) {
      history.push({ role: 'user', content: message })
      for (let step = 0; step < 3; step++) {
        const { messages } = await openai.prepareRequest(session, history, { system: SYSTEM })
        const [system, ...sent] = messages
        onCall({ system, sent, kept: [...history] })
        const name = step === 0 ? opens(session, sent) : undefined
        const call = { name: 'load_skill', arguments: JSON.stringify({ skill: name }) }
        const reply = {
          role: 'assistant',
          content: name ? null : ANSWER,
          ...(name && {
            tool_calls: [{ id: `${history.length}`, type: 'function', function: call }],
          }),
        }
        history.push(reply, ...(await openai.answerToolCalls(session, reply)))
        if (!name) return
      }
    },
    compact: kept => {
      history = history.slice(-kept)
    },
  }
}

function responses(session: Session): Client {
  let history: HostMessage[] = []
  return {
    get history() {
      return history
    },
    async say(message, onCall) {
      history.push({
        role: 'user',
        content: [{ type: 'input_text', text: message }],
      } as HostMessage)
      for (let step = 0; step < 3; step++) {
        const { instructions, input } = await openai.prepareResponse(session, history, {
          system: SYSTEM,
        })
        onCall({ system: instructions, sent: input, kept: [...history] })
        const name = step === 0 ? opens(session, input) : undefined
        const output = name
          ? {
              type: 'function_call',
              call_id: `${history.length}`,
              name: 'load_skill',
              arguments: JSON.stringify({ skill: name }),
            }
          : { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: ANSWER }] }
        history.push(output, ...(await openai.answerFunctionCalls(session, [output])))
        if (!name) return
      }
    },
    compact: kept => {
      history = history.slice(-kept)
    },
  }
}

function messagesApi(session: Session): Client {
  let history: HostMessage[] = []
  return {
    get history() {
      return history
    },
    async say(message, onCall) {
      history.push({ role: 'user', content: [{ type: 'text', text: message }] })
      for (let step = 0; step < 3; step++) {
        const { system, messages } = await anthropic.prepareRequest(session, history, {
          system: SYSTEM,
        })
        onCall({ system, sent: messages, kept: [...history] })
        const name = step === 0 ? opens(session, messages) : undefined
        const input = { skill: name }
        const content = name
          ? [{ type: 'tool_use', id: `${history.length}`, name: 'load_skill', input }]
          : [{ type: 'text', text: ANSWER }]
        history.push({ role: 'assistant', content })
        if (!name) return
        history.push({ role: 'user', content: await anthropic.answerToolUses(session, content) })
      }
    },
    compact: kept => {
      history = history.slice(-kept)
    },
  }
}

function langChain(session: Session): Client {
  let history: BaseMessage[] = []
  return {
    get history() {
      return history
    },
    async say(message, onCall) {
      history.push(new HumanMessage(message))
      for (let step = 0; step < 3; step++) {
        const { messages, tools } = await langchain.prepareRequest(session, history, {
          system: SYSTEM,
        })
        const [system, ...sent] = messages
        expect(messages.at(-1)?.getType()).toBe(history.at(-1)?.getType())
        const seen = (some: readonly BaseMessage[]) => some.map(({ content }) => ({ content }))
        onCall({ system: system?.content, sent: seen(sent), kept: seen(history) })
        const name = step === 0 ? opens(session, seen(sent)) : undefined
        const call = { id: `${history.length}`, name: 'load_skill', args: { skill: name } }
        history.push(new AIMessage({ content: name ? '' : ANSWER, tool_calls: name ? [call] : [] }))
        if (!name) return
        const load = tools.find(tool => tool.name === call.name)
        history.push(await load?.invoke({ ...call, type: 'tool_call' }))
      }
    },
    compact: kept => {
      history = history.slice(-kept)
    },
  }
}

/** The real loop of the AI SDK. */
function vercel(session: Session): Client {
  let history: ModelMessage[] = []
  return {
    get history() {
      return history
    },
    async say(message, onCall) {
      history.push({ role: 'user', content: message })
      const before = history.length
      const model = new MockLanguageModelV3({
        doGenerate: async ({ prompt }) => {
          const [system, ...sent] = prompt
          // The SDK converts what is kept: the first messages of the conversation, and the steps of this turn.
          onCall({
            system: system?.content,
            sent,
            kept: sent.map((one, at) => (at < before ? history[at] : one)),
          })
          const name = sent.length === before ? opens(session, sent) : undefined
          const call = {
            type: 'tool-call' as const,
            toolCallId: `${before}`,
            toolName: 'load_skill',
            input: JSON.stringify({ skill: name }),
          }
          return {
            content: [name ? call : { type: 'text' as const, text: ANSWER }],
            finishReason: { unified: name ? 'tool-calls' : 'stop', raw: undefined } as const,
            usage: {
              inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
              outputTokens: { total: 1, text: 1, reasoning: undefined },
            },
            warnings: [],
          }
        },
      })
      const { responseMessages } = await generateText({
        model: wrapLanguageModel({ model, middleware: aiSdk.skillMiddleware(session) }),
        system: SYSTEM,
        messages: history,
        tools: aiSdk.skillTools(session),
        stopWhen: stepCountIs(3),
      })
      history.push(...responseMessages)
    },
    compact: kept => {
      history = history.slice(-kept)
    },
  }
}

const clients = [
  ['OpenAI, Chat Completions', chat],
  ['OpenAI, Responses', responses],
  ['Anthropic', messagesApi],
  ['LangChain', langChain],
  ['the AI SDK', vercel],
] as const

/** Text of this library that no tool returned. */
const ownText = (history: readonly unknown[]): string[] =>
  textOf(history).match(/<(?:matching|possible)_skills>|<skill_(?:note|open)/g) ?? []

describe.each(clients)('%s', (name, create) => {
  const start = async () => {
    const { library } = await openFiles(FILES)
    const session = createSession(library)
    return { session, client: create(session) }
  }

  it('[BY-29] finds the skill of each message, and keeps nothing of its own', async () => {
    const { session, client } = await start()
    const systems = new Set<string>()
    const found: [string, string | undefined][] = []
    const shown: (string | undefined)[] = []
    const matched = firstMatches(session)
    let previous = ''
    for (const [message] of TURNS) {
      const calls: Call[] = []
      await client.say(message, call => calls.push(call))
      const [first] = calls as [Call]
      found.push([message, matched.splice(0)[0]])
      shown.push(firstIn(first.sent.at(-1)))
      for (const { system, sent, kept } of calls) {
        systems.add(textOf(system))
        if (name === 'the AI SDK') continue
        // All but the last message, which has the tail at its end.
        expect(sent.slice(0, -1)).toEqual(kept.slice(0, -1))
        const [own, last] = [textOf(kept.at(-1)), textOf(sent.at(-1))]
        expect(last.startsWith(own.slice(0, own.lastIndexOf(message) + message.length))).toBe(true)
      }
      const head = textOf(first.sent.slice(0, -1)).slice(0, -1)
      expect(head.startsWith(previous)).toBe(true)
      previous = head
      expect(ownText(client.history)).toEqual([])
    }
    expect(found).toEqual(TURNS)
    // A skill that is open is no row: its instructions are in the conversation.
    const skills = TURNS.map(([, skill]) => skill)
    expect(shown).toEqual(
      skills.map((skill, turn) => (skills.indexOf(skill) < turn ? undefined : skill)),
    )
    expect([...systems]).toHaveLength(1)
    expect([...systems][0]).toContain(SYSTEM)
    expect(session.open.map(({ skill }) => skill.name)).toEqual([
      'weather',
      'video',
      'money',
      'hotel',
    ])
  })

  it('[BY-29] [BY-8] finds them in a conversation that was shortened, and says what it lost', async () => {
    const { session, client } = await start()
    for (const [message] of TURNS.slice(0, 6)) await client.say(message, () => {})
    client.compact(2)
    expect(textOf(client.history)).not.toContain('skill_content')
    const calls: Call[] = []
    const matched = firstMatches(session)
    await client.say('and the month before?', call => calls.push(call))
    const last = textOf(calls[0]?.sent.at(-1))
    expect(matched[0]).toBe('money')
    expect(last).toMatch(/money[\s\S]*left out of this conversation: load_skill restores them/)
    expect(session.open.length).toBe(3)
  })
})

it('[BY-29] an unanswered message leans on the one before it', async () => {
  const { library } = await openFiles(FILES)
  const messages = [
    { role: 'user', content: 'weather in Zurich tomorrow' },
    { role: 'user', content: 'and in Geneva?' },
  ]
  const { matches } = await createSession(library).prepare({ messages })
  expect(matches[0]?.name).toBe('weather')
})

it.each([
  ['a string', 'Hello'],
  ['parts', [{ type: 'text', text: 'Hello' }]],
])('[BY-29] a text is added to a message of %s, which stays as it is', async (_, content) => {
  const { library } = await openFiles(FILES)
  const before = [{ role: 'user', content }] as const
  const copy = structuredClone(before)
  const { messages, tail } = await createSession(library, { auto: true }).prepare({
    messages: [{ role: 'user', content: 'weather in Zurich tomorrow' }, ...before.slice(1)],
  })
  expect(before).toEqual(copy)
  expect(userWords(messages[0]?.content as string).message).toBe('weather in Zurich tomorrow')
  expect(tail).toContain('<skill_content')
})
