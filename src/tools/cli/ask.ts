import { invalidInput, SkillshelfError } from '../../core/errors.js'
import { parseJson } from '../../core/plain-data.js'
import { plainLine } from '../../core/sanitize.js'
import type { AskForMessages } from '../../library/api/message-writing.js'
import { requestWithRetries } from '../../server/client/request.js'
import type { Io } from './io.js'

const KEY_VARIABLE = 'SKILLSHELF_ASK_KEY'

/** Milliseconds for one answer: a local model may think for minutes. */
const TIMEOUT = 300_000
const MAX_RETRIES = 3
/** Characters of a server's error that are printed. */
const MAX_ERROR = 200
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

export interface TokenUsage {
  input: number
  output: number
  /** Answers whose tokens the server did not report. */
  unreported: number
}

/** The client of a server of language models. */
export interface ModelServer {
  /** Sends a prompt, and returns the text of the answer. */
  ask: AskForMessages
  /** Tokens of all answers so far. */
  usage: TokenUsage
}

/** Creates the client of an OpenAI-compatible server. The key comes from the environment only, and is never printed. */
export function modelServer(io: Io, address: string, model: string): ModelServer {
  const url = completionsUrl(address)
  const key = io.env?.[KEY_VARIABLE]?.trim() ?? ''
  if (key !== '' && !/^[\x21-\x7e]+$/.test(key)) {
    throw invalidInput(
      `${KEY_VARIABLE} must consist of visible ASCII characters`,
      'set it to the key alone',
    )
  }
  if (key !== '' && url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    throw invalidInput(
      `The key would be sent to ${url.origin} without encryption`,
      `use an https:// address, or unset ${KEY_VARIABLE}`,
    )
  }
  const usage: TokenUsage = { input: 0, output: 0, unreported: 0 }
  const withoutKey = (text: string): string => (key === '' ? text : text.replaceAll(key, '…'))

  const ask: AskForMessages = async ({ system, user }, { signal }) => {
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ]
    const { content, tokens } = await requestWithRetries({
      async send(attemptSignal) {
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json',
            ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
          },
          body: JSON.stringify({ model, messages }),
          // A redirect would send the skill to a server that nobody named.
          redirect: 'manual',
          signal: attemptSignal,
        })
        return { response, url: url.href }
      },
      accepts: ({ ok }) => ok,
      read: ({ bytes }) => readAnswer(new TextDecoder().decode(bytes)),
      error: ({ response: { status }, bytes }) => {
        const reason = withoutKey(serverError(new TextDecoder().decode(bytes)))
        const hint =
          status === 401 || status === 403
            ? `set ${KEY_VARIABLE} to a key of this server`
            : 'check the address and the model; files that were written stay, and the next run goes on after them'
        return new SkillshelfError(
          'model-failed',
          `${url.origin} answered with ${status}: ${reason}`,
          { hint },
        )
      },
      maxBytes: 4_000_000,
      retry: { maxRetries: MAX_RETRIES, timeout: TIMEOUT },
      signal,
    }).catch(error => {
      throw error instanceof TypeError || error instanceof SyntaxError
        ? new SkillshelfError(
            'model-failed',
            `${url.origin} did not answer: ${withoutKey(causeOf(error))}`,
            {
              hint: 'check that the server runs; files that were written stay, and the next run goes on after them',
            },
          )
        : error
    })
    if (tokens) {
      usage.input += tokens.input
      usage.output += tokens.output
    } else usage.unreported++
    return content
  }
  return { ask, usage }
}

function completionsUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw invalidInput('`--ask` must be an http or https URL', 'such as https://api.openai.com/v1')
  }
  // Fetch refuses such an address, and errors would print it.
  if (url.username !== '' || url.password !== '') {
    throw invalidInput(
      '`--ask` must not hold a user name or password',
      `set ${KEY_VARIABLE} to the key`,
    )
  }
  if (!url.pathname.endsWith('/chat/completions')) {
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`
  }
  return url
}

interface Completion {
  choices?: { message?: { content?: unknown } }[]
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown }
}

/** The text and the tokens of a chat completion. A text that is missing is empty, and the checks say so. */
function readAnswer(body: string): {
  content: string
  tokens: Omit<TokenUsage, 'unreported'> | undefined
} {
  const { choices, usage } = JSON.parse(body) as Completion
  const content = Array.isArray(choices) ? choices[0]?.message?.content : undefined
  const { prompt_tokens: input, completion_tokens: output } = usage ?? {}
  return {
    content: typeof content === 'string' ? content : '',
    tokens: typeof input === 'number' && typeof output === 'number' ? { input, output } : undefined,
  }
}

/** The message of an error response, or its first characters. */
function serverError(body: string): string {
  const message = (parseJson(body) as { error?: { message?: unknown } } | null | undefined)?.error
    ?.message
  return plainLine(typeof message === 'string' ? message : body).slice(0, MAX_ERROR)
}

/** Node hides the reason of a failed fetch in `cause`. */
function causeOf(error: Error): string {
  const { cause } = error
  if (error instanceof SyntaxError) return 'the body is not JSON'
  return cause instanceof Error
    ? 'code' in cause
      ? String(cause.code)
      : cause.message
    : error.message
}
