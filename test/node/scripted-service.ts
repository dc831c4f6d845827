import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The part of a Chat Completions request that the tests check. */
export interface ChatRequest {
  authorization: string | undefined
  model: string
  messages: { role: string; content: string | null; tool_call_id?: string }[]
  tools?: { function: { name: string } }[]
}

/** A turn of a script: an answer or tool calls. */
export type Step = string | readonly { name: string; input: unknown }[]

/** A model that replays a script. `reply` returns the body of the next response. */
export function scriptedModel(script: readonly Step[]) {
  const requests: ChatRequest[] = []
  return {
    requests,
    reply(authorization: string | undefined, body: string): unknown {
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
          { index: 0, message, logprobs: null, finish_reason: typeof step === 'string' ? 'stop' : 'tool_calls' },
        ],
      }
    },
  }
}

/** Serves a scripted model on a local port. */
export async function scriptedService(script: readonly Step[]) {
  const model = scriptedModel(script)
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request.setEncoding('utf8')) body += part
    if (request.url !== '/v1/chat/completions') return void response.writeHead(404).end()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(model.reply(request.headers.authorization, body)))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    requests: model.requests,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
