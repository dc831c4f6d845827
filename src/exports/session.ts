/** What a model is told about a library: text for its prompt. Plain functions; the same catalog gives the same bytes. */

export { escapeAttribute, escapeText } from '../core/sanitize.js'
export { type CatalogOptions, catalogSection } from '../session/prompt/catalog-section.js'
export { matchesSection } from '../session/prompt/matches-section.js'

export { restoreSession } from '../session/restore.js'
export { createSession } from '../session/session.js'
/** The tools that a model is offered, as plain data. */
export { callTool } from '../session/tools/call.js'
export type { SkillTool, ToolResult } from '../session/tools/types.js'
export type {
  Budgets,
  Dialect,
  HostMessage,
  Ledger,
  LedgerEntry,
  LoadReferenceResult,
  LoadResult,
  OpenSkill,
  PermissionRequest,
  PreparedTurn,
  RehydrateResult,
  Requester,
  RestoredSession,
  Session,
  SessionMessage,
  SessionOptions,
  SessionState,
} from '../session/types.js'
