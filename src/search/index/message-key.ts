import { sequenceOf } from '../../core/text/analyze.js'
import { hash32 } from '../../core/text/hash32.js'
import { withoutPaths } from '../../core/text/message-paths.js'

const WORD = /[\p{L}\p{N}]/u
/** Letters that are written as two, also in capitals. */
const LIGATURES: Readonly<Record<string, string>> = {
  // Escaped: as bare names, they are an error of syntax in a page without a charset.
  '\u00df': 'ss',
  '\u0153': 'oe',
  '\u00e6': 'ae',
}
const LIGATURE = /[\u00df\u0153\u00e6]/g

/** The words of a message. Messages with the same key are the same, whatever their case, width, punctuation, spaces and paths. */
export function messageKey(message: string): string {
  const { text, rest } = withoutPaths(message)
  const words = sequenceOf(WORD.test(rest) ? text : message).join(' ')
  // "1 0" is not "10".
  const key = words.replace(/(?<!\d) | (?!\d)/g, '')
  return key.replace(LIGATURE, letter => LIGATURES[letter] as string) || message.trim()
}

/** The messages that equal none of some others. */
export function withoutEqual(messages: readonly string[], others: readonly string[]): string[] {
  const keys = new Set(others.map(messageKey))
  return messages.filter(message => !keys.has(messageKey(message)))
}

/** First character of an index term that stands for a whole message. No word has it. */
const MESSAGE = '\u0001'
/** 24 bits are 4 characters of 6. Two messages of one term are compared, so they need not differ. */
const CHARACTERS = 4
const FIRST_CHARACTER = 0x30

/** The index term of a whole message: the skills of equal messages are found by it, whatever other skills the words find. */
export function messageTerm(message: string): string {
  const hash = hash32(messageKey(message))
  const codes = Array.from(
    { length: CHARACTERS },
    (_, at) => FIRST_CHARACTER + ((hash >>> (6 * at)) & 63),
  )
  return MESSAGE + String.fromCharCode(...codes)
}

/** Whether an index term stands for a whole message. */
export function isMessageTerm(term: string): boolean {
  return term.startsWith(MESSAGE)
}
