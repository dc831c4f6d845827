import { markOwnText } from '../../core/text/user-words.js'
import type { Conversation } from './conversation.js'
import { type HostMessage, normalizeMessages, type SessionMessage } from './messages.js'
import type { OpenRecord, OpenSkill, Requester } from './open-skills.js'
import type { RehydrateResult } from './prompt.js'
import { containsSkill, type SkillContent, withoutSkills } from './skill-content.js'

/** Whether messages have the instructions of an open skill. */
export function isVisible(
  { dialect, session }: Conversation,
  entry: OpenSkill,
  messages: readonly SessionMessage[],
): boolean {
  const text = dialect.skillText(session, entry)
  return messages.some(
    ({ content }) => containsSkill(content, entry.skill) || content.includes(text),
  )
}

/** Whether the requester already has the instructions of an open skill. */
export function isHeld({ dialect }: Conversation, { heldBy }: OpenRecord, by: Requester): boolean {
  return (
    dialect.placement === 'section' || heldBy === 'model' || (heldBy === 'host' && by !== 'model')
  )
}

export function findLost({ dialect, open }: Conversation): OpenRecord[] {
  return dialect.placement === 'section'
    ? []
    : open.records().filter(({ heldBy }) => heldBy === undefined)
}

/** The instructions of open skills, as they are in messages. */
export function contentsOf(
  { dialect, session }: Conversation,
  open: readonly OpenSkill[],
): SkillContent[] {
  return open.map(entry => ({
    skill: entry.skill,
    toolResult: dialect.placement === 'result' ? dialect.skillText(session, entry) : '',
  }))
}

/** Closing a skill frees tokens only if its instructions leave the messages too. */
export function removeInstructions(conversation: Conversation, entry: OpenSkill): void {
  const { dialect, messages } = conversation
  if (dialect.placement !== 'result') return
  const reminder = dialect.reminder(entry.skill)
  const contents = contentsOf(conversation, [entry])
  conversation.messages = messages.map(message => ({
    ...message,
    content: withoutSkills(message.content, contents, reminder),
  }))
}

/** Implements `Session.observe`. */
export function observe(
  conversation: Conversation,
  messages: readonly HostMessage[],
  option?: string,
): void {
  conversation.messages = normalizeMessages(messages, option)
  conversation.isObserved = true
  conversation.addedTokens = 0
  for (const record of conversation.open.records()) {
    record.heldBy = isVisible(conversation, record.entry, conversation.messages)
      ? 'model'
      : undefined
  }
}

/** Formats the instructions that the conversation lost: in full where they fit into `room` tokens, else as a one-line reminder. */
export function restoreInstructions(conversation: Conversation, room: number): RehydrateResult {
  const { dialect, countTokens, session } = conversation
  const lost = findLost(conversation)
  // The ledger still counts the lost instructions.
  let left = room + lost.reduce((sum, { entry }) => sum + entry.tokens, 0)
  // The skill opened last is the most likely to be in use.
  const lastFirst = [...lost].reverse().map(record => {
    const text = markOwnText(dialect.skillText(session, record.entry))
    const tokens = countTokens(text)
    if (tokens > left) return markOwnText(dialect.reminder(record.entry.skill))
    left -= tokens
    // The host adds the text to the conversation now, so it counts as visible until the next `observe`.
    record.heldBy = 'model'
    return text
  })
  return { missing: lost.map(({ entry }) => entry.skill.id), text: lastFirst.reverse().join('\n') }
}
