/**
 * Sessions: the skills of one conversation, as prompt sections and tools.
 *
 * @packageDocumentation
 * @module skillshelf/session
 */

export type { HostMessage, SessionMessage } from '../agent/session/messages.js'
export { type CatalogOptions, catalogSection } from '../agent/session/prompt/catalog-section.js'
export { matchesSection } from '../agent/session/prompt/matches-section.js'
export { restoreSession } from '../agent/session/restore.js'
export { createSession } from '../agent/session/session.js'
export { callTool } from '../agent/session/tools/tool.js'
export type {
  Budgets,
  Dialect,
  Ledger,
  LedgerEntry,
  LoadReferenceResult,
  LoadResult,
  LoopLimits,
  OpenSkill,
  PermissionRequest,
  PreparedTurn,
  RehydrateResult,
  Requester,
  RestoredSession,
  Session,
  SessionActivity,
  SessionOptions,
  SessionState,
  SkillTool,
  ToolInputSchema,
  ToolParameter,
  ToolResult,
} from '../agent/session/types.js'
export { escapeAttribute, escapeText } from '../core/sanitize.js'
