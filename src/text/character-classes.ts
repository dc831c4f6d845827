import { simplifiedGroups } from './simplified.js'

/** What a UTF-16 unit is to the analyzer. */
export const SEPARATOR = 0
/** Letters, digits and marks of scripts that put blanks between words. */
export const WORD = 1
/** Ideographs: overlapping 1-, 2- and 3-grams. */
export const HAN = 2
/** Scripts that join words: kana, Hangul, Thai, Lao, Khmer, Myanmar: overlapping 2- and 3-grams. */
export const JOINED = 3

const CLASS = 3
/** Set beside the class of combining marks. */
const MARK = 4
const UNKNOWN = 255
const ASCII_END = 0x80
const word = /[\p{L}\p{N}\p{M}]/u
const han = /[\p{Script=Han}]/u
const joined =
  /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u

const mark = /\p{M}/u

const HAN_FIRST = 0x3400
const HAN_LAST = 0x9fff

let classes: Uint8Array | undefined
let folded: Uint16Array | undefined

/** The class of a UTF-16 unit. */
export function classOf(unit: number): number {
  return lookUp(unit) & CLASS
}

/** Whether a UTF-16 unit is a combining mark. */
export function isMark(unit: number): boolean {
  return (lookUp(unit) & MARK) !== 0
}

/** Found out once per unit, and kept (64 KB). */
function lookUp(unit: number): number {
  classes ??= new Uint8Array(65_536).fill(UNKNOWN)
  const known = classes[unit] as number
  if (known !== UNKNOWN) return known
  const found = unit < ASCII_END ? classOfAscii(unit) : classOfOther(unit)
  classes[unit] = found
  return found
}

/** By hand: most messages have no other, and the first look at each pattern costs more than the rest of a short message. */
function classOfAscii(unit: number): number {
  const lower = unit | 32
  return (lower >= 97 && lower <= 122) || (unit >= 48 && unit <= 57) ? WORD : SEPARATOR
}

function classOfOther(unit: number): number {
  const character = String.fromCharCode(unit)
  // Half of a pair: ideographs start with D840 to D88D; what follows another first half (emoji, rare letters) is passed over.
  const surrogate = unit >= 0xd800 && unit <= 0xdfff
  let found = SEPARATOR
  if (surrogate) found = (unit >= 0xd840 && unit <= 0xd88d) || unit >= 0xdc00 ? HAN : SEPARATOR
  else if (joined.test(character)) found = JOINED
  else if (han.test(character)) found = HAN
  else if (word.test(character)) found = WORD
  return mark.test(character) ? found | MARK : found
}

/** An ideograph's Simplified form (itself where it has none). Source: OpenCC's TSCharacters. */
export function simplify(unit: number): number {
  if (unit < HAN_FIRST || unit > HAN_LAST) return unit
  folded ??= foldTable()
  return folded[unit - HAN_FIRST] || unit
}

function foldTable(): Uint16Array {
  const table = new Uint16Array(HAN_LAST - HAN_FIRST + 1)
  for (const group of simplifiedGroups.split(' ')) {
    const to = group.charCodeAt(0)
    for (let index = 1; index < group.length; index++) {
      const from = group.charCodeAt(index)
      if (from >= HAN_FIRST && from <= HAN_LAST) table[from - HAN_FIRST] = to
    }
  }
  return table
}
