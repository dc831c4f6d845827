import type { SkillId } from '../../skill/skill.js'
import type { LearnedMessage, Outcome, StoredMessage } from './messages.js'

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

/** @param skills The ids of the library. */
export function createReport(stored: readonly StoredMessage[], skills: readonly SkillId[]): UseReport {
  const unused = (outcome: Outcome): UnusedMessage[] =>
    stored
      .filter(one => one.outcome === outcome)
      .map(({ outcome: _, skill, ...message }) => (skill === '' ? message : { ...message, skill }))
  const matched = new Set(stored.filter(({ outcome }) => outcome !== 'nothing').map(({ skill }) => skill))
  return {
    opened: learnedOf(stored),
    notOpened: unused('not-opened'),
    near: unused('near'),
    nothing: unused('nothing'),
    neverMatched: skills.filter(id => !matched.has(id)),
  }
}

/** The messages that opened a skill. */
export function learnedOf(stored: readonly StoredMessage[]): LearnedMessage[] {
  return stored.filter(({ outcome }) => outcome === undefined).map(({ outcome: _, ...one }) => one)
}
