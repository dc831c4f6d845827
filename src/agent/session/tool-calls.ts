import { isRecord } from '../../core/plain-data.js'

/** Fields of a message that have calls: OpenAI, LangChain and TanStack AI, in the order in which one is read. */
const CALL_LISTS = ['tool_calls', 'toolCalls', 'content', 'parts'] as const

/** The tool calls of a message of any supported SDK as text, for counting: a line of name and arguments each. `''` without calls. */
export function toolCallText(message: object): string {
  return callsIn(message as Record<string, unknown>).join('\n')
}

function callsIn(message: Readonly<Record<string, unknown>>): string[] {
  const own = callOf(message)
  if (own !== undefined) return [own]
  for (const field of CALL_LISTS) {
    const list = message[field]
    const calls = Array.isArray(list) ? list.flatMap(part => callOf(part) ?? []) : []
    if (calls.length > 0) return calls
  }
  return []
}

/** A call, as OpenAI (`function`, `function_call`), Anthropic, LangChain, the AI SDK, TanStack AI (`name`, `toolName`) and Genkit (`toolRequest`) have it. */
function callOf(part: unknown): string | undefined {
  if (!isRecord(part)) return undefined
  const { type, function: inner, toolRequest, toolInvocation } = part
  const nested = inner ?? toolRequest ?? toolInvocation
  const call = isRecord(nested) ? nested : part
  const name = call['name'] ?? call['toolName'] ?? partName(type)
  const input = call['arguments'] ?? call['input'] ?? call['args']
  if (typeof name !== 'string' || input === undefined) return undefined
  return `${name} ${typeof input === 'string' ? input : JSON.stringify(input)}`
}

/** The tool of a part of a `UIMessage` of the AI SDK, such as `tool-load_skill`. */
function partName(type: unknown): string | undefined {
  return typeof type === 'string' && type.startsWith('tool-')
    ? type.slice('tool-'.length)
    : undefined
}
