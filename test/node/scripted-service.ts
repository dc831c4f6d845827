import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a service of the Chat Completions API is asked: what these tests look at. */
export interface Asked {
  authorization: string | undefined
  model: string
  messages: { role: string; content: string | null; tool_call_id?: string }[]
  tools?: { function: { name: string } }[]
}

/** A turn of a script: an answer, or the tools to ask for. */
export type Step = string | readonly { name: string; input: unknown }[]

/** A scripted model: it follows a list, and understands nothing. Gives the body of its next answer. */
export function scriptedModel(script: readonly Step[]) {
  const asked: Asked[] = []
  return {
    asked,
    reply(authorization: string | undefined, body: string): unknown {
      asked.push({ authorization, ...(JSON.parse(body) as Omit<Asked, 'authorization'>) })
      const step = script[asked.length - 1] ?? 'The script has come to its end.'
      const message =
        typeof step === 'string'
          ? { role: 'assistant', content: step }
          : {
              role: 'assistant',
              content: null,
              tool_calls: step.map(({ name, input }, at) => ({
                id: `call_${asked.length}_${at}`,
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

/** The same behind an address of this machine. */
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
    asked: model.asked,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
