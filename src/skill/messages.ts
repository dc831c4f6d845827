import type { Diagnostic } from './diagnostics.js'

/** Name of the file beside a SKILL.md with messages of users who need the skill, one a line. Lines that start with `#` are comments. */
export const MESSAGES_FILE = 'messages.txt'

/** Messages of a skill that are read, and characters of each. */
const MAX_MESSAGES = 64
export const MAX_MESSAGE = 300

/**
 * Reads the text of a `messages.txt`: one message a line. Empty lines and lines that start with `#` are ignored, and so is the dash of a
 * list.
 */
export function parseMessages(text: string): string[] {
  return text
    .split(/\r\n?|\n/)
    .map(line => line.replace(/^\ufeff/, '').trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => line.replace(/^[-*] +/, ''))
}

/**
 * Joins the messages of a skill, without repetitions.
 * @returns At most 64 messages, and a diagnostic if others or messages of more than 300 characters were left out.
 */
export function joinMessages(messages: readonly string[]): { messages: string[]; diagnostics: Diagnostic[] } {
  const unique = [...new Set(messages.map(message => message.trim().replace(/\s+/g, ' ')).filter(Boolean))]
  const kept = unique.filter(({ length }) => length <= MAX_MESSAGE).slice(0, MAX_MESSAGES)
  const left = unique.length - kept.length
  return {
    messages: kept,
    diagnostics:
      left === 0
        ? []
        : [
            {
              code: 'messages-ignored',
              severity: 'warning',
              message: `${left} ${left === 1 ? 'message was' : 'messages were'} ignored: a skill has at most ${MAX_MESSAGES} messages of at most ${MAX_MESSAGE} characters`,
              hint: 'keep the messages that differ most',
            },
          ],
  }
}
