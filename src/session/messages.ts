import { SkillshelfError } from '../core/errors.js'
import type { HostMessage, SessionMessage } from './types.js'

const ROLES: Readonly<Record<string, SessionMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  tool: 'tool',
  function: 'tool',
  function_call_output: 'tool',
}

/** The messages of a host as text; those that are text already stay as they are. @throws SkillshelfError `invalid-input` */
export function normalizeMessages(messages: readonly HostMessage[]): SessionMessage[] {
  if (!Array.isArray(messages) || !messages.every(one => typeof one === 'object' && one !== null))
    throw new SkillshelfError('invalid-input', 'The messages are no list of messages', {
      hint: 'give [{ role, content }, …], oldest first',
    })
  return messages.map(message => {
    const { role, type, content } = message
    const known = ROLES[role ?? type ?? ''] ?? 'assistant'
    if (typeof content === 'string' && role === known) return message as SessionMessage
    return { role: known === 'user' && isToolResult(content) ? 'tool' : known, content: messageText(message) }
  })
}

/** Anthropic has what tools gave in a user's message. */
function isToolResult(content: unknown): boolean {
  return Array.isArray(content) && content.length > 0 && content.every(part => part?.type === 'tool_result')
}

/** The text in a message or a part of one, whichever SDK it is of: what is said, and what tools gave. */
function messageText(part: unknown): string {
  if (typeof part === 'string') return part
  if (Array.isArray(part)) return part.map(messageText).filter(Boolean).join('\n')
  if (typeof part !== 'object' || part === null) return ''
  const { type, text, content, parts, output, value } = part as Record<string, unknown>
  if (type === 'json' && value !== undefined) return JSON.stringify(value)
  return messageText(text ?? content ?? parts ?? output ?? value)
}
