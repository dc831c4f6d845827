import type { SkillSummary } from '../skill/types.js'
import { foldText } from '../text/fold.js'
import type { SessionMessage } from './types.js'

/** Messages that keep a skill open by naming it, and that making room leaves alone. */
export const RECENT = 10
/** Characters of a tool result that are left of it. */
const KEPT = 400

/** Whether a message of the last ten names a skill: by its name, display name or id, whole and case-folded. */
export function isMentioned(skill: SkillSummary, messages: readonly SessionMessage[]): boolean {
  const said = foldText(
    messages
      .slice(-RECENT)
      .map(({ content }) => content)
      .join('\n'),
  )
  return [skill.name, skill.displayName, skill.id].some(name => name !== undefined && holds(said, foldText(name)))
}

function holds(said: string, name: string): boolean {
  if (name === '') return false
  for (let at = said.indexOf(name); at >= 0; at = said.indexOf(name, at + 1))
    if (!joins(said[at - 1], name[0]) && !joins(said[at + name.length], name.at(-1))) return true
  return false
}

/** Whether two characters belong to one word. Scripts without spaces have no such thing. */
function joins(outside: string | undefined, inside: string | undefined): boolean {
  return (
    outside !== undefined &&
    /[\p{L}\p{N}_-]/u.test(outside) &&
    !spaceless.test(outside) &&
    !spaceless.test(inside ?? '')
  )
}

const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Makes messages shorter by so many tokens: first old tool results, then the oldest messages go, but not the last ten. */
export function compactMessages(
  messages: readonly SessionMessage[],
  tokens: number,
  countTokens: (text: string) => number,
): SessionMessage[] {
  const old = Math.max(0, messages.length - RECENT)
  const shorter = [...messages]
  let [saved, dropped] = [0, 0]
  // The note that stands for what was left out costs something too.
  const isEnough = (): boolean => saved - (dropped === 0 ? 0 : countTokens(noteOf(dropped).content)) >= tokens
  for (let at = 0; at < old && !isEnough(); at++) saved += cut(shorter, at, countTokens)
  while (!isEnough() && dropped < old) saved += countTokens((shorter[dropped++] as SessionMessage).content)
  // Of recent messages only the tool results, and those last.
  for (let at = old; at < messages.length && !isEnough(); at++) saved += cut(shorter, at, countTokens)
  return dropped === 0 ? shorter : [noteOf(dropped), ...shorter.slice(dropped)]
}

function noteOf(dropped: number): SessionMessage {
  return { role: 'system', content: `[${dropped} earlier messages were left out to make room]` }
}

/** Cuts a long tool result; gives what that saved. */
function cut(messages: SessionMessage[], at: number, countTokens: (text: string) => number): number {
  const { role, content } = messages[at] as SessionMessage
  if (role !== 'tool' || content.length <= KEPT * 2) return 0
  const end = /[\ud800-\udbff]/.test(content[KEPT - 1] ?? '') ? KEPT - 1 : KEPT
  const short = `${content.slice(0, end)}\n[${content.length - end} more characters were cut to make room]`
  messages[at] = { role, content: short }
  return countTokens(content) - countTokens(short)
}
