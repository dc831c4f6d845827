import type { SkillLibrary } from '../../library/api/skill-library.js'
import { messageKey } from '../../search/index/message-key.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import { phrasesOf } from './phrases.js'
import type { TriggerCase } from './trigger-case.js'
import { findByName, type TriggerFile } from './triggers.js'

/** Where a message of a skill is from: its trigger tests, phrases of its "Use when ...", the beginning of its description, or a reader. */
export type MessageOrigin = 'test' | 'phrase' | 'description' | 'typed'

/** A message that a skill should answer. */
export interface OwnMessage extends TriggerCase {
  from: MessageOrigin
}

/**
 * The messages of each skill that is for the model, in the order of the library: its trigger tests and phrases of its description. A skill
 * with neither has the beginning of its description.
 * @param files Trigger tests of the library, from `collectTriggers`.
 */
export function ownMessages(
  { snapshot: { skills } }: Pick<SkillLibrary, 'snapshot'>,
  files: readonly TriggerFile[],
): Map<SkillId, OwnMessage[]> {
  const messages = new Map<SkillId, OwnMessage[]>(skills.map(({ id }) => [id, []]))
  for (const { cases, owner } of files) {
    for (const one of cases) {
      const id = skillOf(one, owner, skills)
      if (id !== undefined) messages.get(id)?.push({ ...one, from: 'test' })
    }
  }
  for (const skill of skills) {
    const own = messages.get(skill.id) as OwnMessage[]
    const phrases = phrasesOf(skill).map(message => messageOf(skill, message, 'phrase'))
    own.push(...phrases)
    if (own.length === 0) own.push(messageOf(skill, beginningOf(skill), 'description'))
    messages.set(skill.id, withoutCopies(own))
  }
  return messages
}

/** A message for a skill alone. */
export function messageOf(
  { path }: SkillSummary,
  message: string,
  from: MessageOrigin,
): OwnMessage {
  return {
    message,
    skills: undefined,
    file: `${path === '' ? '' : `${path}/`}SKILL.md`,
    line: 1,
    from,
  }
}

/** The skill that a case is about: that of its folder, if it is one of those that may rank first, or the first of them. */
function skillOf(
  { skills: names, rejects }: TriggerCase,
  owner: SkillId | undefined,
  skills: readonly SkillSummary[],
): SkillId | undefined {
  if (rejects) return undefined
  if (names === undefined) return owner
  const expected = names.flatMap(name => findByName(name, skills))
  return (expected.find(({ id }) => id === owner) ?? expected[0])?.id
}

/** What a skill does, up to the first comma or stop. */
export function beginningOf({
  description,
  name,
}: Pick<SkillSummary, 'description' | 'name'>): string {
  return /^.{12,}?(?=[.,;:!?](?:\s|$)|[。，；：、！？(（—]|$)/su.exec(description)?.[0] ?? name
}

/** Without phrases that another message says. Tests stay, so that their number is that of the command line. */
function withoutCopies(messages: readonly OwnMessage[]): OwnMessage[] {
  const known = new Set<string>()
  return messages.filter(({ message, from }) => {
    const key = messageKey(message)
    const isKnown = known.has(key)
    known.add(key)
    return from === 'test' || !isKnown
  })
}
