import type { SkillId } from '../../skill/skill.js'

/** A message for which a skill was chosen. */
export interface LearnedMessage {
  skill: SkillId
  /** On one line, without hidden characters. At most 300 characters. */
  message: string
  /** How often it was learned. */
  count: number
  /** When it was learned last, in ISO 8601: `2026-03-01T09:00:00.000Z`. */
  last: string
}

/** Stores the learned messages of a library on this device. */
export interface LearnedStore {
  /** Returns the data of the last `save`, or `undefined` if there is none. */
  load(): Promise<unknown>
  /** Stores plain data, and replaces the data of earlier calls. */
  save(messages: readonly LearnedMessage[]): Promise<void>
  /** Loads, changes and saves in one step. Implement it if several tabs or processes use the store. @default `load`, then `save` */
  update?(change: (stored: unknown) => readonly LearnedMessage[]): Promise<void>
  /** Calls `onChange` after changes by other tabs. Returns a function that stops it. */
  watch?(onChange: () => void): () => void
}

/** Selects learned messages. With `skill` and `message`, only that message of that skill. */
export interface ForgetOptions {
  /** An id or a unique name; the id of a removed skill too. */
  skill?: string | undefined
  message?: string | undefined
  /** Forgets everything. @default false */
  all?: boolean | undefined
}

/** A message after which no skill was opened. */
export interface UnusedMessage extends Omit<LearnedMessage, 'skill'> {
  /** The best match, or the nearest skill. Absent if there is none. */
  skill?: SkillId
}

/** What messages led to, as far as it was learned on this device. Plain data: export it with `JSON.stringify`. */
export interface UseReport {
  /** Messages after which a skill was opened. */
  opened: readonly LearnedMessage[]
  /** Messages that a skill matched, but none was opened. */
  notOpened: readonly UnusedMessage[]
  /** Messages with possible skills only, of which none was opened. */
  near: readonly UnusedMessage[]
  /** Messages that found nothing. */
  nothing: readonly UnusedMessage[]
  /** Skills that no message matched, opened or came near. */
  neverMatched: readonly SkillId[]
}
