import { invalidInput } from '../../core/errors.js'
import { isRecord } from '../../core/plain-data.js'
import { userWords } from '../../core/text/user-words.js'
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
  function_call_result: 'tool',
}
/** Results of tools of the Responses API: `function_call_output`, `custom_tool_call_output`, `shell_call_output`. */
const OUTPUT_TYPE = /_output$/

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
    !messages.every((message: unknown): boolean => isRecord(message))
  ) {
    throw invalidInput(
      `"${option}" must be an array of messages`,
      'pass [{ role, content }, …], oldest first',
    )
  }
  return messages.flatMap(message => {
    const { role, content } = message
    const parts = content ?? message.parts
    const normalizedRole = roleOf(message)
    const calls = toolCallText(message)
    if (typeof content === 'string' && role === normalizedRole && calls === '') {
      return [message as SessionMessage]
    }
    // Anthropic, Gemini and Bedrock send the results of tools in user messages, also before words of the user.
    const results =
      normalizedRole === 'user' && Array.isArray(parts) ? parts.filter(isToolResult) : []
    if (results.length === 0) {
      const text = { role: normalizedRole, content: messageText(message) }
      return [calls === '' ? text : { ...text, calls }]
    }
    const said = messageText((parts as unknown[]).filter(part => !isToolResult(part)))
    return [
      { role: 'tool' as const, content: messageText(results) },
      ...(said === '' ? [] : [{ role: normalizedRole, content: said }]),
    ]
  })
}

function roleOf({ role, type }: HostMessage): SessionMessage['role'] {
  const name = role ?? type ?? ''
  return ROLES[name] ?? (OUTPUT_TYPE.test(name) ? 'tool' : 'assistant')
}

/** Whether a part is the result of a tool, or of a search of the host. */
function isToolResult(part: unknown): boolean {
  if (!isRecord(part)) return false
  const { type, functionResponse, toolResult } = part
  const isResult = type === 'tool_result' || type === 'search_result'
  return isResult || (functionResponse ?? toolResult) !== undefined
}

/** Messages of the user that are read for a message that leans on them. */
const MAX_EARLIER = 20

/** What the user said last, and before it, oldest first. */
export interface Said {
  /** `''` if a machine alone has spoken since the model did. */
  message: string
  /** What the user pasted beside it: see `UserWords`. */
  pasted: string
  earlier: string[]
  /** Whether the model has answered the message, by a call of a tool: this is another step of the turn. */
  isContinued: boolean
}

/** Reads what the user said in a conversation that ends with the message of the user, or with results of tools. */
export function saidLast(messages: readonly SessionMessage[]): Said {
  const replied = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool')
  const isUser = ({ role }: SessionMessage): boolean => role === 'user'
  const isContinued = !messages.slice(replied + 1).some(isUser)
  const first = isContinued ? messages.findLastIndex(isUser) : replied + 1
  for (let index = messages.length - 1; index >= Math.max(0, first); index--) {
    const one = messages[index] as SessionMessage
    const { message, pasted } = isUser(one) ? userWords(one.content) : NOTHING
    if (message === '') continue
    return { message, pasted, earlier: saidIn(messages.slice(0, index)), isContinued }
  }
  return { ...NOTHING, earlier: saidIn(messages), isContinued }
}

const NOTHING = { message: '', pasted: '' }

/** What the user said in a conversation, without what is pasted, oldest first. */
export function saidIn(messages: readonly SessionMessage[]): string[] {
  return messages
    .filter(({ role }) => role === 'user')
    .slice(-MAX_EARLIER)
    .map(({ content }) => userWords(content).message)
    .filter(message => message !== '')
}

/**
 * Adds a text to the end of a conversation: to its last message, if that is of the user or a tool. So the conversation before it stays the
 * same, byte for byte, and no API sees roles in an order that it refuses. The given messages are not changed.
 */
export function withText<Message extends HostMessage>(
  messages: readonly Message[],
  text: string,
): Message[] {
  const last = messages.at(-1)
  const role = last && roleOf(last)
  if (!last || text === '' || role === 'assistant' || role === 'system') return [...messages]
  const own = role === 'user' ? withCacheOnPart(last) : last
  for (const field of ['content', 'parts', 'output'] as const) {
    const added = addText(own[field], text, role)
    if (added === undefined) continue
    // Messages of LangChain are instances of classes.
    const copy = Object.create(Object.getPrototypeOf(last) as object) as Message
    return [...messages.slice(0, -1), Object.assign(copy, own, { [field]: added })]
  }
  const content = Array.isArray(last.content) ? [textPart(last.content, text)] : text
  return [...messages, { role: 'user', content } as unknown as Message]
}

/**
 * A message of the AI SDK whose end is the end of what Anthropic caches has that mark at its last part instead: the text
 * after it is another one in each call.
 */
function withCacheOnPart<Message extends HostMessage>(message: Message): Message {
  const { providerOptions, ...rest } = message as Message & { providerOptions?: unknown }
  const options = isRecord(providerOptions) ? providerOptions['anthropic'] : undefined
  const { content } = message
  const parts: unknown = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const last: unknown = Array.isArray(parts) ? parts.at(-1) : undefined
  if (!isRecord(options) || options['cacheControl'] === undefined || !isRecord(last)) return message
  const marked = { providerOptions, ...last }
  return { ...rest, content: [...(parts as unknown[]).slice(0, -1), marked] } as Message
}

/** Content with a text at its end. `undefined` if it holds no text. */
function addText(content: unknown, text: string, role?: SessionMessage['role']): unknown {
  if (typeof content === 'string') return content === '' ? text : `${content}\n\n${text}`
  if (isRecord(content)) return addToRecord(content, text)
  if (!Array.isArray(content) || content.length === 0) return undefined
  const last: unknown = content.at(-1)
  // Results of tools in messages of their own, of the AI SDK and Genkit: no other part may stand beside them.
  if (!isRecord(last) || !(last['output'] || last['toolResponse'])) {
    const isForText = role !== 'tool' || content.some(part => messageText(part) !== '')
    return isForText ? [...content, textPart(content, text)] : undefined
  }
  const field = last['output'] ? 'output' : 'toolResponse'
  const added = addText(last[field], text)
  return added === undefined ? undefined : [...content.slice(0, -1), { ...last, [field]: added }]
}

/** The output of a tool with a text at its end: `{ type: 'text', value }`, `{ type: 'text', text }`, `{ output }`. */
function addToRecord(
  content: Readonly<Record<string, unknown>>,
  text: string,
): Record<string, unknown> | undefined {
  if (content['type'] === 'json') return undefined
  for (const field of ['text', 'value', 'output']) {
    const inner = content[field]
    if (typeof inner !== 'string' && !(field === 'value' && Array.isArray(inner))) continue
    const added = addText(inner, text)
    if (added !== undefined) return { ...content, [field]: added }
  }
  return undefined
}

/** Fields of a part that have its text: of TanStack AI, and of the Prompt API. */
const TEXT_FIELDS = ['content', 'value'] as const

/** A part of a message in the form of its other parts: `{ type: 'text', text }`, `input_text` of Responses, `{ text }` of Genkit. */
function textPart(parts: readonly unknown[], text: string): Record<string, unknown> {
  const fieldOf = (part: Readonly<Record<string, unknown>>) =>
    part['type'] === 'text' ? TEXT_FIELDS.find(field => part[field] !== undefined) : undefined
  const like = parts.filter(isRecord).findLast(part => {
    const { type } = part
    return type === 'input_text' || type === undefined || fieldOf(part) !== undefined
  })
  if (!like) return { type: 'text', text }
  if (like['type'] === undefined) return { text }
  return { type: like['type'], [fieldOf(like) ?? 'text']: text }
}

/** Collects the text of a message or message part, tool output included. */
function messageText(part: unknown): string {
  if (typeof part === 'string') return part
  if (Array.isArray(part)) return part.map(messageText).filter(Boolean).join('\n')
  if (!isRecord(part)) return ''
  const { type, text, content, parts, output, value } = part
  const { toolResponse, toolResult, functionResponse } = part
  if (type === 'json' && value !== undefined) return JSON.stringify(value)
  if (isRecord(functionResponse)) return JSON.stringify(functionResponse['response'] ?? {})
  return messageText(text ?? content ?? parts ?? output ?? toolResponse ?? toolResult ?? value)
}
