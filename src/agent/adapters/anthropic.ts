import { callTool } from '../session/call-tool.js'
import type { HostMessage } from '../session/messages.js'
import type { ToolInputSchema } from '../session/tool-types.js'
import type { Session } from '../session/types.js'
import { type AnswerOptions, answerEach } from './openai.js'
import { prepareCall, type RequestOptions, unlessEmpty } from './request.js'

// These types match those of `@anthropic-ai/sdk`, which is not needed at run time.

/** A tool of the Messages API. */
export interface MessagesTool {
  name: string
  description: string
  input_schema: ToolInputSchema
}

/** A tool result, for the next user message. */
export interface ToolResultBlock {
  type: 'tool_result'
  tool_use_id: string
  content: string
  is_error?: true
}

interface ToolUseBlock {
  type: 'tool_use'
  id: string
  name: string
  input: unknown
}

/**
 * Converts the tools of a session for `messages.create`.
 * @returns The tools of the current library. Call it again for each turn.
 * @example
 * ```ts
 * const message = await anthropic.messages.create({ model, max_tokens, messages, tools: skillTools(session) })
 * ```
 */
export function skillTools(session: Session): MessagesTool[] {
  return session
    .tools()
    .map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }))
}

/** The part of a request to `messages.create` that skills are in. */
export interface MessagesRequest<Message> {
  /** Absent if it is empty. */
  system?: string
  messages: Message[]
  /** Absent if no skill is offered. */
  tools?: MessagesTool[]
}

/**
 * Prepares a call of `messages.create`.
 * @param messages The conversation as you keep it: it ends with the message of the user, or with tool results.
 * @param options `system`: your own system prompt. `files`, `url`: where the user works. `signal`, `limit`, `threshold`.
 * @returns What to send. Keep `messages` as they are, and append the reply to them.
 * @throws every error of `session.prepare`
 * @example
 * ```ts
 * messages.push({ role: 'user', content: 'Check this invoice before I pay it' })
 * const request = await prepareRequest(session, messages, { system: 'You are a helpful assistant.' })
 * const reply = await anthropic.messages.create({ model, max_tokens, ...request })
 * ```
 */
export async function prepareRequest<Message extends HostMessage>(
  session: Session,
  messages: readonly Message[],
  options: RequestOptions = {},
): Promise<MessagesRequest<Message>> {
  const { system, messages: sent } = await prepareCall(session, messages, options)
  return {
    ...unlessEmpty('system', system),
    messages: sent,
    ...unlessEmpty('tools', skillTools(session)),
  }
}

/**
 * Runs the tool uses of a message, in order.
 * @param session The session whose tools were offered.
 * @param content The `content` of the model's message.
 * @param options `hostTools`: names of your own tools, whose uses are skipped. `signal`.
 * @returns Blocks for one user message after it.
 * @throws SkillshelfError `aborted`
 * @example
 * ```ts
 * const results = await answerToolUses(session, message.content)
 * messages.push({ role: 'assistant', content: message.content }, { role: 'user', content: results })
 * ```
 */
export async function answerToolUses(
  session: Session,
  content: readonly { type: string }[],
  options: AnswerOptions = {},
): Promise<ToolResultBlock[]> {
  const uses = content.filter((block): block is ToolUseBlock => block.type === 'tool_use')
  return answerEach(uses, options, async ({ id, name, input }) => {
    const { text, isError } = await callTool(session, name, input, { signal: options.signal })
    return {
      type: 'tool_result',
      tool_use_id: id,
      content: text,
      ...(isError ? { is_error: true } : {}),
    }
  })
}
