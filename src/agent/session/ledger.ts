import type { TokenCounter } from '../../core/tokens.js'
import type { SessionMessage } from './messages.js'
import { type SkillContent, withoutSkills } from './prompt/skill-content.js'
import type { Budgets, Ledger, OpenSkill } from './types.js'

export interface ContextParts {
  /** Tokens of the host's own system prompt. */
  system: number
  catalog: { tokens: number; skills: number }
  open: readonly OpenSkill[]
  /** Contents of the open skills. In messages they count as instructions, not as tool results. */
  contents: readonly SkillContent[]
  messages: readonly SessionMessage[]
  /** Tokens of tool results that are not in `messages` yet. */
  addedTokens: number
}

/** Counts the tokens in the context by component. */
export function ledgerOf(
  { system, catalog, open, contents, messages, addedTokens }: ContextParts,
  { budgets, contextTokens, countTokens }: { budgets: Budgets; contextTokens: number; countTokens: TokenCounter },
): Ledger {
  const conversation = { messages: 0, toolResults: addedTokens }
  for (const { role, content } of messages)
    conversation[role === 'tool' ? 'toolResults' : 'messages'] += countTokens(withoutSkills(content, contents))
  const references = open.flatMap(skill => skill.references)
  const instructions = sumTokens(open)
  const referenced = sumTokens(references)
  const total = system + catalog.tokens + instructions + referenced + conversation.messages + conversation.toolResults
  return {
    system: { tokens: system, budget: budgets.system },
    metadata: { tokens: catalog.tokens, budget: budgets.metadata * catalog.skills },
    instructions: { tokens: instructions, budget: budgets.instructions * open.length },
    references: { tokens: referenced, budget: budgets.reference * references.length },
    messages: { tokens: conversation.messages },
    toolResults: { tokens: conversation.toolResults },
    total,
    percent: Math.round((total / contextTokens) * 1_000) / 10,
    contextTokens,
  }
}

function sumTokens(items: readonly { tokens: number }[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0)
}
