import { invalidInput } from '../../core/errors.js'
import { isRecord } from '../../core/plain-data.js'
import { toolCallText } from './tool-calls.js'

/**
 * A message in the format of the AI SDK, OpenAI (both APIs, Agents SDK), Anthropic, LangChain, Mastra, TanStack AI or Genkit.
 * Content is text, `null` or parts; parts without text are ignored.
 */
export interface HostMessage {
  role?: string | undefined
  /** Stands in for a missing role, such as `human` or `function_call_output`. */
  type?: string | null | undefined
  content?: unknown
  parts?: unknown
  output?: unknown
}

/** A message as text. */
export interface SessionMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  /** The tool calls of the message: a line of name and arguments each. They are counted only. Absent without calls. */
  calls?: string
}

const ROLES: Readonly<Record<string, SessionMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  tool: 'tool',
  function: 'tool',
  function_call_output: 'tool',
  function_call_result: 'tool',
}

/**
 * Converts messages of any supported SDK to text, and leaves those that are text as they are.
 * @param option Name of the argument, for the error.
 * @throws SkillshelfError `invalid-input`
 */
export function normalizeMessages(
  messages: readonly HostMessage[],
  option = 'messages',
): SessionMessage[] {
  if (
    !Array.isArray(messages) ||
    !messages.every(message => typeof message === 'object' && message !== null)
  ) {
    throw invalidInput(
      `"${option}" must be an array of messages`,
      'pass [{ role, content }, …], oldest first',
    )
  }
  return messages.map(message => {
    const { role, type, content } = message
    const normalizedRole = ROLES[role ?? type ?? ''] ?? 'assistant'
    const calls = toolCallText(message)
    if (typeof content === 'string' && role === normalizedRole && calls === '') {
      return message as SessionMessage
    }
    return {
      role: normalizedRole === 'user' && isToolResult(content) ? 'tool' : normalizedRole,
      content: messageText(message),
      ...(calls === '' ? {} : { calls }),
    }
  })
}

/** Anthropic sends tool results in user messages. */
function isToolResult(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every(part => part?.type === 'tool_result')
  )
}

/** Collects the text of a message or message part, tool output included. */
function messageText(part: unknown): string {
  if (typeof part === 'string') return part
  if (Array.isArray(part)) return part.map(messageText).filter(Boolean).join('\n')
  if (!isRecord(part)) return ''
  const { type, text, content, parts, output, toolResponse, value } = part
  if (type === 'json' && value !== undefined) return JSON.stringify(value)
  return messageText(text ?? content ?? parts ?? output ?? toolResponse ?? value)
}
