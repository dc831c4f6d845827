import type { SkillId } from '../../skill/skill.js'
import type { LearnedMessage, UnusedMessage, UseReport } from '../api/learned-messages.js'
import type { Outcome, StoredMessage } from './messages.js'

/** @param skills The ids of the library. */
export function createReport(
  stored: readonly StoredMessage[],
  skills: readonly SkillId[],
): UseReport {
  const unused = (outcome: Outcome): UnusedMessage[] =>
    stored
      .filter(one => one.outcome === outcome)
      .map(({ outcome: _, skill, ...message }) => (skill === '' ? message : { ...message, skill }))
  const matched = new Set(
    stored.filter(({ outcome }) => outcome !== 'nothing').map(({ skill }) => skill),
  )
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
