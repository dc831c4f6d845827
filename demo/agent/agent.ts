import { estimateTokens, SkillshelfError } from 'skillshelf'
import { answerToolCalls, type ChatTool, skillTools } from 'skillshelf/adapters/openai'
import { createSession, type Session, type SessionActivity } from 'skillshelf/session'
import type { Library } from '../context.js'

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
  /** Tokens in the context after the answer. */
  tokens: number
  /** The same with every skill inlined, and without tools. */
  inlined: number
}

/** A conversation with a model that opens skills. */
export interface Agent {
  readonly session: Session
  /**
   * @throws SkillshelfError `aborted`, `model-failed` if the model keeps calling tools; every error of the model. The conversation is then
   * as before.
   */
  ask(message: string, signal: AbortSignal, onText?: (text: string) => void): Promise<Turn>
}

/** The prompt names no skill: each message comes with those that fit it, and the model searches for others. */
const CATALOG_TOKENS = 0
const SYSTEM =
  'You are an assistant in a web page. Answer in the language of the user, in Markdown. You cannot run anything: show the user which command to run.'
/** Calls of the model for one message. */
const MAX_CALLS = 8

/** Starts a conversation with a model that calls tools. */
export function createAgent(library: Library, complete: Complete): Agent {
  const toolTokens = estimateTokens(JSON.stringify(skillTools(createSession(library))))
  const session = createSession(library, { catalogTokens: CATALOG_TOKENS, system: estimateTokens(SYSTEM) + toolTokens })
  let conversation: readonly ChatMessage[] = []
  /** Tokens of the conversation without what skillshelf adds to it. */
  let plainTokens = 0

  const answer = async (
    messages: ChatMessage[],
    system: string,
    signal: AbortSignal,
    onText?: (text: string) => void,
  ): Promise<string> => {
    for (let call = 0; call < MAX_CALLS; call++) {
      const request = [{ role: 'system', content: `${SYSTEM}\n\n${system}` } as const, ...messages]
      const reply = await complete({ messages: request, tools: skillTools(session) }, signal, onText)
      messages.push({ ...reply, role: 'assistant' })
      const results = await answerToolCalls(session, reply, { signal })
      messages.push(...results)
      session.observe(messages)
      if (results.length === 0) return reply.content ?? ''
    }
    throw new SkillshelfError('model-failed', `The model called tools ${MAX_CALLS} times without an answer`)
  }

  return {
    session,
    async ask(message, signal, onText) {
      const activities: SessionActivity[] = []
      const stop = session.on('activity', activity => activities.push(activity))
      try {
        const { system, tail } = await session.prepare({ message, history: conversation }, { signal })
        const messages = [
          ...conversation,
          { role: 'user' as const, content: [message, tail].filter(Boolean).join('\n\n') },
        ]
        const text = await answer(messages, system, signal, onText)
        conversation = messages
        plainTokens += estimateTokens(message) + estimateTokens(text)
        const inlined = estimateTokens(SYSTEM) + inlinedTokens(library) + plainTokens
        return { message, answer: text, activities, tokens: session.ledger().total, inlined }
      } catch (error) {
        session.observe(conversation)
        throw error
      } finally {
        stop()
      }
    },
  }
}

/** Tokens of all skills in the prompt. */
export function inlinedTokens({ snapshot }: Library): number {
  return snapshot.skills.reduce((sum, { tokens }) => sum + tokens.metadata + tokens.instructions, 0)
}
