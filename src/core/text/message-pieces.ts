import {
  endOfData,
  endOfFence,
  endOfLine,
  endOfOutput,
  endOfSection,
  testAt,
} from './message-blocks.js'
import {
  HOOK_DATA,
  MACHINE_FENCE,
  MACHINE_LINE,
  MACHINE_OUTPUT,
  OWN_LINE,
  SECTIONS,
} from './message-marks.js'
import { CONTINUED_PASTE, JSON_START, PASTED_LINE } from './message-pastes.js'
import { type MessageTags, readTags, TAG, type Tag } from './message-tags.js'

export const WORD = /[\p{L}\p{N}\p{Extended_Pictographic}]/u
const INDENTATION = /[ \t]*/y
/** What stands between two tags in a sentence about them: `<a> and </a>`, `<a>/</a>`. */
const SENTENCE_PART = /^(?:[ ,][^\n]{0,24} |[^\p{L}\p{N}\n]{1,8})$/u
/** The end of a line, or another tag. */
const LINE_END = /[ \t]*(?=\n|<|$)/y

/** Whose words a piece of a message is. */
export type Speaker = 'asked' | 'quoted' | 'machine'

/** A part of a message that one speaker wrote. */
export interface Piece {
  by: Speaker
  text: string
}

/** The state of a walk through a message, from one line or tag to the next. */
interface Walk {
  text: string
  pieces: Piece[]
  /** Tags of whole elements that are not passed yet, the next one last. */
  tags: Tag[]
  /** Whether a host says which words are the user's. Then it wrote every other element. */
  isWrapped: boolean
  /** Whether a host wrote all that is in no element of the user. */
  isWhole: boolean
  /** Elements around the words of the user that are open. */
  depth: number
  /** Kinds of fences that nothing closes any more. */
  openFences: Set<string>
  /** By indentation, the offset before which nothing closes data in JSON. */
  openData: Map<string, number>
  at: number
  /** The end of the line, so that a line with many tags is read once. */
  lineEnd: number
  /** Whether nothing of the user is before it on its line. */
  isLineStart: boolean
  /** Whether the line before it was pasted. */
  isInPaste: boolean
}

/** Divides a message by who wrote its parts. The time is linear. */
export function splitMessage(text: string): Piece[] {
  const { tags, whole } = readTags(text)
  const isCut = whole.start > 0 || whole.end < text.length
  const pieces = walkThrough(text, { tags, whole })
  if (!isCut || pieces.some(({ by, text }) => by === 'asked' && hasWords(text))) return pieces
  // What looks cut off is all that the user wrote.
  return walkThrough(text, { tags, whole: { start: 0, end: text.length } })
}

function walkThrough(text: string, { tags, whole }: MessageTags): Piece[] {
  const within = tags.filter(({ start, end }) => start >= whole.start && end <= whole.end)
  const isIn = (kind: Tag['kind']): boolean => within.some(tag => tag.kind === kind)
  const walk: Walk = {
    text: text.slice(0, whole.end),
    pieces: [],
    tags: within.reverse(),
    isWrapped: isIn('request'),
    isWhole: isIn('whole') && (isIn('own-request') || isIn('request')),
    depth: 0,
    openFences: new Set(),
    openData: new Map(),
    at: 0,
    lineEnd: 0,
    isLineStart: true,
    isInPaste: false,
  }
  if (whole.start > 0) take(walk, 'quoted', whole.start)
  while (walk.at < walk.text.length) {
    if (walk.at >= walk.lineEnd) walk.lineEnd = endOfLine(walk.text, walk.at)
    if (!(walk.isLineStart && takeBlock(walk))) takeRun(walk)
  }
  walk.text = text
  if (walk.at < text.length) take(walk, 'quoted', text.length)
  return walk.pieces
}

function hasWords(text: string): boolean {
  return WORD.test(text.replace(TAG, ''))
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
  if (matches(MACHINE_FENCE)) return takeAs('machine', fenceAt(walk, lineEnd) ?? lineEnd)
  const section = SECTIONS.find(one => matches(one.start))
  if (section) return takeAs(section.by, endOfSection(text, lineEnd, section.end))
  const fenceEnd = fenceAt(walk, at)
  if (fenceEnd !== undefined) return takeAs('quoted', fenceEnd)
  for (const pattern of [MACHINE_OUTPUT, MACHINE_LINE]) {
    if (!matches(pattern)) continue
    const rest = text.slice(pattern.lastIndex, lineEnd).trim()
    // An element may begin on the line.
    if (rest.startsWith('<')) return takeAs('machine', pattern.lastIndex)
    return takeAs(
      'machine',
      pattern === MACHINE_OUTPUT ? endOfOutput(text, lineEnd, rest) : lineEnd,
    )
  }
  if (matches(JSON_START)) {
    const end = endOfData(text, { start, lineEnd }, walk.openData)
    if (end !== undefined)
      return takeAs(HOOK_DATA.test(text.slice(at, end)) ? 'machine' : 'quoted', end)
  }
  const continues = (): boolean => testAt(CONTINUED_PASTE, text, at) || text[at - 2] === ':'
  if (matches(PASTED_LINE) || (walk.isInPaste && start < lineEnd - 1 && continues())) {
    return takeAs('quoted', lineEnd)
  }
  // A blank line does not end a trace: an indented line goes on after it.
  walk.isInPaste &&= start >= lineEnd - 1
  return false
}

/** The end of the fence that begins at an offset. One that nothing closes goes to the end of the text, if words are before it. */
function fenceAt({ text, openFences, pieces }: Walk, at: number): number | undefined {
  const end = endOfFence(text, at, openFences)
  if (end !== 'open') return end
  return pieces.some(({ by, text }) => by === 'asked' && hasWords(text)) ? text.length : undefined
}

/** Takes the rest of a line, or what is before the next tag on it, and that tag. */
function takeRun(walk: Walk): void {
  const { text, tags, lineEnd } = walk
  while ((tags.at(-1)?.start ?? text.length) < walk.at) tags.pop()
  const tag = tags.at(-1)
  const speaker = walk.isWhole && walk.depth === 0 ? 'machine' : 'asked'
  if (!tag || tag.start >= lineEnd) {
    take(walk, speaker, lineEnd)
    walk.isLineStart = true
    return
  }
  tags.pop()
  walk.isLineStart &&= text.slice(walk.at, tag.start).trim() === ''
  take(walk, walk.isLineStart ? 'machine' : speaker, tag.start)
  tag.isAround = isAroundWords(walk, tag)
  if (tag.isAround) walk.depth += tag.isClosing ? -1 : 1
  const by = tag.isAround ? 'machine' : speakerOf(walk, tag)
  take(walk, by, tag.isAround || by === 'asked' ? tag.end : (tag.other as Tag).end)
  walk.isLineStart = by !== 'asked'
}

/** Whether a tag stands around words of the user: not in a sentence about it. */
function isAroundWords({ text, isLineStart }: Walk, { kind, isClosing, end, other }: Tag): boolean {
  if (isClosing) return other?.isAround === true
  const isRequest = kind === 'request' || kind === 'own-request'
  return isRequest && isLineStart && !SENTENCE_PART.test(text.slice(end, other?.start))
}

/** Whose words the element of a tag is. `asked` if the tag is part of a sentence of the user. */
function speakerOf({ text, isLineStart, isWrapped, isWhole }: Walk, tag: Tag): Speaker {
  const { kind, isClosing, other } = tag
  const isRequest = kind === 'request' || kind === 'own-request'
  if (isClosing || !other || isRequest) return 'asked'
  const isLineEnd = testAt(LINE_END, text, other.end)
  if (kind === 'block' && !isWrapped && !isWhole)
    return isLineStart && isLineEnd ? 'quoted' : 'asked'
  const content = text.slice(tag.end, other.start)
  if (isLineStart) return isLineEnd || !SENTENCE_PART.test(content) ? 'machine' : 'asked'
  // At the end of a sentence, such as "hide <a>…</a>", the user writes about the tag.
  return isLineEnd && WORD.test(content) ? 'machine' : 'asked'
}
