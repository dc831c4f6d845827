import { registerSkillTools, type WebMcpOptions } from '../../src/agent/adapters/webmcp.js'
import { agentCore } from '../../src/exports/dialects.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createSession } from '../../src/exports/session.js'
import { INVOICE, TEA } from './agent-world.js'

/** Script of the test page: registers the tools of a library with WebMCP. Tests call it through `window.page`, which the test sets. */

const source = memory({ ...INVOICE, ...TEA }, { name: 'mine' })
const library = await openLibrary(source)
const stopping = new AbortController()

export const page = {
  offer: (options?: WebMcpOptions) =>
    registerSkillTools(createSession(library), { signal: stopping.signal, ...options }),
  /** Registers one tool whose description lists the skills. */
  offerListing: () =>
    registerSkillTools(createSession(library, { dialect: agentCore }), { signal: stopping.signal }),
  async put(files: Readonly<Record<string, string>>) {
    await source.write({ put: files })
    await library.refresh()
  },
  async remove(...paths: readonly string[]) {
    await source.write({ remove: paths })
    await library.refresh()
  },
  stop: () => stopping.abort(),
}
export type Page = typeof page
