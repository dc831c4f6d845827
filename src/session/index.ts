export { restoreSession } from './restore.js'
export { createSession } from './session.js'
export type {
  Asker,
  Budgets,
  Dialect,
  HostMessage,
  Ledger,
  LedgerLine,
  Loaded,
  LoadedReference,
  OpenSkill,
  Permission,
  Rehydrated,
  Restored,
  Session,
  SessionMessage,
  SessionOptions,
  SessionState,
  Turn,
} from './types.js'
