import { startHttpServer } from './http-server.js'

/** A request as the stand-in received it. */
export interface AskedRequest {
  path: string
  authorization: string | undefined
  model: string
  system: string
  user: string
}

/** An answer of the stand-in: the text of a completion, or a status with a body and headers, or a connection that breaks. */
export type Scripted =
  | string
  | { status: number; body?: string; headers?: Record<string, string> }
  | 'break the connection'

/**
 * A stand-in for an OpenAI-compatible server: it speaks the protocol, and a function in place of a model writes the answers. It reports
 * 100 tokens of prompt and 10 of answer for each completion.
 */
export async function modelServer(
  answer: (request: AskedRequest, number: number) => Scripted | Promise<Scripted>,
): Promise<{ url: string; requests: AskedRequest[] } & AsyncDisposable> {
  const requests: AskedRequest[] = []
  const server = await startHttpServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { model, messages } = JSON.parse(text) as {
      model: string
      messages: { role: string; content: string }[]
    }
    const of = (role: string): string =>
      messages.find(message => message.role === role)?.content ?? ''
    const { url: path = '', headers } = request
    const asked = {
      path,
      authorization: headers.authorization,
      model,
      system: of('system'),
      user: of('user'),
    }
    requests.push(asked)
    const scripted = await answer(asked, requests.length)
    if (scripted === 'break the connection') return void response.destroy()
    if (typeof scripted !== 'string')
      return void response.writeHead(scripted.status, scripted.headers).end(scripted.body ?? '')
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        object: 'chat.completion',
        choices: [
          { index: 0, message: { role: 'assistant', content: scripted }, finish_reason: 'stop' },
        ],
        usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
      }),
    )
  })
  return { ...server, url: `${server.address}v1`, requests }
}

/** The name of the skill that a prompt is about. */
export function nameIn(user: string): string {
  return /<name>(.*?)<\/name>/.exec(user)?.[1] ?? ''
}
