/**
 * Sessions: the skills of one conversation, as prompt sections and tools.
 *
 * @packageDocumentation
 * @module skillshelf/session
 */

export type { SessionActivity } from '../agent/session/activity.js'
export type { LoopLimits } from '../agent/session/allowed-tools.js'
export { callTool, joinTools } from '../agent/session/call-tool.js'
export type { Budgets, Ledger, LedgerEntry } from '../agent/session/ledger.js'
export type { HostMessage, SessionMessage } from '../agent/session/messages.js'
export type { SkillOffer } from '../agent/session/offer.js'
export type {
  LoadReferenceResult,
  LoadResult,
  OpenSkill,
  Requester,
  SessionState,
  ShownParts,
} from '../agent/session/open-skills.js'
export type { PermissionRequest, SessionOptions } from '../agent/session/options.js'
export type { SkillSelection } from '../agent/session/part.js'
export type { PreparedTurn, RehydrateResult } from '../agent/session/prompt.js'
export { type CatalogOptions, catalogSection, matchesSection } from '../agent/session/prompt.js'
export type { RestoredSession } from '../agent/session/restore.js'
export { restoreSession } from '../agent/session/restore.js'
export { createSession } from '../agent/session/session.js'
export type {
  SkillTool,
  ToolInputSchema,
  ToolParameter,
  ToolParameterType,
  ToolResult,
} from '../agent/session/tool-types.js'
export type { Dialect, PrepareOptions, PrepareTurn, Session } from '../agent/session/types.js'
export { escapeAttribute, escapeText } from '../core/sanitize.js'
export type { TokenCounter } from '../core/tokens.js'
export { skillDigest } from '../library/query/skill-digest.js'
