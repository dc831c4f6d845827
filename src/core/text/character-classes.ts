import { simplifiedUnits, traditionalUnits } from './simplified.js'

/** Class of a UTF-16 unit: separates words. */
export const SEPARATOR = 0
/** Class of letters, digits and marks in scripts that separate words by spaces. */
export const WORD = 1
/** Class of ideographs. */
export const HAN = 2
/** Class of scripts that do not separate words: kana, Hangul, Thai, Lao, Khmer and Myanmar. */
export const JOINED = 3

const CLASS_BITS = 3
/** Flag of combining marks, added to the class. */
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
let simplified: Uint16Array | undefined

export function classOf(unit: number): number {
  return lookUp(unit) & CLASS_BITS
}

export function isMark(unit: number): boolean {
  return (lookUp(unit) & MARK) !== 0
}

/** Computes the class of each unit once and caches it in a table of 64 KB. */
function lookUp(unit: number): number {
  classes ??= new Uint8Array(65_536).fill(UNKNOWN)
  const known = classes[unit] as number
  if (known !== UNKNOWN) return known
  const found = unit < ASCII_END ? classOfAscii(unit) : classOfOther(unit)
  classes[unit] = found
  return found
}

/** Without regular expressions: compiling them costs more than analyzing a short message. */
function classOfAscii(unit: number): number {
  const lower = unit | 32
  return (lower >= 97 && lower <= 122) || (unit >= 48 && unit <= 57) ? WORD : SEPARATOR
}

function classOfOther(unit: number): number {
  const character = String.fromCharCode(unit)
  // Surrogate pairs of ideographs start with D840 to D88D. Other pairs, such as emoji, are separators.
  const surrogate = unit >= 0xd800 && unit <= 0xdfff
  let found = SEPARATOR
  if (surrogate) found = (unit >= 0xd840 && unit <= 0xd88d) || unit >= 0xdc00 ? HAN : SEPARATOR
  else if (joined.test(character)) found = JOINED
  else if (han.test(character)) found = HAN
  else if (word.test(character)) found = WORD
  return mark.test(character) ? found | MARK : found
}

/** Units above this belong to scripts that are indexed as n-grams. */
const LAST_SPACED_UNIT = 0x0e00

/** True for a term of a script that separates words by spaces. */
export function isSpaced(term: string): boolean {
  return term.charCodeAt(0) <= LAST_SPACED_UNIT
}

/** The Simplified form of an ideograph, or the ideograph itself. Data: OpenCC's TSCharacters. */
export function simplify(unit: number): number {
  if (unit < HAN_FIRST || unit > HAN_LAST) return unit
  simplified ??= simplifiedTable()
  return simplified[unit - HAN_FIRST] || unit
}

function simplifiedTable(): Uint16Array {
  const table = new Uint16Array(HAN_LAST - HAN_FIRST + 1)
  const simplifiedForms = sums(simplifiedUnits)
  for (const [index, unit] of sums(traditionalUnits).entries()) {
    table[unit - HAN_FIRST] = simplifiedForms[index] as number
  }
  return table
}

/** The numbers whose differences these are, each in base 36. */
function sums(differences: string): number[] {
  const numbers: number[] = []
  let sum = 0
  for (const difference of differences.split(' ')) {
    sum += Number.parseInt(difference, 36)
    numbers.push(sum)
  }
  return numbers
}
