import { SkillshelfError } from '../../core/errors.js'
import type { SkillId } from '../../skill/skill.js'
import { compactMessages, isMentioned } from './compaction.js'
import type { Conversation } from './conversation.js'
import { contentsOf, isVisible, removeInstructions } from './instructions.js'
import { type Ledger, ledgerOf } from './ledger.js'
import { normalizeMessages } from './messages.js'

/** Implements `Session.ledger`. */
export function countContext(conversation: Conversation): Ledger {
  const { session, messages, addedTokens, systemTokens } = conversation
  const open = conversation.open.entries()
  return ledgerOf(
    {
      system: systemTokens(),
      catalog: { tokens: countCatalog(conversation), skills: session.offered.length },
      open,
      contents: contentsOf(conversation, open),
      messages,
      addedTokens,
    },
    conversation,
  )
}

function countCatalog(conversation: Conversation): number {
  const { session, library, dialect, countTokens } = conversation
  if (conversation.withoutTools) return 0
  const key = [library.snapshot.revision, ...conversation.open.entries().map(({ skill }) => skill.id)].join('\n')
  if (conversation.catalog.key !== key) conversation.catalog = { key, tokens: countTokens(dialect.catalog(session)) }
  return conversation.catalog.tokens
}

/** Without `observe`, nobody removes old tool results from the count, so they do not count against the limit. */
function usedTokens(conversation: Conversation): number {
  return countContext(conversation).total - (conversation.isObserved ? 0 : conversation.addedTokens)
}

/** Tokens of the context that are free, less than zero if it is too full. */
export function freeTokens(conversation: Conversation): number {
  return conversation.limit - usedTokens(conversation)
}

export function fits(conversation: Conversation, tokens: number): boolean {
  return usedTokens(conversation) + tokens < conversation.limit
}

/** Unloads skills that recent messages do not mention, until `tokens` fit. */
export function unloadUnused(conversation: Conversation, tokens: number, keep: SkillId): SkillId[] {
  const unloaded: SkillId[] = []
  for (const entry of conversation.open.entries()) {
    const { skill } = entry
    if (fits(conversation, tokens)) break
    if (skill.id === keep || isMentioned(skill, conversation.messages)) continue
    conversation.open.close(skill.id)
    removeInstructions(conversation, entry)
    unloaded.push(skill.id)
  }
  return unloaded
}

/** Shortens the messages so that `tokens` fit, by the `compact` option or by default. */
export async function shortenMessages(
  conversation: Conversation,
  tokens: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { compact, countTokens, limit } = conversation
  const need = Math.ceil(usedTokens(conversation) + tokens - limit) + 1
  const before = conversation.messages
  const shorter = compact ? await compact(before, { tokens: need, signal }) : compactMessages(before, need, countTokens)
  // Messages observed while `compact` ran are newer than its result.
  if (conversation.messages !== before) return
  conversation.messages = normalizeMessages(shorter)
  // Instructions that a tool has just returned are not in these messages yet.
  for (const record of conversation.open.records())
    if (isVisible(conversation, record.entry, before) && !isVisible(conversation, record.entry, conversation.messages))
      record.heldBy = undefined
}

/** @throws SkillshelfError `too-large` */
export function checkFits(
  conversation: Conversation,
  subject: string,
  tokens: number,
  unloaded: readonly SkillId[],
): void {
  if (fits(conversation, tokens)) return
  const figures = {
    needed: tokens,
    used: usedTokens(conversation),
    percent: countContext(conversation).percent,
    limit: Math.floor(conversation.limit),
    context: conversation.contextTokens,
    unloaded: unloaded.length,
  }
  throw tooLarge(`${subject} does not fit into the context`, figures, 'unload a skill, or start a new conversation')
}

export function tooLarge(problem: string, figures: Record<string, number>, hint: string): SkillshelfError {
  const listed = Object.entries(figures).map(([name, value]) => `${name} ${value}`)
  return new SkillshelfError('too-large', `${problem}: ${listed.join(', ')}`, { figures, hint })
}
