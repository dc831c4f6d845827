import type { SkillId } from '../../skill/skill.js'
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
  return messages.some(({ content }) => containsSkill(content, entry.skill) || content.includes(text))
}

/** Whether the requester already has the instructions of an open skill. */
export function isHeld({ dialect }: Conversation, { heldBy }: OpenRecord, by: Requester): boolean {
  return dialect.placement === 'section' || heldBy === 'model' || (heldBy === 'host' && by !== 'model')
}

export function findLost({ dialect, open }: Conversation): OpenSkill[] {
  if (dialect.placement === 'section') return []
  return open.records().flatMap(({ entry, heldBy }) => (heldBy === undefined ? [entry] : []))
}

/** The instructions of open skills, as they are in messages. */
export function contentsOf({ dialect, session }: Conversation, open: readonly OpenSkill[]): SkillContent[] {
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
export function observe(conversation: Conversation, messages: readonly HostMessage[], option?: string): void {
  conversation.messages = normalizeMessages(messages, option)
  conversation.isObserved = true
  conversation.addedTokens = 0
  for (const record of conversation.open.records())
    record.heldBy = isVisible(conversation, record.entry, conversation.messages) ? 'model' : undefined
}

/** Formats the instructions that the conversation lost: in full where they fit into `room` tokens, else as a one-line reminder. */
export function restoreInstructions(conversation: Conversation, room: number): RehydrateResult {
  const { dialect, countTokens, session, open } = conversation
  const lost = findLost(conversation)
  // The ledger still counts the lost instructions.
  let left = room + lost.reduce((sum, { tokens }) => sum + tokens, 0)
  const texts = new Map<SkillId, string>()
  // The skill opened last is the most likely to be in use.
  for (const entry of [...lost].reverse()) {
    const { id } = entry.skill
    const text = dialect.skillText(session, entry)
    const tokens = countTokens(text)
    texts.set(id, tokens <= left ? text : dialect.reminder(entry.skill))
    if (tokens > left) continue
    left -= tokens
    const record = open.get(id)
    // The host adds the text to the conversation now, so it counts as visible until the next `observe`.
    if (record) record.heldBy = 'model'
  }
  const missing = lost.map(({ skill }) => skill.id)
  return { missing, text: missing.map(id => texts.get(id)).join('\n') }
}
