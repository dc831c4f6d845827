import {
  MACHINE_MESSAGE,
  NOTE,
  PLACEHOLDER,
  REQUEST_HEADING,
  REQUEST_WRAPPER,
} from './message-marks.js'
import { withoutPaths } from './message-paths.js'
import { type Piece, splitMessage, WORD } from './message-pieces.js'
import { readTags } from './message-tags.js'

/** What the user said in a message. */
export interface UserWords {
  /**
   * What the user asks. If there is nothing beside what the user pasted, that. `''` if the message is of a machine alone. The message
   * itself, the same string, if all of it is the user's.
   */
  message: string
  /**
   * What the user pasted beside it: code, quotes, stack traces, paths. It says what to work on, and not what to do. The message itself, the same
   * string, if the user asks nothing beside what was pasted.
   */
  pasted: string
}

const NOTE_TAG = new RegExp(`<(?=/?${NOTE}\\b)`, 'gi')

/**
 * Tells what the user said in a message from what this library, a host or a tool put into it. Text is taken for that of a machine only in
 * a whole element, on a line or in a message that a host is known to write, so that a user who writes about a tag loses nothing.
 * The time is linear.
 */
export function userWords(message: string): UserWords {
  const words = wordsIn(message)
  if (words.message === message || words.message === '') return words
  // What a wrapper holds may be such a text itself.
  const inner = wordsIn(words.message)
  if (inner.pasted === inner.message) return inner
  const pasted = [words.pasted, inner.pasted].filter(text => text !== '').join('\n')
  return { message: inner.message, pasted }
}

function wordsIn(message: string): UserWords {
  const isMachine = MACHINE_MESSAGE.test(message)
  const pieces = isMachine ? [] : splitMessage(requestOf(message).replace(PLACEHOLDER, ''))
  const said = pieces.filter(({ by }) => by !== 'machine')
  const asked = withoutPaths(joinPieces(said.filter(({ by }) => by === 'asked')))
  if (!WORD.test(asked.rest)) {
    const text = textOf(message, said)
    // A message in elements may have its request in any of them.
    return { message: text, pasted: readTags(message).tags.length > 0 ? '' : text }
  }
  const quoted = said.filter(({ by }) => by === 'quoted')
  if (said.length === pieces.length && quoted.length === 0 && asked.paths.length === 0) {
    return { message: textOf(message, said), pasted: '' }
  }
  return {
    message: tidy(asked.text),
    pasted: tidy([...quoted.map(({ text }) => text), ...asked.paths].join('\n')),
  }
}

/** Marks text of this library, so that `userWords` takes it out of a message that it is added to. Text with marks stays as it is. */
export function markOwnText(text: string): string {
  if (userWords(text).message === '') return text
  return `<${NOTE}>\n${text.replace(NOTE_TAG, '&lt;')}\n</${NOTE}>`
}

/** The text of pieces: the message itself, if they are all of it. `''` if no word is left. */
function textOf(message: string, pieces: readonly Piece[]): string {
  const text = joinPieces(pieces)
  if (text === message) return message
  return WORD.test(text) ? tidy(text) : ''
}

function joinPieces(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('')
}

/** Removes blank lines and spaces that other pieces leave behind. */
function tidy(text: string): string {
  const lines = text.split('\n').map(line => line.trim())
  return lines.filter(line => line !== '').join('\n')
}

/** What stands below the heading of the request in the wrapper of Codex, else the whole message. */
function requestOf(message: string): string {
  const heading = REQUEST_HEADING.exec(message)
  if (!heading) return REQUEST_WRAPPER.test(message) ? '' : message
  const before = message.slice(0, heading.index).trimStart()
  const isWrapper = before === '' || before.startsWith('# ') || before.startsWith('<')
  return isWrapper ? message.slice(heading.index + heading[0].length) : message
}
