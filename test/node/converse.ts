import * as openai from '../../src/exports/adapters/openai.js'
import type { LibraryOptions, LocalLibrary } from '../../src/exports/index.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createSession } from '../../src/exports/session.js'

/** Runs a loop of docs/agents.md in Node or a page, with a fake client of OpenAI that says "Done." */

/** The skills of a conversation, its messages, and the code of the loop for one message. */
export interface Conversation {
  files: Readonly<Record<string, string>>
  conversations: readonly (readonly string[])[]
  loop: string
}

type Loop = (...given: unknown[]) => Promise<void>
const AsyncFunction = (async () => undefined).constructor as new (...parts: string[]) => Loop

/** Returns the skill that the tail of each message puts first, and the tokens of text that was kept beside messages and answers. */
export async function converse(
  { files, conversations, loop }: Conversation,
  embedder: NonNullable<LibraryOptions['embedder']>,
): Promise<{ first: (string | undefined)[][]; kept: string[] }> {
  const library: LocalLibrary = await openLibrary(memory(files, { name: 'skills' }), { embedder })
  const names = ['load', 'session', 'history', 'message', 'client', 'model']
  const turn = new AsyncFunction(...names, loop)
  const first: (string | undefined)[][] = []
  const kept: string[] = []
  for (const messages of conversations) {
    const session = createSession(library)
    const history: { role: string; content: string }[] = []
    const found: (string | undefined)[] = []
    const create = async ({ messages }: { messages: typeof history }) => {
      found.push(/<name>(.*?)<\/name>/.exec(messages.at(-1)?.content ?? '')?.[1])
      return { choices: [{ message: { role: 'assistant', content: 'Done.' } }] }
    }
    const client = { chat: { completions: { create } } }
    for (const message of messages) {
      await turn(async () => openai, session, history, message, client, 'fake')
    }
    first.push(found)
    kept.push(...history.map(({ content }) => content))
  }
  await library.close()
  return { first, kept }
}
