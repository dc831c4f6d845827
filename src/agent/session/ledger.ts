/** Token budgets of a session. */
export interface Budgets {
  /** `load` throws `too-large` if the text that opens a skill costs so many tokens. @default 20000, or that of the dialect */
  skill: number
  /** Share of `contextTokens` that may be used, from 0 to 1. @default 0.9 */
  share: number
  /** Expected tokens of the system prompt. Only shown in the ledger. @default 2000 */
  system: number
  /** Expected tokens of one skill in the catalog, without `catalogTokens`. Only shown in the ledger. @default 100 */
  metadata: number
  /** Expected tokens of the instructions of one open skill. Only shown in the ledger. @default 5000 */
  instructions: number
  /** Expected tokens of one reference. Only shown in the ledger. @default 3000 */
  reference: number
}

/** One component of the context. */
export interface LedgerEntry {
  tokens: number
  /** Expected tokens, from `SessionOptions.budgets`. Of the catalog: never more than it may have. */
  budget?: number
}

/** Tokens in the context, by component. The host's own tools, images, and what a provider adds to each message are unknown: count them in `SessionOptions.system`. */
export interface Ledger {
  /** The host's own system prompt. */
  system: LedgerEntry
  /** The catalog. */
  metadata: LedgerEntry
  /** Definitions of the session's tools, as JSON: name, description and parameters. */
  tools: LedgerEntry
  /** Instructions of open skills, with the lists of files that the dialect adds, in the system prompt or in tool results. */
  instructions: LedgerEntry
  references: LedgerEntry
  /** Messages and the tool calls in them. */
  messages: LedgerEntry
  /** Results of tools, without the instructions of open skills. Includes results since the last `observe`. */
  toolResults: LedgerEntry
  total: number
  /** Percent of `contextTokens`, to one decimal. */
  percent: number
  contextTokens: number
}
