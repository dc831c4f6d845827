import { LIST_ITEM } from './message-marks.js'
import { JSON_END } from './message-pastes.js'

/*
 * Where blocks of lines end: fences, data, what a host put between two lines. Offsets are those of the text.
 */

const FENCE = /[ ]{0,3}(`{3,}|~{3,})/y
const LONGEST_FENCE = 8
/** Characters before the first line of data. */
const MOST_INDENTED = 12

/** Whether a sticky pattern matches at an offset. */
export function testAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

/** The end of the lines that a host put between two others: after the second one, or of the text. */
export function endOfSection(text: string, lineEnd: number, last: string): number {
  if (last === '') return lineEnd
  const end = text.indexOf(last, lineEnd)
  return end < 0 ? text.length : endOfLine(text, end)
}

/** The end of what a hook printed: at a blank line if its first line is empty, else after a list. */
export function endOfOutput(text: string, lineEnd: number, firstLine: string): number {
  let at = lineEnd
  while (at < text.length) {
    const isOutput = firstLine === '' ? /\S/.test(lineAt(text, at)) : testAt(LIST_ITEM, text, at)
    if (!isOutput) break
    at = endOfLine(text, at)
  }
  return at
}

/** A piece of data in JSON, as far as it is known where it begins. */
interface DataStart {
  start: number
  /** The end of its first line. */
  lineEnd: number
}

/**
 * The end of data in JSON: on its line, or on a line with its last bracket. `undefined`: there is none.
 * @param openData By indentation, the offset before which nothing closes data. Entries are added here: those lines are read once for each.
 */
export function endOfData(
  text: string,
  { start, lineEnd }: DataStart,
  openData: Map<string, number>,
): number | undefined {
  if (/[}\]][ \t\r\n]*$/.test(text.slice(Math.max(start, lineEnd - 8), lineEnd))) return lineEnd
  const indentation = text.slice(text.lastIndexOf('\n', start) + 1, start)
  if (indentation.length > MOST_INDENTED || lineEnd < (openData.get(indentation) ?? 0)) {
    return undefined
  }
  let at = lineEnd
  for (; at < text.length; at = endOfLine(text, at)) {
    const line = lineAt(text, at)
    if (line.trim() === '') break
    if (line.startsWith(indentation) && JSON_END.test(line.slice(indentation.length))) {
      return endOfLine(text, at)
    }
  }
  openData.set(indentation, at)
  return undefined
}

/**
 * The end of the fence that begins at an offset. `undefined` without a fence.
 * @param openFences Marks of fences that nothing closes. One is added here: the rest of the text is read once for each.
 */
export function endOfFence(
  text: string,
  at: number,
  openFences: Set<string>,
): number | 'open' | undefined {
  FENCE.lastIndex = at
  const mark = FENCE.exec(text)?.[1]?.slice(0, LONGEST_FENCE)
  if (mark === undefined) return undefined
  if (openFences.has(mark)) return 'open'
  for (let line = endOfLine(text, at); line < text.length; ) {
    const end = endOfLine(text, line)
    const content = text.slice(line, end).trim()
    const isClosing = content.startsWith(mark) && content === mark.charAt(0).repeat(content.length)
    if (isClosing) return end
    line = end
  }
  openFences.add(mark)
  return 'open'
}

/** The offset after the line feed of a line. */
export function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

function lineAt(text: string, at: number): string {
  return text.slice(at, endOfLine(text, at))
}
