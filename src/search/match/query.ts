import {
  analyze,
  isAscii,
  PAIR,
  SEQUENCE,
  sequenceOf,
  TERM,
  termsOf,
} from '../../core/text/analyze.js'
import { isSpaced } from '../../core/text/character-classes.js'
import type { SpacedLanguage } from '../../core/text/language/language.js'
import { sequenceCode } from '../index/fingerprint.js'
import type { CorpusStatistics } from './corpus-statistics.js'
import { divideWords } from './divide-words.js'
import type { MatchQuery } from './skill-match.js'

/** A message, analyzed once. */
export interface AnalyzedQuery {
  /** The message as it is compared with messages of skills: as it was sent, and without a greeting if it has one. */
  compared: readonly string[]
  /** What it asks for: see `askedIn`. */
  message: string
  /**
   * Distinct terms with their weight: 1 for words of the message, `ACROSS_WEIGHT` for n-grams across two of its words, less for terms of
   * the history. Without function words.
   */
  terms: ReadonlyMap<string, number>
  /** Distinct terms of what is pasted beside the message or quoted in it, with their weight. They rank, and are no evidence that a skill is wanted. */
  pasted: ReadonlyMap<string, number>
  /** Words and single characters, in order. */
  sequence: readonly string[]
  /** `sequence` as the 16-bit fingerprints that a segment keeps of each skill, in order. */
  codes: Uint16Array
  /** Distinct pairs of neighboring words. */
  pairs: readonly WordPair[]
  /** Its words in scripts without spaces, without function words. */
  words: readonly string[]
  /** True if all its words are of scripts that separate words by spaces. */
  hasSpaces: boolean
  /** Languages of the message, by its function words. Empty if it has none. */
  languages: readonly SpacedLanguage[]
  /** English, another language with spaces, or a script without them, by its script and function words. */
  language: 'english' | 'foreign' | 'unspaced'
  /** The last word, if nothing follows it: the user may still be typing it. */
  unfinished: string | undefined
}

/** Two neighboring words of a message. */
export interface WordPair {
  text: string
  /** Codes of the words in forward lists. */
  first: number
  second: number
}

/** Knowledge of languages. It is loaded on demand, so it is passed. */
export type LanguageRules = Pick<
  CorpusStatistics,
  | 'isFunctional'
  | 'languagesOf'
  | 'isFollowUp'
  | 'removeRuledOut'
  | 'withoutQuotes'
  | 'withoutGreetings'
>

/** Earlier messages that are read. */
const MAX_HISTORY = 3
/** Weight of a term of an earlier message. */
export const HISTORY_WEIGHT = 0.25
/** Weight of a term of pasted text, and the number of terms that are read, in the first characters. Chosen on the dev set. */
const PASTED_WEIGHT = 1 / 3
const MAX_PASTED = 40
const PASTED_LENGTH = 4_000
/** Weight of an n-gram across two words, in scripts without spaces: the words of a skill may be divided otherwise. */
export const ACROSS_WEIGHT = 0.22

/** Kana and Hangul, which tell Japanese and Korean from Chinese: all may have ideographs. */
const LETTERS = [/[\u3040-\u30ff]/, /[\uac00-\ud7a3]/]
const IS_LETTER = /\p{L}/u
const ENDS_WITH_WORD = /[\p{L}\p{N}\p{M}]$/u

/**
 * Analyzes a message. Its terms are those of its words. A message that leans on the ones before it ("and as PDF?") also has their terms, at a
 * low weight, and those of pasted text: to others, pasted text has terms of its own.
 */
export function analyzeQuery(
  { message: written, history = [], pasted }: Pick<MatchQuery, 'message' | 'history' | 'pasted'>,
  rules: LanguageRules,
): AnalyzedQuery {
  const { message: unquoted, quotes } = rules.withoutQuotes(written)
  const message = rules.removeRuledOut(unquoted)
  const words = readWords(message)
  const { sequence, pairs, hasSpaces } = words
  const { terms, divided } = collectTerms(message, words, rules)
  const hasWords = terms.size > 0
  const leans = rules.isFollowUp(message, sequence, terms.size)
  if (leans) addHistoryTerms(terms, pasted === undefined ? history : [...history, pasted])
  // After the history: a term of both has the weight of the history.
  if (hasWords) addJoinedTerms(terms, words, rules)
  const languages = rules.languagesOf(sequence)
  return {
    compared: [...new Set([written, rules.withoutGreetings(written)])],
    message,
    terms,
    pasted:
      hasWords && !leans
        ? pastedTerms([...quotes, pasted ?? ''].join('\n'), terms, rules)
        : new Map(),
    sequence,
    codes: Uint16Array.from(sequence, sequenceCode),
    pairs,
    words: hasSpaces ? [] : unspacedWords(divided),
    hasSpaces,
    languages,
    language: describeLanguage(sequence, hasSpaces, languages),
    unfinished: ENDS_WITH_WORD.test(message) ? sequence.at(-1) : undefined,
  }
}

/** The words of a message, function words included. */
interface MessageWords {
  sequence: readonly string[]
  hasSpaces: boolean
  pairs: readonly WordPair[]
  /** Its distinct index terms, in order. In scripts without spaces some n-grams reach across two words. */
  terms: ReadonlySet<string>
}

function readWords(message: string): MessageWords {
  const sequence: string[] = []
  const terms = new Set<string>()
  const pairs = new Map<string, WordPair>()
  let previous: string | undefined
  analyze(message, (term, kind) => {
    if (kind & SEQUENCE) sequence.push(term)
    if (kind & TERM) terms.add(term)
    if (!(kind & PAIR)) {
      previous = undefined
      return
    }
    const text = `${previous} ${term}`
    if (previous !== undefined && !pairs.has(text)) {
      pairs.set(text, { text, first: sequenceCode(previous), second: sequenceCode(term) })
    }
    previous = term
  })
  return { sequence, hasSpaces: sequence.every(isSpaced), pairs: [...pairs.values()], terms }
}

/** The terms of the words of a message, without function words, and the message with spaces between its words; none if it has no other words. */
function collectTerms(
  message: string,
  { sequence, hasSpaces, terms }: MessageWords,
  { isFunctional }: LanguageRules,
): { terms: Map<string, number>; divided: string } {
  const own = new Map<string, number>()
  if (isFunctional(sequence)) return { terms: own, divided: '' }
  const divided = divideWords(message, isFunctional)
  const found = divided === message ? terms : termsOf(divided)
  for (const term of found) {
    // Latin words in a Chinese, Japanese or Korean message are names, such as IT.
    const isFunctionWord = hasSpaces && isFunctional([term])
    if (!isFunctionWord) own.set(term, 1)
  }
  return { terms: own, divided }
}

/** The words of a divided message in scripts without spaces. */
function unspacedWords(divided: string): string[] {
  const isWritten = (unit: string): boolean => !isSpaced(unit) && IS_LETTER.test(unit)
  const words = Array.from(divided, unit => (isWritten(unit) ? unit : ' ')).join('')
  return words.split(' ').filter(word => word !== '')
}

function addHistoryTerms(terms: Map<string, number>, history: readonly string[]): void {
  for (const earlier of history.slice(-MAX_HISTORY)) {
    for (const term of termsOf(earlier)) {
      if (!terms.has(term)) terms.set(term, HISTORY_WEIGHT)
    }
  }
}

/** The first terms of pasted text that the message does not have. */
function pastedTerms(
  pasted: string,
  own: ReadonlyMap<string, number>,
  { isFunctional }: LanguageRules,
): Map<string, number> {
  const found = new Map<string, number>()
  for (const term of termsOf(pasted.slice(0, PASTED_LENGTH))) {
    if (found.size === MAX_PASTED) break
    if (!own.has(term) && !isFunctional(sequenceOf(term))) found.set(term, PASTED_WEIGHT)
  }
  return found
}

/** Adds the n-grams that reach across two words of the message. */
function addJoinedTerms(
  terms: Map<string, number>,
  words: MessageWords,
  { isFunctional }: LanguageRules,
): void {
  for (const term of words.terms) {
    if (isSpaced(term) || terms.has(term)) continue
    if (!isFunctional(sequenceOf(term))) terms.set(term, ACROSS_WEIGHT)
  }
}

function describeLanguage(
  sequence: readonly string[],
  hasSpaces: boolean,
  languages: readonly SpacedLanguage[],
): AnalyzedQuery['language'] {
  if (!hasSpaces) return 'unspaced'
  const mayBeEnglish = languages.length === 0 || languages.includes('en')
  return mayBeEnglish && sequence.every(isAscii) ? 'english' : 'foreign'
}

/** True for text of a message that explains no match: function words. In a message without spaces, Latin words are names. */
export function isFunctionalIn(
  { hasSpaces }: AnalyzedQuery,
  sequence: readonly string[],
  { isFunctional }: LanguageRules,
): boolean {
  if (sequence.every(isSpaced)) return hasSpaces && isFunctional(sequence)
  return isFunctional(sequence)
}

/**
 * How far a text is in the language of a message: 1 for the same language, 0 for another one, between if it may be one of several.
 * `undefined` if it is unknown.
 */
export function sharedLanguage(
  { sequence, hasSpaces, languages }: AnalyzedQuery,
  words: readonly string[],
  { languagesOf }: LanguageRules,
): number | undefined {
  if (words.every(isSpaced) !== hasSpaces) return 0
  if (!hasSpaces) return usesSameLetters(words, sequence) ? 1 : 0
  const others = languagesOf(words)
  if (languages.length === 0 || others.length === 0) return undefined
  const shared = others.filter(language => languages.includes(language))
  return shared.length / others.length
}

/** Tells Chinese, Japanese and Korean from each other. */
function usesSameLetters(words: readonly string[], others: readonly string[]): boolean {
  const text = words.join('')
  const other = others.join('')
  return LETTERS.every(letters => letters.test(text) === letters.test(other))
}
