import type Anthropic from '@anthropic-ai/sdk'

/**
 * A mock of the Messages API, as `fetch` of its SDK. Its model searches with the words of the user, calls the first tool that is found, and
 * repeats the result. It refuses requests as the API does:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool#error-handling
 */
export async function mockAnthropic(_url: unknown, init?: RequestInit): Promise<Response> {
  const request = JSON.parse(String(init?.body)) as Anthropic.MessageCreateParams
  const problem = problemOf(request)
  if (problem) {
    const error = { type: 'error', error: { type: 'invalid_request_error', message: problem } }
    return Response.json(error, { status: 400 })
  }
  const content = [reply(request)]
  return Response.json({
    id: 'msg_mock',
    type: 'message',
    role: 'assistant',
    model: request.model,
    content,
    stop_reason: content[0]?.type === 'tool_use' ? 'tool_use' : 'end_turn',
    usage: { input_tokens: 0, output_tokens: 0 },
  })
}

const toolsOf = ({ tools = [] }: Anthropic.MessageCreateParams): Anthropic.Tool[] =>
  tools.filter(tool => 'input_schema' in tool)

const blocksOf = ({ messages }: Anthropic.MessageCreateParams): Anthropic.ContentBlockParam[] =>
  messages.flatMap(({ content }) =>
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
  )

/** The names in the results of searches. */
function foundIn(block: Anthropic.ContentBlockParam): string[] {
  if (block.type !== 'tool_result' || typeof block.content !== 'object') return []
  return block.content.flatMap(one => (one.type === 'tool_reference' ? [one.tool_name] : []))
}

function problemOf(request: Anthropic.MessageCreateParams): string | undefined {
  const tools = toolsOf(request)
  if (tools.every(tool => tool.defer_loading)) {
    return 'All tools have defer_loading set. At least one tool must be non-deferred.'
  }
  const known = new Set(tools.map(({ name }) => name))
  const unknown = blocksOf(request)
    .flatMap(foundIn)
    .find(name => !known.has(name))
  return unknown && `Tool reference '${unknown}' has no corresponding tool definition`
}

function reply(request: Anthropic.MessageCreateParams): Anthropic.ContentBlockParam {
  const last = blocksOf(request).at(-1)
  if (last?.type === 'text') return use('search_tools', { query: last.text })
  const [name] = last ? foundIn(last) : []
  if (name) return use(name, {})
  return { type: 'text', text: last?.type === 'tool_result' ? String(last.content) : '' }
}

let uses = 0
function use(name: string, input: object): Anthropic.ToolUseBlockParam {
  return { type: 'tool_use', id: `toolu_mock_${++uses}`, name, input }
}
