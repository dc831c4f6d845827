import { startHttpServer } from './http-server.js'

/** The part of a Chat Completions request that the tests check. */
export interface ChatRequest {
  authorization: string | undefined
  model: string
  messages: { role: string; content: string | null; tool_call_id?: string }[]
  tools?: { function: { name: string } }[]
}

interface ChatReply {
  object: string
  id: string
  created: number
  model: string
  choices: {
    index: number
    message: { tool_calls?: object[] }
    logprobs: null
    finish_reason: string
  }[]
}

/** A turn of a script: an answer or tool calls. */
export type Step = string | readonly { name: string; input: unknown }[]

/** A model that replays a script. `reply` returns the body of the next response. */
export function scriptedModel(script: readonly Step[]) {
  const requests: ChatRequest[] = []
  return {
    requests,
    reply(authorization: string | undefined, body: string): ChatReply {
      requests.push({ authorization, ...(JSON.parse(body) as Omit<ChatRequest, 'authorization'>) })
      const step = script[requests.length - 1] ?? 'The script has no more steps.'
      const message =
        typeof step === 'string'
          ? { role: 'assistant', content: step }
          : {
              role: 'assistant',
              content: null,
              tool_calls: step.map(({ name, input }, at) => ({
                id: `call_${requests.length}_${at}`,
                type: 'function',
                function: { name, arguments: JSON.stringify(input) },
              })),
            }
      return {
        id: 'scripted',
        object: 'chat.completion',
        created: 0,
        model: 'scripted',
        choices: [
          {
            index: 0,
            message,
            logprobs: null,
            finish_reason: typeof step === 'string' ? 'stop' : 'tool_calls',
          },
        ],
      }
    },
  }
}

/** A response as the events of a stream: one with the whole message, and one that ends it. */
function eventStream({ choices, ...reply }: ChatReply): string {
  const chunk = (delta: object, finish_reason: string | null): object => ({
    ...reply,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  })
  const chunks = choices.flatMap(({ message: { tool_calls, ...message }, finish_reason }) => [
    chunk(
      {
        ...message,
        ...(tool_calls
          ? { tool_calls: tool_calls.map((call, index) => ({ index, ...call })) }
          : {}),
      },
      null,
    ),
    chunk({}, finish_reason),
  ])
  return [...chunks.map(one => JSON.stringify(one)), '[DONE]']
    .map(data => `data: ${data}\n\n`)
    .join('')
}

/** Serves a scripted model on a local port. */
export async function scriptedService(script: readonly Step[]) {
  const model = scriptedModel(script)
  const server = await startHttpServer(async (request, response) => {
    let body = ''
    for await (const part of request.setEncoding('utf8')) body += part
    if (request.url !== '/v1/chat/completions') return void response.writeHead(404).end()
    const reply = model.reply(request.headers.authorization, body)
    const { stream } = JSON.parse(body) as { stream?: boolean }
    response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json')
    response.end(stream ? eventStream(reply) : JSON.stringify(reply))
  })
  return { ...server, requests: model.requests, address: `${server.address}v1` }
}
