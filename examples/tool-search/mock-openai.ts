import type OpenAI from 'openai'

type Item = OpenAI.Responses.ResponseInputItem

/**
 * A mock of the Responses API, as `fetch` of its SDK. Its model searches with the words of the user, calls the first tool that is found, and
 * repeats the result. It refuses a search that is not answered: https://developers.openai.com/api/docs/guides/tools-tool-search
 */
export async function mockOpenAI(_url: unknown, init?: RequestInit): Promise<Response> {
  const {
    input,
    tools = [],
    model,
  } = JSON.parse(String(init?.body)) as {
    input: Item[]
    tools?: OpenAI.Responses.Tool[]
    model: string
  }
  const problem = problemOf(input, tools)
  if (problem) {
    const error = { message: problem, type: 'invalid_request_error', param: 'input', code: null }
    return Response.json({ error }, { status: 400 })
  }
  const output = [reply(input)]
  return Response.json({ id: 'resp_mock', object: 'response', status: 'completed', model, output })
}

function problemOf(input: readonly Item[], tools: readonly OpenAI.Responses.Tool[]) {
  const search = tools.find(tool => tool.type === 'tool_search')
  if (search?.execution !== 'client') return 'No tool search of the client'
  const answered = new Set(
    input.flatMap(item => (item.type === 'tool_search_output' ? [item.call_id] : [])),
  )
  const open = input.find(item => item.type === 'tool_search_call' && !answered.has(item.call_id))
  return open && 'No tool output found for tool search call'
}

let calls = 0
function reply(input: readonly Item[]): object {
  const last = input.at(-1)
  const ids = { id: `item_mock_${++calls}`, call_id: `call_mock_${calls}`, status: 'completed' }
  if (last?.type === 'tool_search_output' && last.tools[0]?.type === 'function') {
    return { type: 'function_call', name: last.tools[0].name, arguments: '{}', ...ids }
  }
  if (last?.type === 'function_call_output') return message(String(last.output))
  const query = last && 'content' in last ? last.content : ''
  return { type: 'tool_search_call', execution: 'client', arguments: { query }, ...ids }
}

function message(text: string): object {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { type: 'message', id: 'msg_mock', role: 'assistant', status: 'completed', content }
}
