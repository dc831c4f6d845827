/**
 * Sessions: the skills of one conversation, as prompt sections and tools.
 *
 * @packageDocumentation
 * @module skillshelf/session
 */

export { escapeAttribute, escapeText } from '../core/sanitize.js'
export type { HostMessage, SessionMessage } from '../session/messages.js'
export { type CatalogOptions, catalogSection } from '../session/prompt/catalog-section.js'
export { matchesSection } from '../session/prompt/matches-section.js'
export { restoreSession } from '../session/restore.js'
export { createSession } from '../session/session.js'
export { callTool } from '../session/tools/tool.js'
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
} from '../session/types.js'
