import { estimateTokens, SkillshelfError } from 'skillshelf'
import { answerToolCalls, type ChatTool, skillTools } from 'skillshelf/adapters/openai'
import {
  createSession,
  type PreparedTurn,
  type Session,
  type SessionActivity,
} from 'skillshelf/session'
import type { Library } from '../context.js'
import { inlinedTokens, unlistedTokens } from '../views/context-usage.js'

/** A message of the Chat Completions API. */
export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content?: string | null; tool_calls?: readonly ToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string }

export interface ToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/** Sends a conversation to a model and returns its message. `onText` is called with the beginning of the message while it arrives. */
export type Complete = (
  request: { messages: readonly ChatMessage[]; tools: readonly ChatTool[] },
  signal: AbortSignal,
  onText?: (text: string) => void,
) => Promise<Extract<ChatMessage, { role: 'assistant' }>>

/** What one message of the user led to. */
export interface Turn {
  message: string
  /** The answer, in Markdown. */
  answer: string
  activities: readonly SessionActivity[]
  /** Tokens that the model read, in all calls, and wrote. */
  tokens: Usage
  /** The same with the names and descriptions of all skills in each call, as agents list them. */
  listed: Usage
  /** The same with every skill inlined, and without tools. */
  inlined: Usage
}

/** Estimated tokens. */
export interface Usage {
  in: number
  out: number
}

/** A conversation with a model that opens skills. */
export interface Agent {
  readonly session: Session
  /**
   * @throws SkillshelfError `aborted`, `model-failed` if the model keeps calling tools; every error of the model. The conversation is then
   * as before.
   */
  ask(message: string, signal: AbortSignal, onText?: (text: string) => void): Promise<Turn>
  /** Forgets all turns but the first ones. Absent if the model keeps the conversation itself. */
  rewind?(turns: number): void
}

/** The prompt names no skill: each message comes with those that fit it, and the model searches for others. */
const CATALOG_TOKENS = 0
const SYSTEM =
  'You are an assistant in a web page. Answer in the language of the user, in Markdown. You cannot run anything: show the user which command to run.'
/** Calls of the model for one message. */
const MAX_CALLS = 8

/** Starts a conversation with a model that calls tools. */
export function createAgent(library: Library, complete: Complete): Agent {
  const session = createSession(library, {
    catalogTokens: CATALOG_TOKENS,
    system: SYSTEM,
  })
  /** After each turn: the conversation, and its tokens without what skillshelf adds to it. */
  const states: { conversation: readonly ChatMessage[]; plain: number }[] = [
    { conversation: [], plain: 0 },
  ]
  const last = (): (typeof states)[number] => states.at(-1) as (typeof states)[number]

  const answer = async (
    messages: ChatMessage[],
    prepared: PreparedTurn<ChatMessage>,
    signal: AbortSignal,
    onText?: (text: string) => void,
  ): Promise<{ text: string; tokens: Usage; listed: Usage }> => {
    const tokens: Usage = { in: 0, out: 0 }
    let unlisted = 0
    for (let call = 0; call < MAX_CALLS; call++) {
      const system = { role: 'system', content: `${SYSTEM}\n\n${prepared.system}` } as const
      // The tail is sent, and not kept.
      const request = [system, ...prepared.messages, ...messages.slice(prepared.messages.length)]
      const reply = await complete(
        { messages: request, tools: skillTools(session) },
        signal,
        onText,
      )
      messages.push({ ...reply, role: 'assistant' })
      tokens.in += session.ledger().tools.tokens + tokensOf(request)
      tokens.out += tokensOf([reply])
      unlisted += unlistedTokens(session)
      const results = await answerToolCalls(session, reply, { signal })
      messages.push(...results)
      session.observe(messages)
      if (results.length > 0) continue
      const listed = { in: tokens.in + unlisted, out: tokens.out }
      return { text: reply.content ?? '', tokens, listed }
    }
    throw new SkillshelfError(
      'model-failed',
      `The model called tools ${MAX_CALLS} times without an answer`,
    )
  }

  return {
    session,
    async ask(message, signal, onText) {
      const activities: SessionActivity[] = []
      const stop = session.on('activity', activity => activities.push(activity))
      const { conversation, plain } = last()
      try {
        const messages: ChatMessage[] = [...conversation, { role: 'user', content: message }]
        const prepared = await session.prepare({ messages }, { signal })
        const { text, tokens, listed } = await answer(messages, prepared, signal, onText)
        const read = plain + estimateTokens(message)
        const out = estimateTokens(text)
        states.push({ conversation: messages, plain: read + out })
        const inlined = {
          in: estimateTokens(SYSTEM) + inlinedTokens(library.snapshot.skills) + read,
          out,
        }
        return { message, answer: text, activities, tokens, listed, inlined }
      } catch (error) {
        session.observe(conversation)
        throw error
      } finally {
        stop()
      }
    },
    rewind(turns) {
      states.length = Math.min(states.length, turns + 1)
      session.observe(last().conversation)
    },
  }
}

/** Tokens of what messages say, without their JSON. */
function tokensOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => {
    const calls = 'tool_calls' in message ? JSON.stringify(message.tool_calls) : ''
    return sum + estimateTokens(`${message.content ?? ''}${calls}`)
  }, 0)
}
