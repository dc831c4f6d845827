import type { TokenCounter } from '../../core/tokens.js'
import type { SessionMessage } from './messages.js'
import type { OpenSkill } from './open-skills.js'
import { type SkillContent, withoutSkills } from './skill-content.js'

/** Token budgets of a session. */
export interface Budgets {
  /**
   * The instructions of one skill must cost fewer tokens than this, else `load` throws `too-large`.
   * @default 20000, in `omniEmployee` 8000
   */
  skill: number
  /**
   * Share of `contextTokens` that may be used, from 0 to 1.
   * @default 0.9
   */
  share: number
  /**
   * Expected tokens of the system prompt. Only shown in the ledger.
   * @default 2000
   */
  system: number
  /**
   * Expected tokens of one skill in the catalog. Only shown in the ledger.
   * @default 100
   */
  metadata: number
  /**
   * Expected tokens of the instructions of one open skill. Only shown in the ledger.
   * @default 5000
   */
  instructions: number
  /**
   * Expected tokens of one reference. Only shown in the ledger.
   * @default 3000
   */
  reference: number
}

/** One component of the context. */
export interface LedgerEntry {
  tokens: number
  /** Expected tokens, from `SessionOptions.budgets`. */
  budget?: number
}

/** Tokens in the context, by component. */
export interface Ledger {
  /** The host's own system prompt. */
  system: LedgerEntry
  /** The catalog. */
  metadata: LedgerEntry
  /** Instructions of open skills, in the system prompt or in tool results. */
  instructions: LedgerEntry
  references: LedgerEntry
  messages: LedgerEntry
  /** Results of tools, without the instructions of open skills. Includes results since the last `observe`. */
  toolResults: LedgerEntry
  total: number
  /** Percent of `contextTokens`, to one decimal. */
  percent: number
  contextTokens: number
}

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
