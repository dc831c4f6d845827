import { estimateTokens } from 'skillshelf'
import { createSession, type SessionActivity } from 'skillshelf/session'
import type { Library } from '../context.js'
import { inlinedTokens, unlistedTokens } from '../views/context-usage.js'
import { type Agent, createAgent } from './agent.js'
import { completionsAt, type ModelAddress } from './completions.js'
import { createTour } from './tour.js'

/** The models that the chat can use. */
export const MODEL_KINDS = ['tour', 'address', 'built-in'] as const
export type ModelKind = (typeof MODEL_KINDS)[number]

export function hasBuiltInModel(): boolean {
  return 'LanguageModel' in globalThis
}

/** @throws SkillshelfError `unsupported` if the device cannot run the built-in model */
export async function openAgent(
  kind: ModelKind,
  library: Library,
  address: ModelAddress,
): Promise<Agent> {
  if (kind === 'built-in') return builtInAgent(library)
  if (kind === 'address') return createAgent(library, completionsAt(address))
  const tour = createTour(library)
  const agent = createAgent(library, tour.complete)
  agent.session.on('activity', tour.observe)
  return agent
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
        const out = estimateTokens(text)
        const inlined = {
          in: inlinedTokens(library.snapshot.skills) + plainTokens + estimateTokens(message),
          out,
        }
        plainTokens += estimateTokens(message) + out
        const tokens = { in: session.ledger().total - out, out }
        const listed = { in: tokens.in + unlistedTokens(session), out }
        return { message, answer: text, activities, tokens, listed, inlined }
      } finally {
        stop()
      }
    },
  }
}
