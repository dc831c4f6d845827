import { SkillshelfError } from 'skillshelf'
import { anySignal } from '../any-signal.js'
import type { Complete, ToolCall } from './agent.js'

/** Where a model is served. */
export interface ModelAddress {
  /** Base address of an OpenAI-compatible API, such as `https://api.openai.com/v1`. */
  url: string
  model: string
  /** `''`: no key is sent. */
  key: string
}

const TIMEOUT = 120_000
const MAX_DETAIL = 300

/**
 * Asks a model at an OpenAI-compatible address. The calls throw `model-failed`, with the status of the response if there is one, or the
 * reason of the signal.
 */
export function completionsAt({ url, model, key }: ModelAddress): Complete {
  const endpoint = `${url
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/chat\/completions$/, '')}/chat/completions`
  return async ({ messages, tools }, signal, onText) => {
    const timeout = AbortSignal.timeout(TIMEOUT)
    let response: Response
    let received: Received
    try {
      response = await fetch(endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({
          model,
          messages,
          stream: true,
          ...(tools.length > 0 ? { tools } : {}),
        }),
        credentials: 'omit',
        // A redirect could send the key elsewhere.
        redirect: 'error',
        signal: anySignal(signal, timeout),
      })
      received = await receive(response, onText)
    } catch (error) {
      signal.throwIfAborted()
      throw new SkillshelfError('model-failed', `${endpoint} did not answer`, {}, error)
    }
    if (response.ok && received.reply) return received.reply
    throw new SkillshelfError('model-failed', received.text.slice(0, MAX_DETAIL), {
      status: response.status,
    })
  }
}

type Reply = Awaited<ReturnType<Complete>>

interface Received {
  reply: Reply | undefined
  /** The message of an error that the server streamed, or the whole response. */
  text: string
}

/** A part of a message, in a stream. */
interface Delta {
  content?: string | null
  tool_calls?: readonly {
    index?: number
    id?: string
    function?: { name?: string; arguments?: string }
  }[]
}

/** Receives a message: one JSON document, or server-sent events with its parts. */
async function receive(
  response: Response,
  onText: ((text: string) => void) | undefined,
): Promise<Received> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const calls: ToolCall[] = []
  let text = ''
  let read = 0
  let content = ''
  let failure: string | undefined
  let streams = false
  const onEvent = (data: string): void => {
    const event = parse(data) as
      | { choices?: readonly { delta?: Delta }[]; error?: { message?: string } }
      | undefined
    failure ??= event?.error?.message
    const delta = event?.choices?.[0]?.delta
    content += delta?.content ?? ''
    if (delta?.content) onText?.(content)
    for (const { index = 0, id, function: part } of delta?.tool_calls ?? []) {
      calls[index] ??= {
        id: id ?? `call-${index}`,
        type: 'function',
        function: { name: '', arguments: '' },
      }
      const call = calls[index]
      call.function.name += part?.name ?? ''
      call.function.arguments += part?.arguments ?? ''
    }
  }
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += part.value
    for (let end = text.indexOf('\n', read); end >= 0; end = text.indexOf('\n', read)) {
      const line = text.slice(read, end).trim()
      read = end + 1
      if (line.startsWith('data:')) streams = true
      if (line.startsWith('data:')) onEvent(line.slice('data:'.length))
    }
  }
  if (failure !== undefined) return { reply: undefined, text: failure }
  if (streams) {
    return {
      reply: { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
      text,
    }
  }
  const whole = parse(text) as { choices?: readonly { message?: Reply }[] } | undefined
  return { reply: whole?.choices?.[0]?.message, text }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // The end of a stream, [DONE], is no JSON.
    return undefined
  }
}
