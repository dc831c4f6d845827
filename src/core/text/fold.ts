import { isMark } from './character-classes.js'

/** Longest run of combining marks that is kept. */
const MAX_MARKS = 64
const FIRST_MARK = 0x0300
const FIRST_SURROGATE = 0xd800
const LAST_SURROGATE = 0xdfff
/** Half-width voiced sound marks are letters, but NFKC turns them into combining marks. */
const HALFWIDTH_VOICED = 0xff9e
const HALFWIDTH_SEMI_VOICED = 0xff9f
const markRuns = /[\p{M}\uff9e\uff9f]{8,}/gu

/** Folds case, width and Unicode form, and trims, for comparing texts as a reader does. Its time is linear in the length of the text. */
export function foldText(text: string): string {
  return shortenMarks(text).normalize('NFKC').toLowerCase().trim()
}

/** Truncates runs of combining marks that no language uses, because normalizing a run takes quadratic time. */
export function shortenMarks(text: string): string {
  let marks = 0
  for (let at = 0; at < text.length; at++) {
    marks = mayBeMark(text.charCodeAt(at)) ? marks + 1 : 0
    if (marks > MAX_MARKS) {
      return text.replace(markRuns, run => run.slice(0, MAX_MARKS).replace(/[\ud800-\udbff]$/, ''))
    }
  }
  return text
}

function mayBeMark(unit: number): boolean {
  if (unit < FIRST_MARK) return false
  const isSurrogate = unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE
  return isSurrogate || unit === HALFWIDTH_VOICED || unit === HALFWIDTH_SEMI_VOICED || isMark(unit)
}
