import { SkillshelfError } from 'skillshelf'
import type { Complete } from './agent.js'

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
  return async ({ messages, tools }, signal) => {
    const timeout = AbortSignal.timeout(TIMEOUT)
    let response: Response
    let text: string
    try {
      response = await fetch(endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key === '' ? {} : { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ model, messages, ...(tools.length > 0 ? { tools } : {}) }),
        credentials: 'omit',
        // A redirect could send the key elsewhere.
        redirect: 'error',
        signal: AbortSignal.any([signal, timeout]),
      })
      text = await response.text()
    } catch (error) {
      signal.throwIfAborted()
      throw new SkillshelfError('model-failed', `${endpoint} did not answer`, {}, error)
    }
    const reply = response.ok ? parseReply(text) : undefined
    if (reply) return reply
    throw new SkillshelfError('model-failed', text.slice(0, MAX_DETAIL), { status: response.status })
  }
}

function parseReply(text: string): Awaited<ReturnType<Complete>> | undefined {
  try {
    const { choices } = JSON.parse(text) as { choices?: readonly { message?: Awaited<ReturnType<Complete>> }[] }
    return choices?.[0]?.message
  } catch {
    return undefined
  }
}
