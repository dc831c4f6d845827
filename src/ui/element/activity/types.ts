import type { SessionActivity } from '../../../agent/session/types.js'

/** Texts of `<skill-activity>`. */
export interface SkillActivityTexts {
  /** Accessible name of the panel. */
  label: string
  /** Nothing was done yet. */
  empty: string
  turn: (number: number) => string
  /** Tokens of the skills in the context, and of all skills inlined. */
  summary: (tokens: number, inlined: number) => string
  /** Accessible name of the table. */
  ledger: string
  parts: Readonly<Record<LedgerPart, string>>
  /** One thing that the session did. */
  activity: (activity: SessionActivity) => string
  /** After an activity that failed. */
  failed: (code: string) => string
  tokens: (tokens: number) => string
}

/** The parts of the context that the panel lists. */
export const LEDGER_PARTS = [
  'system',
  'metadata',
  'instructions',
  'references',
  'messages',
  'toolResults',
  'total',
] as const
export type LedgerPart = (typeof LEDGER_PARTS)[number]
