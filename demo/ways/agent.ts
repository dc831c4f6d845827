import { openLibrary } from 'skillshelf'
import { prepareRequest } from 'skillshelf/adapters/openai'
import { createSession, type SessionMessage } from 'skillshelf/session'

const library = await openLibrary('./skills/')
const session = createSession(library, { catalogTokens: 0 })

const history: SessionMessage[] = []

export function ask(content: string) {
  history.push({ role: 'user', content })
  return prepareRequest(session, history) // messages and tools
}
