import type { TokenCounter } from '../core/tokens.js'
import { type SkillContent, withoutSkills } from './prompt/skill-content.js'
import type { Budgets, Ledger, OpenSkill, SessionMessage } from './types.js'

export interface Counted {
  /** Of the host's own prompt. */
  system: number
  /** Of the catalog in the head of the prompt, and how many skills are in it. */
  metadata: { tokens: number; skills: number }
  open: readonly OpenSkill[]
  /** What tools gave of them: it is counted as their instructions, wherever it stands. */
  opened: readonly SkillContent[]
  messages: readonly SessionMessage[]
}

/** Adds up what is in the context. What a tool gave of an open skill counts as its instructions, not as a tool's result. */
export function ledgerOf(
  { system, metadata, open, opened, messages }: Counted,
  { budgets, contextTokens, countTokens }: { budgets: Budgets; contextTokens: number; countTokens: TokenCounter },
): Ledger {
  const said = { messages: 0, toolResults: 0 }
  for (const { role, content } of messages)
    said[role === 'tool' ? 'toolResults' : 'messages'] += countTokens(withoutSkills(content, opened))
  const instructions = open.reduce((sum, { tokens }) => sum + tokens, 0)
  const references = open.flatMap(one => one.references)
  const referenced = references.reduce((sum, { tokens }) => sum + tokens, 0)
  const total = system + metadata.tokens + instructions + referenced + said.messages + said.toolResults
  return {
    system: { tokens: system, budget: budgets.system },
    metadata: { tokens: metadata.tokens, budget: budgets.metadata * metadata.skills },
    instructions: { tokens: instructions, budget: budgets.instructions * open.length },
    references: { tokens: referenced, budget: budgets.reference * references.length },
    messages: { tokens: said.messages },
    toolResults: { tokens: said.toolResults },
    total,
    percent: Math.round((total / contextTokens) * 1_000) / 10,
    contextTokens,
  }
}
