import { digestOf, shortDigest } from '../../core/digest.js'
import { isNotHeading, parseMessages } from '../../skill/messages.js'
import type { MessageLanguage } from '../api/message-writing.js'
import { isMessageLanguage, type MessageCounts, type MessagesByLanguage } from './languages.js'

/**
 * The first line of a `messages.txt` that `enrich` wrote, or that an agent wrote by a plan:
 *
 *     # skillshelf enrich: skill 0123456789abcdef, messages 0123456789abcdef
 *     # skillshelf enrich: skill 0123456789abcdef, write en 6, zh 4
 */
const HEADER =
  /^\ufeff?# skillshelf enrich: skill ([0-9a-f]{16}), (?:messages ([0-9a-f]{16})|write ([a-z0-9, ]+))\s*$/
const LANGUAGE = /^#\s*([a-z]{2})\s*$/

export type MessagesFile =
  /** Written by hand, or edited after `enrich` wrote it. Never changed. */
  | { kind: 'own' }
  /** Written by an agent, and not checked yet. */
  | { kind: 'draft'; seen: string; counts: MessageCounts }
  /** Written or accepted by `enrich`. */
  | { kind: 'enriched'; seen: string; languages: readonly MessageLanguage[] }

export function readMessagesFile(text: string): MessagesFile {
  const [line = ''] = text.split(/\r\n?|\n/, 1)
  const [, seen = '', messages, wanted] = HEADER.exec(line) ?? []
  if (wanted !== undefined) {
    const counts = parseCounts(wanted)
    return counts ? { kind: 'draft', seen, counts } : { kind: 'own' }
  }
  // A person who edits a written file keeps the header, but the digest of the messages no longer fits, or there are other comments.
  const isEdited =
    messages === undefined || messages !== digestOfMessages(text) || hasOwnComments(text)
  if (isEdited) return { kind: 'own' }
  return { kind: 'enriched', seen, languages: [...messagesOf(text).keys()] }
}

/** The text of a `messages.txt`. Each language has a comment with its code. @param notMessages Messages that the skill is not for. */
export function formatMessagesFile(
  seen: string,
  messages: MessagesByLanguage,
  notMessages: readonly string[] = [],
): string {
  const lines = [...messages].flatMap(([language, list]) => [`# ${language}`, ...list])
  if (notMessages.length > 0) lines.push('# not', ...notMessages)
  const body = `${lines.join('\n')}\n`
  return `# skillshelf enrich: skill ${seen}, messages ${digestOfMessages(body)}\n${body}`
}

/** The first line that an agent writes, before its messages are checked. */
export function draftHead(seen: string, counts: MessageCounts): string {
  return `# skillshelf enrich: skill ${seen}, write ${[...counts].map(pair => pair.join(' ')).join(', ')}`
}

/**
 * The text of a draft whose messages are accepted. Comments of its author stay: such a file keeps everything but its first line.
 * @param notMessages Messages that the skill is not for.
 */
export function acceptDraft(
  text: string,
  seen: string,
  notMessages: readonly string[] = parseMessages(text).notMessages,
): string {
  if (!hasOwnComments(text)) return formatMessagesFile(seen, messagesOf(text), notMessages)
  const head = /^[^\r\n]*/
  return text.replace(
    head,
    `# skillshelf enrich: skill ${seen}, messages ${digestOfMessages(text)}`,
  )
}

/** Number of messages above the first comment with a language. */
export function countWithoutLanguage(text: string): number {
  return parseMessages(text).messages.length - [...messagesOf(text).values()].flat().length
}

/** Whether a file with a head has comments but headings. */
function hasOwnComments(text: string): boolean {
  const [, ...lines] = text.split(/\r\n?|\n/)
  return lines.some(line => {
    const comment = line.trim()
    if (!comment.startsWith('#') || isNotHeading(comment)) return false
    return !isMessageLanguage(LANGUAGE.exec(comment)?.[1])
  })
}

/** The messages of a file by the language that the comment above them names. */
export function messagesOf(text: string): Map<MessageLanguage, string[]> {
  const messages = new Map<MessageLanguage, string[]>()
  let current: MessageLanguage | undefined
  for (const line of text.split(/\r\n?|\n/)) {
    const [, language] = LANGUAGE.exec(line.trim()) ?? []
    if (isMessageLanguage(language)) current = language
    else if (isNotHeading(line.trim())) current = undefined
    else if (current) {
      const { messages: more } = parseMessages(line)
      messages.set(current, [...(messages.get(current) ?? []), ...more])
    }
  }
  return messages
}

function digestOfMessages(text: string): string {
  const { messages, notMessages } = parseMessages(text)
  const all = notMessages.length > 0 ? [messages, notMessages] : messages
  return shortDigest(digestOf(JSON.stringify(all)))
}

function parseCounts(text: string): MessageCounts | undefined {
  const counts = new Map<MessageLanguage, number>()
  for (const pair of text.split(', ')) {
    const [, language, count] = /^([a-z]{2}) ([1-9])$/.exec(pair) ?? []
    if (!isMessageLanguage(language)) return undefined
    counts.set(language, Number(count))
  }
  return counts
}
