import { isRecord, parseJson } from '../../core/plain-data.js'
import { showHidden } from '../../core/sanitize.js'
import type { MessageLanguage } from '../api/message-writing.js'
import {
  isInLanguage,
  MESSAGE_LANGUAGES,
  type MessageCounts,
  type MessagesByLanguage,
} from './languages.js'
import type { EnrichedSkill } from './prompt.js'

/** Longest message that is kept, in characters. Shorter than the limit of a skill: a need takes a sentence. */
const MAX_LENGTH = 200
const MIN_LETTERS = 4
/** Characters of a message that count as a copy if the description has them. Ideographs say more in fewer. */
const COPY_LENGTH = 16
const COPY_LENGTH_CJK = 6

/** Messages that can be kept, and what is wrong with the others, in our own words. */
export interface CheckedMessages {
  messages: MessagesByLanguage
  /** Empty if every language has its number of messages. */
  problems: readonly string[]
}

const LINK =
  /:\/\/|\bwww\.|\bmailto:|\bjavascript:|\bdata:\S|\S@\S+\.\S|\b[\p{L}\d-]+\.(?:com|org|net|io|dev|app|xyz|info|ru|cn)\//iu
const MARKUP = /[<>`{}[\]|\\]|\*\*|__|^(?:[#>*+-]|\d+[.)]\s)/
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** Reads the answer of a model: JSON, also inside a code block or after reasoning. @returns `undefined` if there is no JSON object. */
export function parseAnswer(answer: string): Readonly<Record<string, unknown>> | undefined {
  const visible = answer.slice(answer.lastIndexOf('</think>') + 1)
  const json = visible.slice(visible.indexOf('{'), visible.lastIndexOf('}') + 1)
  const value = parseJson(json)
  return isRecord(value) ? value : undefined
}

/** Checks messages: number, length, language, repetitions, links, markup, hidden text. `earlier` come first and are not checked. */
export function checkMessages(
  skill: EnrichedSkill,
  counts: MessageCounts,
  answer: Readonly<Record<string, unknown>> | undefined,
  earlier: MessagesByLanguage = new Map(),
): CheckedMessages {
  const problems: string[] = []
  const seen = new Set([...earlier.values()].flat().map(fold))
  const messages = new Map<MessageLanguage, string[]>()
  if (!answer) problems.push('the answer is not one JSON object')
  // The keys are not quoted: they are text of the model, and the problems are part of the next prompt.
  const unknown = Object.keys(answer ?? {}).filter(
    key => !counts.has(key as MessageLanguage),
  ).length
  if (unknown > 0) {
    problems.push(
      `the answer has ${unknown} other ${unknown === 1 ? 'key' : 'keys'} than the languages`,
    )
  }
  for (const [language, count] of counts) {
    const kept = [...(earlier.get(language) ?? [])]
    const list = answer && Object.hasOwn(answer, language) ? answer[language] : []
    if (!Array.isArray(list)) problems.push(`${language} is not an array`)
    for (const [index, message] of (Array.isArray(list) ? list : []).entries()) {
      if (kept.length === count) break
      const problem = problemOf(skill, language, message, seen)
      if (problem === undefined) {
        kept.push((message as string).trim())
        seen.add(fold(message as string))
      } else problems.push(`${language}, message ${index + 1} ${problem}`)
    }
    messages.set(language, kept)
  }
  const missing = [...counts].filter(
    ([language, count]) => (messages.get(language)?.length ?? 0) < count,
  )
  if (missing.length === 0) return { messages, problems: [] }
  for (const [language, count] of missing) {
    problems.push(
      `${language} has ${messages.get(language)?.length ?? 0} of ${count} messages that can be used`,
    )
  }
  return { messages, problems }
}

function problemOf(
  { name, description, whenToUse = '' }: EnrichedSkill,
  language: MessageLanguage,
  message: unknown,
  seen: ReadonlySet<string>,
): string | undefined {
  if (typeof message !== 'string') return 'is not a string'
  const text = message.trim()
  if (text.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`
  if (/[\r\n\t\u2028\u2029]/.test(text)) return 'is not one line'
  if (showHidden(text) !== text) return 'has hidden or control characters'
  if (LINK.test(text)) return 'has a link'
  if (MARKUP.test(text)) return 'has markup or a placeholder'
  if ((text.match(/\p{L}/gu)?.length ?? 0) < MIN_LETTERS) return 'is too short'
  if (!isInLanguage(text, language)) return `is not in ${MESSAGE_LANGUAGES[language]}`
  const folded = fold(text)
  if (seen.has(folded)) return 'repeats another message'
  if (folded === fold(name)) return 'is the name of the skill'
  const copyLength = CJK.test(folded) ? COPY_LENGTH_CJK : COPY_LENGTH
  const isCopy = (own: string): boolean =>
    own.length > 0 &&
    (own.includes(folded)
      ? folded.length >= copyLength
      : folded.includes(own) && own.length >= copyLength)
  if ([description, whenToUse].some(own => isCopy(fold(own)))) return 'copies the description'
  return undefined
}

/** Letters and digits only, for comparisons. */
function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}
