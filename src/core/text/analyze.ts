import { classOf, HAN, SEPARATOR, simplify, WORD } from './character-classes.js'
import { shortenMarks } from './fold.js'

/** Version of the analysis. Segments built with another version are rebuilt. Change it with every change to what `analyze` emits. */
export const ANALYZER = 'words-grams/1'

/** Flag of an emitted text: an index term. */
export const TERM = 1
/** Flag of an emitted text: a token of the sequence that phrases are matched against. */
export const SEQUENCE = 2
/** Flag of an emitted text: a word. Two neighboring words form a pair. */
export const PAIR = 4

const IS_WORD = TERM | SEQUENCE | PAIR
const IS_IDEOGRAPH = TERM | SEQUENCE

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches the whole ASCII range
const ASCII = /^[\x00-\x7f]*$/
const LAST_LATIN = 0x024f
const FIRST_SURROGATE = 0xd800
const LAST_HIGH_SURROGATE = 0xdbff
/** Longer words are truncated: they are data, not language. */
const MAX_WORD = 40
const UPPER_A = 65
const UPPER_Z = 90
const LAST_ASCII = 0x7f

export function isAscii(text: string): boolean {
  return ASCII.test(text)
}

/**
 * Splits a text in any script into index terms. Queries, skills and training data all use this function.
 *
 * - The text is normalized: NFKC, lower case, Latin letters without accents, Traditional to Simplified Chinese.
 * - Runs of letters and digits are words. The parts of a camelCase word are additional terms.
 * - Ideographs become overlapping 1-, 2- and 3-grams; kana, Hangul, Thai and similar scripts 2- and 3-grams.
 *
 * It uses no stemming and no stop words: queries look up inflected forms and leave out function words.
 * @param emit Called for each emitted text with its flags, in order.
 */
export function analyze(text: string, emit: (text: string, kind: number) => void): void {
  const source = isAscii(text) ? text : shortenMarks(text).normalize('NFKC')
  const whole = source.toLowerCase()
  // If lower case changes the length, as for İ, offsets shift; each word is then folded on its own.
  const lower = whole.length === source.length ? whole : undefined
  const length = source.length
  let at = 0
  while (at < length) {
    const unit = source.charCodeAt(at)
    const kind = classOf(unit)
    if (kind === SEPARATOR) {
      at += unit >= FIRST_SURROGATE && unit <= LAST_HIGH_SURROGATE ? 2 : 1
      continue
    }
    const start = at++
    let bits = unit
    let camel = false
    for (; at < length; at++) {
      const next = source.charCodeAt(at)
      if (classOf(next) !== kind) break
      bits |= next
      if (next >= UPPER_A && next <= UPPER_Z) camel = true
    }
    if (kind !== WORD) {
      emitGrams(charactersOf(source, start, at, kind), kind, emit)
    } else {
      if (camel) emitParts(source, start, at, emit)
      if (bits > LAST_ASCII || !lower) {
        emit(foldCase(source.slice(start, Math.min(at, start + MAX_WORD))), IS_WORD)
      } else emit(lower.slice(start, Math.min(at, start + MAX_WORD)), IS_WORD)
    }
  }
}

/** Emits the parts of a camelCase word. People write "GitHub" as "github" or "git hub". */
function emitParts(
  source: string,
  start: number,
  end: number,
  emit: (text: string, kind: number) => void,
): void {
  let from = start
  for (let at = start + 1; at < end; at++) {
    if (!isUpper(source.charCodeAt(at))) continue
    const afterLower = isLower(source.charCodeAt(at - 1))
    const endsAcronym =
      at + 1 < end && isUpper(source.charCodeAt(at - 1)) && isLower(source.charCodeAt(at + 1))
    if (!afterLower && !endsAcronym) continue
    emit(foldCase(source.slice(from, Math.min(at, from + MAX_WORD))), TERM)
    from = at
  }
  if (from > start) emit(foldCase(source.slice(from, Math.min(end, from + MAX_WORD))), TERM)
}

/** Lower case, and Latin letters without accents, as people often type them. */
function foldCase(word: string): string {
  const lower = word.toLowerCase()
  return isAscii(lower) || lower.charCodeAt(0) > LAST_LATIN
    ? lower
    : lower.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
}

function emitGrams(
  run: readonly string[],
  kind: number,
  emit: (text: string, kind: number) => void,
): void {
  const single = kind === HAN || run.length === 1 ? IS_IDEOGRAPH : SEQUENCE
  for (const [at, one] of run.entries()) {
    emit(one, single)
    const two = one + (run[at + 1] ?? '')
    if (at + 1 < run.length) emit(two, TERM)
    if (at + 2 < run.length) emit(two + run[at + 2], TERM)
  }
}

/** The characters of a run, with ideographs in Simplified form and surrogate pairs kept together. */
function charactersOf(source: string, start: number, end: number, kind: number): string[] {
  const characters: string[] = []
  for (let at = start; at < end; at++) {
    const unit = source.charCodeAt(at)
    if (unit >= FIRST_SURROGATE && unit <= LAST_HIGH_SURROGATE && at + 1 < end) {
      characters.push(source.slice(at, ++at + 1))
    } else characters.push(String.fromCharCode(kind === HAN ? simplify(unit) : unit))
  }
  return characters
}

function isUpper(unit: number): boolean {
  return unit >= UPPER_A && unit <= UPPER_Z
}

function isLower(unit: number): boolean {
  return unit >= 97 && unit <= 122
}

/** The distinct index terms of a text. */
export function termsOf(text: string): Set<string> {
  const terms = new Set<string>()
  analyze(text, (term, kind) => {
    if (kind & TERM) terms.add(term)
  })
  return terms
}

/** The words and single characters of a text, in order. */
export function sequenceOf(text: string): string[] {
  const sequence: string[] = []
  analyze(text, (one, kind) => {
    if (kind & SEQUENCE) sequence.push(one)
  })
  return sequence
}
