import { invalidInput } from '../../core/errors.js'
import { isCount, isRecord } from '../../core/plain-data.js'
import { removeHidden } from '../../core/sanitize.js'
import { userWords } from '../../core/text/user-words.js'
import { messageKey } from '../../search/index/message-key.js'
import type { SkillId } from '../../skill/skill.js'
import type { LearnedMessage } from '../api/learned-messages.js'

/** What a message found, if no skill was opened for it. */
export type Outcome = 'not-opened' | 'near' | 'nothing'

/** A message as it is stored. With an outcome, it is for the report only, and `skill` is the nearest one or `''`. */
export interface StoredMessage extends LearnedMessage {
  outcome?: Outcome
}

/** Messages of one library, and of one skill. */
export const MAX_MESSAGES = 2_000
export const MAX_MESSAGES_OF_SKILL = 16
/** Characters of a message. Longer ones are mostly pasted text. */
export const MAX_MESSAGE = 300
const MAX_SKILL_ID = 1_024
/** Messages that are kept for the report only. */
const MAX_UNUSED = 500
const OUTCOMES: readonly Outcome[] = ['not-opened', 'near', 'nothing']

/** Folds what the user said to one line without hidden characters. */
export function cleanMessage(message: string): string {
  return removeHidden(userWords(message).message).replace(/\s+/g, ' ').trim()
}

export function isLearnable(message: string): boolean {
  return message !== '' && message.length <= MAX_MESSAGE
}

/** Adds a message of a skill, or counts it once more. The lists of this file are ordered by time, oldest first. */
export function addMessage(
  messages: readonly StoredMessage[],
  skill: SkillId,
  message: string,
  outcome?: Outcome,
): StoredMessage[] {
  const isMessage = withMessage(undefined, message)
  // A message that opens a skill now, or finds another one, is no longer unused as before.
  const same = (one: StoredMessage): boolean =>
    isMessage(one) && (one.outcome !== undefined || (outcome === undefined && one.skill === skill))
  const before = messages.find(
    one => same(one) && (one.outcome === undefined) === (outcome === undefined),
  )
  const count = (before?.count ?? 0) + 1
  const last = new Date().toISOString()
  const added: StoredMessage = { skill, message, count, last, ...(outcome && { outcome }) }
  return limitMessages([...messages.filter(one => !same(one)), added], added)
}

/** Adds exported messages. A message that is in both lists keeps the higher count and the later time. */
export function mergeMessages(
  messages: readonly StoredMessage[],
  imported: readonly StoredMessage[],
): StoredMessage[] {
  const merged = new Map<string, StoredMessage>()
  for (const one of [...messages, ...imported]) {
    const key = `${one.skill}\n${messageKey(one.message)}\n${one.outcome ?? ''}`
    const other = merged.get(key)
    const [older, later] = other && other.last > one.last ? [one, other] : [other, one]
    merged.set(key, { ...later, count: Math.max(later.count, older?.count ?? 0) })
  }
  return limitMessages([...merged.values()].sort(compareTimes))
}

/** Both are ISO 8601, so text sorts by time. */
function compareTimes({ last: a }: StoredMessage, { last: b }: StoredMessage): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Selects the messages of a skill, the same message of every skill, or the same message of one skill. */
export function withMessage(skill?: SkillId, message?: string): (one: LearnedMessage) => boolean {
  const key = message === undefined ? undefined : messageKey(message)
  return one =>
    (skill === undefined || one.skill === skill) &&
    (key === undefined || messageKey(one.message) === key)
}

/** Leaves out the least used messages beyond the limits, the oldest first. The message that was just learned stays. */
function limitMessages(
  messages: readonly StoredMessage[],
  newest?: StoredMessage,
): StoredMessage[] {
  const learned = messages.filter(({ outcome }) => outcome === undefined)
  const unused = messages.filter(({ outcome }) => outcome !== undefined).slice(-MAX_UNUSED)
  const kept = new Set<StoredMessage>()
  const perSkill = new Map<SkillId, number>()
  const byUse = learned.reverse().sort((a, b) => b.count - a.count)
  for (const one of newest && newest.outcome === undefined ? [newest, ...byUse] : byUse) {
    const number = perSkill.get(one.skill) ?? 0
    if (kept.has(one) || kept.size === MAX_MESSAGES || number === MAX_MESSAGES_OF_SKILL) continue
    kept.add(one)
    perSkill.set(one.skill, number + 1)
  }
  const shown = new Set(unused)
  return messages.filter(one => kept.has(one) || shown.has(one))
}

/** Reads stored data. Entries that are not learned messages are left out and counted. */
export function readStored(stored: unknown): { messages: StoredMessage[]; damaged: number } {
  if (stored === undefined || stored === null) return { messages: [], damaged: 0 }
  if (!Array.isArray(stored)) return { messages: [], damaged: 1 }
  const valid = stored.map(toLearned).filter(one => one !== undefined)
  return { messages: limitMessages(valid), damaged: stored.length - valid.length }
}

export function checkLearned(messages: readonly LearnedMessage[]): StoredMessage[] {
  if (!Array.isArray(messages)) {
    throw invalidInput(
      '"messages" must be an array of learned messages',
      'pass the result of library.learned()',
    )
  }
  return messages.map((one, index) => {
    const valid = toLearned(one)
    if (valid) return valid
    throw invalidInput(
      `"messages[${index}]" must have skill, message, count and last`,
      'pass the result of library.learned()',
    )
  })
}

function toLearned(value: unknown): StoredMessage | undefined {
  if (!isRecord(value)) return undefined
  const { skill, message, count, last, outcome } = value
  const known = OUTCOMES.find(one => one === outcome)
  if (known !== outcome) return undefined
  if (
    typeof skill !== 'string' ||
    (skill === '' && outcome === undefined) ||
    skill.length > MAX_SKILL_ID
  ) {
    return undefined
  }
  if (typeof message !== 'string' || message.length > 2 * MAX_MESSAGE) return undefined
  if (!isCount(count) || count < 1) return undefined
  const time = typeof last === 'string' ? Date.parse(last) : Number.NaN
  const cleaned = cleanMessage(message)
  if (Number.isNaN(time) || !isLearnable(cleaned)) return undefined
  const learned = { skill, message: cleaned, count, last: new Date(time).toISOString() }
  return known === undefined ? learned : { ...learned, outcome: known }
}
