import { estimateTokens } from 'skillshelf'
import { createSession, type SessionActivity } from 'skillshelf/session'
import type { Library } from '../context.js'
import { language } from '../texts.js'
import { type Agent, createAgent, inlinedTokens } from './agent.js'
import { completionsAt, type ModelAddress } from './completions.js'
import { createRecording } from './recorded.js'

/** The models that the chat can use. */
export const MODEL_KINDS = ['recorded', 'address', 'built-in'] as const
export type ModelKind = (typeof MODEL_KINDS)[number]

/** An agent, and the next message of the user if the conversation is recorded. */
export interface OpenAgent extends Agent {
  recorded?: { next(): string | undefined }
}

export function hasBuiltInModel(): boolean {
  return 'LanguageModel' in globalThis
}

/** @throws SkillshelfError `unsupported` if the device cannot run the built-in model */
export async function openAgent(kind: ModelKind, library: Library, address: ModelAddress): Promise<OpenAgent> {
  if (kind === 'built-in') return builtInAgent(library)
  if (kind === 'address') return createAgent(library, completionsAt(address))
  const recording = createRecording(language)
  return { ...createAgent(library, recording.complete), recorded: recording }
}

/** The built-in model of the browser. The browser keeps the conversation. */
async function builtInAgent(library: Library): Promise<Agent> {
  const { createPromptChat } = await import('skillshelf/adapters/browser')
  const session = createSession(library)
  const chat = await createPromptChat(session)
  let plainTokens = 0
  return {
    session,
    async ask(message, signal) {
      const activities: SessionActivity[] = []
      const stop = session.on('activity', activity => activities.push(activity))
      try {
        const { text } = await chat.prompt(message, { signal })
        plainTokens += estimateTokens(message) + estimateTokens(text)
        const inlined = inlinedTokens(library) + plainTokens
        return { message, answer: text, activities, tokens: session.ledger().total, inlined }
      } finally {
        stop()
      }
    },
  }
}
