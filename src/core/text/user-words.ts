import {
  CONTINUED_PASTE,
  type ElementKind,
  END_OF_FILES,
  elementKind,
  MACHINE_FENCE,
  MACHINE_LINE,
  MACHINE_MESSAGE,
  NOTE,
  OWN_LINE,
  PASTED_LINE,
  REFERENCED_FILES,
  REQUEST_HEADING,
} from './message-marks.js'
import { withoutPaths } from './message-paths.js'

/** What the user said in a message. */
export interface UserWords {
  /**
   * What the user asks. If there is nothing beside what the user pasted, that. `''` if the message is of a machine alone. The message
   * itself, the same string, if all of it is the user's.
   */
  message: string
  /** What the user pasted beside it: code, quotes, stack traces, paths. It is less evidence than what is asked. */
  quoted: string
}

/** Whose words a piece of a message is. */
type Speaker = 'asked' | 'quoted' | 'machine'

interface Piece {
  by: Speaker
  text: string
}

/** Attributes are bounded, and end at the next tag, so that the time is linear. */
const TAG = /<(\/?)([a-z][\w:-]{0,63})((?:\s[^<>]{0,1000})?)>/gi
const FENCE = /[ ]{0,3}(`{3,}|~{3,})/y
const INDENTATION = /[ \t]*/y
const LONGEST_FENCE = 8
/** What stands between two tags in a sentence about them: `<a> and </a>`, `<a>/</a>`. */
const SENTENCE_PART = /^(?:[ ,][^\n]{0,24} |[^\p{L}\p{N}\n]{1,8})$/u
/** The end of a line, or another tag. */
const LINE_END = /[ \t]*(?=\n|<|$)/y
const WORD = /[\p{L}\p{N}\p{Extended_Pictographic}]/u
const NOTE_TAG = new RegExp(`<(?=/?${NOTE}\\b)`, 'gi')

/**
 * Tells what the user said in a message from what this library, a host or a tool put into it. Text is taken for that of a machine only in
 * a whole element, on a line or in a message that a host is known to write, so that a user who writes about a tag loses nothing.
 * The time is linear.
 */
export function userWords(message: string): UserWords {
  const pieces = MACHINE_MESSAGE.test(message) ? [] : splitMessage(requestOf(message))
  const said = pieces.filter(({ by }) => by !== 'machine')
  const asked = withoutPaths(joinPieces(said.filter(({ by }) => by === 'asked')))
  if (!WORD.test(asked.rest)) return { message: textOf(message, said), quoted: '' }
  const quoted = said.filter(({ by }) => by === 'quoted')
  if (said.length === pieces.length && quoted.length === 0 && asked.paths.length === 0) {
    return { message: textOf(message, said), quoted: '' }
  }
  return {
    message: tidy(asked.text),
    quoted: tidy([...quoted.map(({ text }) => text), ...asked.paths].join('\n')),
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
  if (!heading) return message
  const before = message.slice(0, heading.index).trimStart()
  const isWrapper = before === '' || before.startsWith('# ') || before.startsWith('<')
  return isWrapper ? message.slice(heading.index + heading[0].length) : message
}

/** A tag of a whole element. Offsets are those of the message. */
interface Tag {
  kind: ElementKind
  start: number
  end: number
  /** The other tag of the element. */
  other: Tag | undefined
  isClosing: boolean
  /** Whether its content is what the user said. */
  isAround: boolean
}

/** The state of a walk through a message, from one line or tag to the next. */
interface Walk {
  text: string
  pieces: Piece[]
  /** Tags of whole elements that are not passed yet, the next one last. */
  tags: Tag[]
  /** Whether a host says which words are the user's. Then it wrote every other element. */
  isWrapped: boolean
  /** Kinds of fences that nothing closes any more. */
  openFences: Set<string>
  at: number
  /** The end of the line, so that a line with many tags is read once. */
  lineEnd: number
  /** Whether nothing of the user is before it on its line. */
  isLineStart: boolean
  /** Whether the line before it was pasted. */
  isInPaste: boolean
}

function splitMessage(text: string): Piece[] {
  const tags = pairTags(text)
  const walk: Walk = {
    text,
    pieces: [],
    tags: tags.reverse(),
    isWrapped: tags.some(({ kind }) => kind === 'request'),
    openFences: new Set(),
    at: 0,
    lineEnd: 0,
    isLineStart: true,
    isInPaste: false,
  }
  while (walk.at < text.length) {
    if (walk.at >= walk.lineEnd) walk.lineEnd = endOfLine(text, walk.at)
    if (!(walk.isLineStart && takeBlock(walk))) takeRun(walk)
  }
  return walk.pieces
}

/** Takes the text up to an offset. A piece of somebody else ends the line of the user. */
function take(walk: Walk, by: Speaker, end: number): void {
  const { pieces, text, at } = walk
  const last = pieces.at(-1)
  const isNew = last?.by !== by
  if (isNew && last?.by === 'asked' && !last.text.endsWith('\n')) last.text += '\n'
  const content = text.slice(at, end)
  if (isNew) pieces.push({ by, text: content })
  else last.text += content
  walk.at = end
}

/** Takes a block that begins on this line: a fence, or lines of a host, a trace, a quote. */
function takeBlock(walk: Walk): boolean {
  const { text, at, lineEnd } = walk
  INDENTATION.lastIndex = at
  const start = at + (INDENTATION.exec(text)?.[0].length ?? 0)
  const matches = (pattern: RegExp): boolean => testAt(pattern, text, start)
  const takeAs = (by: Speaker, end: number): true => {
    take(walk, by, end)
    walk.isInPaste = by === 'quoted'
    return true
  }
  if (matches(OWN_LINE)) return takeAs('machine', lineEnd)
  if (matches(MACHINE_FENCE)) return takeAs('machine', endOfFence(walk, lineEnd) ?? lineEnd)
  if (matches(REFERENCED_FILES)) {
    const end = text.indexOf(END_OF_FILES, at)
    return takeAs('quoted', end < 0 ? text.length : endOfLine(text, end))
  }
  const fenceEnd = endOfFence(walk, at)
  if (fenceEnd !== undefined) return takeAs('quoted', fenceEnd)
  if (matches(MACHINE_LINE)) {
    // An element may begin on the line.
    const rest = MACHINE_LINE.lastIndex
    const isElement = text.slice(rest, lineEnd).trimStart().startsWith('<')
    return takeAs('machine', isElement ? rest : lineEnd)
  }
  if (matches(PASTED_LINE) || (walk.isInPaste && testAt(CONTINUED_PASTE, text, at))) {
    return takeAs('quoted', lineEnd)
  }
  walk.isInPaste = false
  return false
}

/** Whether a sticky pattern matches at an offset. */
function testAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

/** Takes the rest of a line, or what is before the next tag on it, and that tag. */
function takeRun(walk: Walk): void {
  const { text, tags, lineEnd } = walk
  while ((tags.at(-1)?.start ?? text.length) < walk.at) tags.pop()
  const tag = tags.at(-1)
  if (!tag || tag.start >= lineEnd) {
    take(walk, 'asked', lineEnd)
    walk.isLineStart = true
    return
  }
  tags.pop()
  walk.isLineStart &&= text.slice(walk.at, tag.start).trim() === ''
  take(walk, walk.isLineStart ? 'machine' : 'asked', tag.start)
  tag.isAround = isAroundWords(walk, tag)
  const by = tag.isAround ? 'machine' : speakerOf(walk, tag)
  take(walk, by, tag.isAround || by === 'asked' ? tag.end : (tag.other as Tag).end)
  walk.isLineStart = by !== 'asked'
}

/** Whether a tag stands around words of the user. */
function isAroundWords({ isLineStart }: Walk, { kind, isClosing, other }: Tag): boolean {
  if (isClosing) return other?.isAround === true
  return kind === 'request' || (kind === 'own-request' && isLineStart)
}

/** Whose words the element of a tag is. `asked` if the tag is part of a sentence of the user. */
function speakerOf({ text, isLineStart, isWrapped }: Walk, tag: Tag): Speaker {
  const { kind, isClosing, other } = tag
  if (isClosing || !other || kind === 'own-request') return 'asked'
  const isLineEnd = testAt(LINE_END, text, other.end)
  if (kind === 'block' && !isWrapped) return isLineStart && isLineEnd ? 'quoted' : 'asked'
  const isSentence = SENTENCE_PART.test(text.slice(tag.end, other.start))
  return isLineEnd || (isLineStart && !isSentence) ? 'machine' : 'asked'
}

/** The tags of whole elements, in order. A closing tag belongs to the last opening tag of its name that is left. */
function pairTags(text: string): Tag[] {
  if (!text.includes('</')) return []
  const open = new Map<string, Tag[]>()
  const tags: Tag[] = []
  for (const match of text.matchAll(TAG)) {
    const [all, slash, name, attributes] = match as unknown as [string, string, string, string]
    if (attributes.endsWith('/')) continue
    const { index: start } = match
    const end = start + all.length
    const key = name.toLowerCase()
    const before = open.get(key) ?? []
    open.set(key, before)
    if (slash === '') {
      const tag = { kind: elementKind(name), start, end, isClosing: false, isAround: false }
      tags.push({ ...tag, other: undefined })
      before.push(tags.at(-1) as Tag)
      continue
    }
    const other = before.pop()
    if (!other) continue
    other.other = { kind: other.kind, start, end, other, isClosing: true, isAround: false }
    tags.push(other.other)
  }
  return tags.filter(({ other }) => other !== undefined)
}

/** The end of the fence that begins at an offset. `undefined` without a fence that is closed. */
function endOfFence({ text, openFences }: Walk, at: number): number | undefined {
  FENCE.lastIndex = at
  const mark = FENCE.exec(text)?.[1]?.slice(0, LONGEST_FENCE)
  if (mark === undefined || openFences.has(mark)) return undefined
  for (let line = endOfLine(text, at); line < text.length; ) {
    const end = endOfLine(text, line)
    const content = text.slice(line, end).trim()
    const isClosing = content.startsWith(mark) && content === mark.charAt(0).repeat(content.length)
    if (isClosing) return end
    line = end
  }
  openFences.add(mark)
  return undefined
}

/** The offset after the line feed of a line. */
function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}
