import { analyze, isAscii, TERM } from '../../core/text/analyze.js'
import { classOf, HAN, JOINED, WORD } from '../../core/text/character-classes.js'
import { INDEXED_LANGUAGES } from '../../core/text/language/indexing.js'
import type { ModelPart as Part } from '../../core/text/language/language.js'

export type { ModelPart as Part } from '../../core/text/language/language.js'

export const PARTS: readonly Part[] = ['latin', 'european', 'cyrillic', 'han', 'kana', 'hangul']

/** Share of the words of a line that must be typical of Spanish, German, French or Portuguese, and the fewest such words. */
const MIN_SHARE = 0.15
const MIN_WORDS = 2
/** Longest beginning of a text that its language is read from. */
const READ_LENGTH = 2_000

const european = Object.entries(INDEXED_LANGUAGES).flatMap(([language, data]) =>
  data.embedsAs === 'european' ? [{ language, words: data.typicalWords.split(' ') }] : [],
)
/** Languages of the part `european`: `isEuropean` tells them from English. */
export const EUROPEAN: ReadonlySet<string> = new Set(european.map(({ language }) => language))
/** Their frequent words. */
const TYPICAL = new Set(european.flatMap(({ words }) => words))
const ACCENTED = /[\u00df-\u00f6\u00f8-\u024f]/

/** The part that has a character of a term; `latin` for every word of a script without a part. */
export function scriptPart(unit: number): Part {
  const kind = classOf(unit)
  if (kind === HAN) return 'han'
  if (kind === JOINED && isHangul(unit)) return 'hangul'
  if (kind === JOINED && isKana(unit)) return 'kana'
  return unit >= 0x0400 && unit <= 0x052f ? 'cyrillic' : 'latin'
}

/**
 * The parts that may have the terms of a text. The same text always has the same parts.
 * @param maxTerms Terms that are read.
 */
export function partsOf(text: string, maxTerms: number = Number.POSITIVE_INFINITY): Set<Part> {
  const parts = new Set<Part>(isEuropean(text) ? ['latin', 'european'] : ['latin'])
  if (isAscii(text)) return parts
  let count = 0
  analyze(text, (term, kind) => {
    if (kind & TERM && count++ < maxTerms) parts.add(scriptPart(term.charCodeAt(0)))
  })
  return parts
}

/** True if many words of a text are typical of Spanish, German, French or Portuguese. */
export function isEuropean(text: string): boolean {
  const words =
    text
      .slice(0, READ_LENGTH)
      .toLowerCase()
      .match(/[\p{L}\p{N}-]+/gu) ?? []
  let typical = 0
  for (const word of words) {
    if (ACCENTED.test(word) || TYPICAL.has(word)) typical++
  }
  return typical >= MIN_WORDS && typical >= words.length * MIN_SHARE
}

function isKana(unit: number): boolean {
  return (
    (unit >= 0x3040 && unit <= 0x30ff) ||
    (unit >= 0x31f0 && unit <= 0x31ff) ||
    (unit >= 0xff66 && unit <= 0xff9f)
  )
}

function isHangul(unit: number): boolean {
  return (
    (unit >= 0xac00 && unit <= 0xd7af) ||
    (unit >= 0x1100 && unit <= 0x11ff) ||
    (unit >= 0x3130 && unit <= 0x318f)
  )
}

/** Lengths of the beginnings by which a word outside the vocabulary is known, longest first. */
const STEM_LENGTHS = [7, 6, 5, 4]

/** The parts that may have a term of a text with `parts`, in the order of lookups. The last one has its stems. */
export function partsOfTerm(term: string, parts: ReadonlySet<Part>): readonly Part[] {
  const part = scriptPart(term.charCodeAt(0))
  return part === 'latin' && parts.has('european') ? ['latin', 'european'] : [part]
}

/** True for a run of characters, false for a word. */
export function isGrams(term: string): boolean {
  return classOf(term.charCodeAt(0)) !== WORD
}

/** The terms that stand for a word outside the vocabulary: `progr*` for "programmieren". Runs of characters have none. */
export function stemsOf(term: string): string[] {
  if (isGrams(term)) return []
  return STEM_LENGTHS.filter(length => length < term.length).map(
    length => `${term.slice(0, length)}*`,
  )
}

/** Scripts of languages that mix several. */
const MIXED_SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  Hans: ['Hani'],
  Hant: ['Hani'],
  Jpan: ['Hani', 'Hira', 'Kana'],
  Kore: ['Hang', 'Hani'],
}
/** Share of a text's letters that must be in a supported script. Leaves room for a name in another script. */
const MIN_SCRIPT_SHARE = 0.95

/**
 * Returns a test for texts that an embedder supports, judged by their script, and by frequent words of Spanish, German, French and Portuguese.
 * @param languages BCP 47 languages of the embedder.
 */
export function supportsLanguages(languages: 'all' | readonly string[]): (text: string) => boolean {
  if (languages === 'all') return () => true
  const scripts = new Set(languages.flatMap(scriptsOf))
  if (scripts.size === 0) return () => false
  const supported = new RegExp(
    `[${[...scripts].map(script => `\\p{Script=${script}}`).join('')}]`,
    'u',
  )
  const isEnglishOnly = !languages.some(language => EUROPEAN.has(language.slice(0, 2)))
  return text => {
    if (isEnglishOnly && isEuropean(text)) return false
    let letters = 0
    let read = 0
    for (const [letter] of text.matchAll(/\p{L}/gu)) {
      letters++
      if (supported.test(letter)) read++
    }
    return letters > 0 && read >= letters * MIN_SCRIPT_SHARE
  }
}

/** The ISO 15924 scripts of a BCP 47 language; empty for an unknown language. */
function scriptsOf(language: string): readonly string[] {
  try {
    const { script } = new Intl.Locale(language).maximize()
    return script ? (MIXED_SCRIPTS[script] ?? [script]) : []
  } catch {
    return []
  }
}
