import { SkillshelfError } from '../../core/errors.js'
import { foldText } from '../../core/text/fold.js'
import type { TokenCounter } from '../../core/tokens.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import type { Conversation } from './conversation.js'
import { contentsOf, isVisible, removeInstructions } from './instructions.js'
import type { Ledger } from './ledger.js'
import { normalizeMessages, type SessionMessage } from './messages.js'
import { withoutSkills } from './skill-content.js'

/** The most recent messages: a skill mentioned in them stays open, and compaction keeps them. */
const RECENT_MESSAGES = 10
/** Characters that are left of a truncated tool result. */
const TOOL_RESULT_LENGTH = 400
const SPACELESS_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Implements `Session.ledger`. */
export function countContext(conversation: Conversation): Ledger {
  const { session, messages, addedTokens, budgets, contextTokens, countTokens } = conversation
  const open = conversation.open.entries()
  // In messages, instructions count as instructions, not as tool results.
  const contents = contentsOf(conversation, open)
  const spoken = { messages: 0, toolResults: addedTokens }
  for (const { role, content, calls = '' } of messages) {
    spoken[role === 'tool' ? 'toolResults' : 'messages'] += countTokens(
      withoutSkills(content, contents),
    )
    spoken.messages += countTokens(calls)
  }
  const files = open.flatMap(skill => skill.references)
  const { catalog, tools } = countOffer(conversation)
  const entries = {
    system: { tokens: conversation.systemTokens(), budget: budgets.system },
    metadata: {
      tokens: catalog,
      budget: conversation.catalogBudget(session.offered.length),
    },
    tools: { tokens: tools },
    instructions: { tokens: sumTokens(open), budget: budgets.instructions * open.length },
    references: { tokens: sumTokens(files), budget: budgets.reference * files.length },
    messages: { tokens: spoken.messages },
    toolResults: { tokens: spoken.toolResults },
  }
  const total = sumTokens(Object.values(entries))
  return {
    ...entries,
    total,
    percent: Math.round((total / contextTokens) * 1_000) / 10,
    contextTokens,
  }
}

function sumTokens(items: readonly { tokens: number }[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** Counts what the session offers in every turn: the catalog and the tools. */
function countOffer(conversation: Conversation): { catalog: number; tools: number } {
  const { session, library, dialect, countTokens } = conversation
  if (conversation.withoutTools) return { catalog: 0, tools: 0 }
  const key = [
    library.snapshot.revision,
    session.offered.length,
    ...conversation.open.entries().map(({ skill }) => skill.id),
  ].join('\n')
  if (conversation.offer.key !== key) {
    const tools = session
      .tools()
      .map(({ name, description, inputSchema: parameters }) =>
        JSON.stringify({ name, description, parameters }),
      )
    conversation.offer = {
      key,
      catalog: countTokens(dialect.catalog(session)),
      tools: countTokens(tools.join('\n')),
    }
  }
  return conversation.offer
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
export function unloadUnused(
  conversation: Conversation,
  tokens: number,
  keep: readonly SkillId[],
): SkillId[] {
  const unloaded: SkillId[] = []
  for (const entry of conversation.open.entries()) {
    const { skill } = entry
    if (fits(conversation, tokens)) break
    if (keep.includes(skill.id) || isMentioned(skill, conversation.messages)) continue
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
  const shorter = compact
    ? await compact(before, { tokens: need, signal })
    : compactMessages(before, need, countTokens)
  // Messages observed while `compact` ran are newer than its result.
  if (conversation.messages !== before) return
  conversation.messages = normalizeMessages(shorter)
  // Instructions that a tool has just returned are not in these messages yet.
  for (const record of conversation.open.records()) {
    if (
      isVisible(conversation, record.entry, before) &&
      !isVisible(conversation, record.entry, conversation.messages)
    ) {
      record.heldBy = undefined
    }
  }
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
  throw tooLarge(
    `${subject} does not fit into the context`,
    figures,
    'unload a skill, or start a new conversation',
  )
}

export function tooLarge(
  problem: string,
  figures: Record<string, number>,
  hint: string,
): SkillshelfError {
  const listed = Object.entries(figures).map(([name, value]) => `${name} ${value}`)
  return new SkillshelfError('too-large', `${problem}: ${listed.join(', ')}`, { figures, hint })
}

/** Whether one of the last ten messages contains the name, display name or id of a skill as a whole word, case-folded. */
export function isMentioned(skill: SkillSummary, messages: readonly SessionMessage[]): boolean {
  const recent = messages.slice(-RECENT_MESSAGES).map(({ content }) => content)
  const text = foldText(recent.join('\n'))
  return [skill.name, skill.displayName, skill.id].some(
    name => name !== undefined && containsWord(text, foldText(name)),
  )
}

function containsWord(text: string, word: string): boolean {
  if (word === '') return false
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!inOneWord(text[at - 1], word[0]) && !inOneWord(text[at + word.length], word.at(-1))) {
      return true
    }
  }
  return false
}

/** Whether two neighboring characters belong to one word. Scripts without spaces have no such boundary. */
function inOneWord(outside: string | undefined, inside: string | undefined): boolean {
  return (
    outside !== undefined &&
    /[\p{L}\p{N}_-]/u.test(outside) &&
    !SPACELESS_SCRIPT.test(outside) &&
    !SPACELESS_SCRIPT.test(inside ?? '')
  )
}

/** Saves at least `tokens`: cuts old tool results, drops the oldest messages, then cuts recent tool results. */
function compactMessages(
  messages: readonly SessionMessage[],
  tokens: number,
  countTokens: TokenCounter,
): SessionMessage[] {
  const firstRecent = Math.max(0, messages.length - RECENT_MESSAGES)
  let saved = 0
  let dropped = 0
  const isEnough = (): boolean =>
    saved - (dropped === 0 ? 0 : countTokens(droppedNote(dropped).content)) >= tokens
  const truncate = (message: SessionMessage): SessionMessage => {
    if (isEnough()) return message
    const shorter = truncateToolResult(message)
    saved += countTokens(message.content) - countTokens(shorter.content)
    return shorter
  }
  const old = messages.slice(0, firstRecent).map(truncate)
  for (const { content } of old) {
    if (isEnough()) break
    saved += countTokens(content)
    dropped++
  }
  const recent = messages.slice(firstRecent).map(truncate)
  return [...(dropped === 0 ? [] : [droppedNote(dropped)]), ...old.slice(dropped), ...recent]
}

function droppedNote(dropped: number): SessionMessage {
  return { role: 'system', content: `[${dropped} earlier messages were left out to make room]` }
}

function truncateToolResult(message: SessionMessage): SessionMessage {
  const { role, content } = message
  if (role !== 'tool' || content.length <= TOOL_RESULT_LENGTH * 2) return message
  const splitsSurrogates = /[\ud800-\udbff]/.test(content[TOOL_RESULT_LENGTH - 1] ?? '')
  const end = splitsSurrogates ? TOOL_RESULT_LENGTH - 1 : TOOL_RESULT_LENGTH
  return {
    role,
    content: `${content.slice(0, end)}\n[${content.length - end} more characters were cut to make room]`,
  }
}
