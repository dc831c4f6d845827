import type { Diagnostic } from './diagnostics.js'

/**
 * Name of the file beside a SKILL.md with messages of users who need the skill, one a line. Lines that start with `#` are comments, but for
 * the headings: below `# not` are messages that the skill is not for, below the code of a language, such as `# en`, those of users again.
 */
export const MESSAGES_FILE = 'messages.txt'

/** Messages of a skill that are read, characters of each, and characters of all. */
const MAX_MESSAGES = 64
export const MAX_MESSAGE = 300
const MAX_CHARACTERS = 5_000
/** A file of messages that are too long or too many still has the others. */
export const MAX_MESSAGES_BYTES = 65_536

const COMMENT = /^#+\s*/
const NOT_HEADING = /^not:?$/i
const LANGUAGE_HEADING = /^[a-z]{2}$/
/** What may be meant as a message that the skill is not for. */
const NOT_COMMENT = /^not(?::|\s)\s*\S/i

/** The messages of a `messages.txt`. */
export interface ParsedMessages {
  /** Of users who need the skill. */
  messages: string[]
  /** Messages that the skill is not for. */
  notMessages: string[]
}

/** Whether a line is the heading of messages that the skill is not for. */
export function isNotHeading(line: string): boolean {
  return isComment(line) && NOT_HEADING.test(textOfComment(line))
}

/** Reads a `messages.txt`: one message a line. Empty lines, other comments and the dash of a list are ignored. */
export function parseMessages(text: string): ParsedMessages {
  const parsed: ParsedMessages = { messages: [], notMessages: [] }
  let current = parsed.messages
  for (const line of linesOf(text)) {
    if (isNotHeading(line)) current = parsed.notMessages
    else if (isComment(line)) {
      if (LANGUAGE_HEADING.test(textOfComment(line))) current = parsed.messages
    } else if (line !== '') current.push(line.replace(/^[-*] +/, ''))
  }
  return parsed
}

/** Reports comments that may be meant as messages which the skill is not for. */
export function checkComments(text: string): Diagnostic[] {
  return linesOf(text).flatMap((line, index) => {
    if (!isComment(line) || !NOT_COMMENT.test(textOfComment(line))) return []
    return {
      code: 'messages-ignored',
      severity: 'info',
      message: 'The line is a comment, not a message that the skill is not for',
      line: index + 1,
      hint: 'if it is meant as one, put it below a line with `# not` alone',
    }
  })
}

/** Joins messages without repetitions: at most 64, of 300 characters, 5,000 in all. A diagnostic says if others were left out. */
export function joinMessages(messages: readonly string[]): {
  messages: string[]
  diagnostics: Diagnostic[]
} {
  const unique = [
    ...new Set(messages.map(message => message.trim().replace(/\s+/g, ' ')).filter(Boolean)),
  ]
  const kept: string[] = []
  let characters = 0
  for (const message of unique) {
    if (message.length > MAX_MESSAGE || kept.length === MAX_MESSAGES) continue
    characters += message.length
    if (characters > MAX_CHARACTERS) break
    kept.push(message)
  }
  const left = unique.length - kept.length
  if (left === 0) return { messages: kept, diagnostics: [] }
  const message = `${left} ${left === 1 ? 'message was' : 'messages were'} ignored: a skill has at most ${MAX_MESSAGES} messages of at most ${MAX_MESSAGE} characters, and at most ${MAX_CHARACTERS} characters in all`
  const hint = 'keep the messages that differ most'
  return {
    messages: kept,
    diagnostics: [{ code: 'messages-ignored', severity: 'warning', message, hint }],
  }
}

function linesOf(text: string): string[] {
  return text.split(/\r\n?|\n/).map(line => line.replace(/^\ufeff/, '').trim())
}

function isComment(line: string): boolean {
  return line.startsWith('#')
}

function textOfComment(line: string): string {
  return line.replace(COMMENT, '').trimEnd()
}
