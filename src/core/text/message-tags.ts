import {
  type ElementKind,
  elementKind,
  QUEUED_REQUEST,
  QUEUED_REQUEST_END,
} from './message-marks.js'

/** A tag. Offsets are those of the message. */
export interface Tag {
  kind: ElementKind
  start: number
  end: number
  /** The other tag of the element. `undefined` if there is none. */
  other: Tag | undefined
  isClosing: boolean
  /** Whether its content is what the user said. */
  isAround: boolean
}

/** The tags of a message. */
export interface MessageTags {
  /** Those of whole elements, in order. */
  tags: Tag[]
  /** The text after an element of a host that the message does not open, and before one that it does not close: the rest is cut off. */
  whole: { start: number; end: number }
}

/** Attributes are bounded, and end at the next tag, so that the time is linear. */
export const TAG = /<(\/?)([a-z][\w:-]{0,63})((?:\s[^<>]{0,1000})?)>/gi
/** What stands before a tag at the start of a line, or after another element. */
const LINE_START = /(?:^|[\n>])[ \t]*$/
const LINE_END = /^[ \t\r]*(?:\n|$)/
/** A tag that a sentence goes on after. */
const IN_SENTENCE = /^[ \t]+\S/
/** Characters that are read beside a tag, to see whether it stands on a line of its own. */
const BESIDE = 80
/** Characters of the line after a message that a reminder passes on. */
const LAST_LINE = 300

/** Reads the tags of a message. A closing tag belongs to the last opening tag of its name that is left. */
export function readTags(text: string): MessageTags {
  const open = new Map<string, Tag[]>()
  const tags: Tag[] = []
  for (const match of text.matchAll(TAG)) {
    const [all, slash, name, attributes] = match as unknown as [string, string, string, string]
    const { index: start } = match
    const isClosing = slash !== ''
    const tag = {
      start,
      end: start + all.length,
      kind: elementKind(name),
      isClosing,
      isAround: false,
    }
    if (attributes.endsWith('/')) {
      if (tag.kind === 'machine') tags.push(...emptyElement(tag))
      continue
    }
    const key = name.toLowerCase()
    const before = open.get(key) ?? []
    open.set(key, before)
    const other = isClosing ? before.pop() : undefined
    tags.push({ ...tag, other })
    const added = tags.at(-1) as Tag
    if (other) closeElement(text, other, added)
    if (!isClosing) before.push(added)
  }
  return { tags: tags.filter(({ other }) => other !== undefined), whole: wholePart(text, tags) }
}

/** `<image_files />`. */
function emptyElement(tag: Omit<Tag, 'other'>): [Tag, Tag] {
  const opening: Tag = { ...tag, other: undefined }
  const closing: Tag = { ...tag, start: tag.end, isClosing: true, other: opening }
  opening.other = closing
  return [opening, closing]
}

function closeElement(text: string, opening: Tag, closing: Tag): void {
  opening.other = closing
  closing.kind = opening.kind
  QUEUED_REQUEST.lastIndex = opening.end
  if (opening.kind !== 'machine' || !QUEUED_REQUEST.test(text)) return
  // A reminder that passes a message on: the lines around the message are of the tags.
  for (const tag of [opening, closing]) tag.kind = 'request'
  opening.end = QUEUED_REQUEST.lastIndex
  const last = text.slice(Math.max(opening.end, closing.start - LAST_LINE), closing.start)
  const after = QUEUED_REQUEST_END.map(line => last.lastIndexOf(line)).find(at => at >= 0)
  closing.start -= last.length - (after ?? last.length)
}

/** The part of a text that is not cut off, by the tags of hosts that stand alone, on lines of their own and in no whole element. */
function wholePart(text: string, tags: readonly Tag[]): MessageTags['whole'] {
  const whole = { start: 0, end: text.length }
  let elementEnd = 0
  for (const { kind, start, end, other, isClosing } of tags) {
    if (other) {
      elementEnd = Math.max(elementEnd, other.end, end)
      continue
    }
    if (kind !== 'machine' || start < elementEnd) continue
    const before = text.slice(Math.max(0, start - BESIDE), start)
    const after = text.slice(end, end + BESIDE)
    if (isClosing && LINE_END.test(after)) whole.start = end
    if (isClosing || !LINE_START.test(before) || IN_SENTENCE.test(after)) continue
    whole.end = start
    break
  }
  return whole
}
