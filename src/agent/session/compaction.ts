import { foldText } from '../../core/text/fold.js'
import type { TokenCounter } from '../../core/tokens.js'
import type { SkillSummary } from '../../skill/skill.js'
import type { SessionMessage } from './messages.js'

/** The most recent messages: a skill mentioned in them stays open, and compaction keeps them. */
const RECENT_MESSAGES = 10
/** Characters that are left of a truncated tool result. */
const TOOL_RESULT_LENGTH = 400
const SPACELESS_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

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
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!inOneWord(text[at - 1], word[0]) && !inOneWord(text[at + word.length], word.at(-1))) return true
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

/**
 * Shortens a conversation by at least `tokens`: truncates old tool results, drops the oldest messages, then truncates recent
 * tool results. Recent messages are never dropped.
 */
export function compactMessages(
  messages: readonly SessionMessage[],
  tokens: number,
  countTokens: TokenCounter,
): SessionMessage[] {
  const firstRecent = Math.max(0, messages.length - RECENT_MESSAGES)
  const shorter = [...messages]
  let [saved, dropped] = [0, 0]
  const isEnough = (): boolean => saved - (dropped === 0 ? 0 : countTokens(droppedNote(dropped).content)) >= tokens
  for (let at = 0; at < firstRecent && !isEnough(); at++) saved += truncateToolResult(shorter, at, countTokens)
  while (!isEnough() && dropped < firstRecent) saved += countTokens((shorter[dropped++] as SessionMessage).content)
  for (let at = firstRecent; at < messages.length && !isEnough(); at++)
    saved += truncateToolResult(shorter, at, countTokens)
  return dropped === 0 ? shorter : [droppedNote(dropped), ...shorter.slice(dropped)]
}

function droppedNote(dropped: number): SessionMessage {
  return { role: 'system', content: `[${dropped} earlier messages were left out to make room]` }
}

/** Truncates a long tool result in place. Returns the tokens saved. */
function truncateToolResult(messages: SessionMessage[], at: number, countTokens: TokenCounter): number {
  const { role, content } = messages[at] as SessionMessage
  if (role !== 'tool' || content.length <= TOOL_RESULT_LENGTH * 2) return 0
  const splitsSurrogates = /[\ud800-\udbff]/.test(content[TOOL_RESULT_LENGTH - 1] ?? '')
  const end = splitsSurrogates ? TOOL_RESULT_LENGTH - 1 : TOOL_RESULT_LENGTH
  const shorter = `${content.slice(0, end)}\n[${content.length - end} more characters were cut to make room]`
  messages[at] = { role, content: shorter }
  return countTokens(content) - countTokens(shorter)
}
