import { openLibrary } from 'skillshelf'
import { skillTools } from 'skillshelf/adapters/openai'
import { createSession } from 'skillshelf/session'

const library = await openLibrary('./skills/')
const session = createSession(library)

export async function ask(message: string) {
  const { system, tail } = await session.prepare({ message })
  const tools = skillTools(session)
  return { user: message + tail, system, tools }
}
