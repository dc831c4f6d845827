import type { Diagnostic } from './diagnostics.js'

/** Name of the file beside a SKILL.md with messages of users who need the skill, one a line. Lines that start with `#` are comments. */
export const MESSAGES_FILE = 'messages.txt'

/** Messages of a skill that are read, characters of each, and characters of all. */
const MAX_MESSAGES = 64
export const MAX_MESSAGE = 300
const MAX_CHARACTERS = 5_000
/** A file of messages that are too long or too many still has the others. */
export const MAX_MESSAGES_BYTES = 65_536

/** Reads a `messages.txt`: one message a line. Empty lines, lines with `#` and the dash of a list are ignored. */
export function parseMessages(text: string): string[] {
  return text
    .split(/\r\n?|\n/)
    .map(line => line.replace(/^\ufeff/, '').trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => line.replace(/^[-*] +/, ''))
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
