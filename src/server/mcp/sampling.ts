import type { McpServer } from '@modelcontextprotocol/server'
import type { AskForMessages } from '../../library/enrich/prompt.js'
import type { LocalLibrary, SkillLibrary } from '../../library/skill-library.js'
import type { McpEnrichOptions } from './options.js'

/** Longest answer that is asked for, in tokens: nine languages of seven messages. */
const MAX_TOKENS = 4_000
/** Milliseconds. A client may ask a person before it asks its model. */
const TIMEOUT = 300_000

/**
 * Once a client that offers sampling is connected, asks its model for the messages of skills. They stay in memory. Protocol 2026-07-28 has
 * no such request; its clients are not asked.
 */
export function enrichBySampling(mcp: McpServer, library: SkillLibrary, options: McpEnrichOptions): void {
  if (!isLocal(library)) return
  const { languages, count, onFailure, onEnd } = options
  const { server } = mcp
  const stop = new AbortController()
  const { oninitialized, onclose } = server
  server.onclose = () => {
    stop.abort()
    onclose?.()
  }
  server.oninitialized = () => {
    oninitialized?.()
    if (!server.getClientCapabilities()?.sampling) return
    const ask: AskForMessages = async ({ system, user }, { signal }) => {
      const { content } = await server.createMessage(
        {
          systemPrompt: system,
          messages: [{ role: 'user', content: { type: 'text', text: user } }],
          maxTokens: MAX_TOKENS,
        },
        { signal, timeout: TIMEOUT },
      )
      return content.type === 'text' ? content.text : ''
    }
    // One at a time, because many clients show each request to a person.
    library.enrich(ask, { languages, count, onFailure, concurrency: 1, cache: false, signal: stop.signal }).then(
      ({ kept, failed }) => onEnd?.({ kept, failed }),
      error => onEnd?.(error as Error),
    )
  }
}

function isLocal(library: SkillLibrary): library is LocalLibrary {
  return 'enrich' in library
}
