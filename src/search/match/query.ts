import { analyze, isAscii, PAIR, SEQUENCE, sequenceOf, TERM } from '../../core/text/analyze.js'
import { isSpaced } from '../../core/text/character-classes.js'
import { removeRuledOut } from '../../core/text/message-negation.js'
import { sequenceCode } from '../index/fingerprint.js'
import { idfOf, K1 } from '../index/weights.js'
import type { CorpusStatistics } from './corpus-statistics.js'
import { divideWords } from './divide-words.js'
import { isFollowUp } from './follow-up.js'
import type { SpacedLanguage } from './function-words.js'
import type { Segments } from './searched-segment.js'
import { documentsOf, findExact, findForms, type WordForm } from './word-forms.js'

/** A message, analyzed once. */
export interface AnalyzedQuery {
  /**
   * Distinct terms with their weight: 1 for words of the message, `ACROSS_WEIGHT` for n-grams across two of its words, less for terms of
   * the history. Without function words.
   */
  terms: ReadonlyMap<string, number>
  /** Words and single characters, in order. */
  sequence: readonly string[]
  /** `sequence` as the 16-bit fingerprints that a segment keeps of each skill, in order. */
  codes: Uint16Array
  /** Distinct pairs of neighboring words, with their codes in forward lists. */
  pairs: readonly { text: string; first: number; second: number }[]
  /** Languages of the message, by its function words. */
  languages: readonly SpacedLanguage[]
  /** English, another language with spaces, or a script without them, by its script and function words. */
  language: 'english' | 'foreign' | 'unspaced'
  /** The last word, if nothing follows it: the user may still be typing it. */
  unfinished: string | undefined
  /** 1 for a text in the language of the message, 0 for another language, between if it may be one of several; `undefined` if unknown. */
  ownLanguage(words: readonly string[]): number | undefined
  /** True for text of the message that explains no match. */
  isFunctional(sequence: readonly string[]): boolean
  /** Returns a term as the message writes it. */
  written(term: string): string
}

/** A term of a message, with its rarity. */
export interface QueryTerm {
  term: string
  idf: number
  /** Its idf in skills at large. */
  corpusIdf: number
  weight: number
  /** The words that count for it, the word itself first. */
  forms: readonly WordForm[]
}

/** Number of live skills at which the library's own statistics weigh as much as those of the corpus. */
const BACKGROUND_WEIGHT = 20
/** Earlier messages that are read, and the weight of their terms. */
const MAX_HISTORY = 3
const HISTORY_WEIGHT = 0.25
/** Weight of an n-gram across two words, in scripts without spaces: the words of a skill may be divided otherwise. */
export const ACROSS_WEIGHT = 0.22
/**
 * Maximum sum of idf of all history terms, about five rare words: enough for "yes, do that", while a long conversation cannot drown a
 * specific message. Chosen on the dev set: after a change of topic R@1 gains 1.5 points (en) and 5 (zh); follow-ups lose .4 and 4.
 */
const MAX_HISTORY_IDF = 24

/** Words of a message that a skill can be expected to have. */
const COVERED_WORDS = 12

/** Kana and Hangul, which tell Japanese and Korean from Chinese: all may have ideographs. */
const LETTERS = [/[\u3040-\u30ff]/, /[\uac00-\ud7a3]/]
const ENDS_WITH_WORD = /[\p{L}\p{N}\p{M}]$/u

export function analyzeQuery(
  written: string,
  history: readonly string[] | undefined,
  { isFunctional, languagesOf }: Pick<CorpusStatistics, 'isFunctional' | 'languagesOf'>,
): AnalyzedQuery {
  const message = removeRuledOut(written)
  const terms = new Map<string, number>()
  const sequence: string[] = []
  const across: string[] = []
  const pairs = new Map<string, { text: string; first: number; second: number }>()
  let previous: string | undefined
  analyze(divideWords(message, isFunctional), (term, kind) => {
    if (kind & TERM) terms.set(term, 1)
  })
  analyze(message, (term, kind) => {
    if (kind & SEQUENCE) sequence.push(term)
    if (kind & TERM && !terms.has(term) && !isSpaced(term) && !isFunctional(sequenceOf(term))) across.push(term)
    if (kind & PAIR) {
      const text = `${previous} ${term}`
      if (previous !== undefined && !pairs.has(text))
        pairs.set(text, { text, first: sequenceCode(previous), second: sequenceCode(term) })
      previous = term
    } else previous = undefined
  })
  // Latin words in a Chinese, Japanese or Korean message are names, such as IT.
  const hasSpaces = sequence.every(isSpaced)
  const isFunctionWord = (term: string): boolean => hasSpaces && isFunctional([term])
  const functional = new Map<string, boolean>()
  if (isFunctional(sequence)) terms.clear()
  for (const term of terms.keys()) if (isFunctionWord(term)) terms.delete(term)
  const hasWords = terms.size > 0
  const leans = history && isFollowUp(message, sequence, terms.size)
  for (const earlier of leans ? history.slice(-MAX_HISTORY) : []) {
    analyze(earlier, (term, kind) => {
      if (kind & TERM && !terms.has(term)) terms.set(term, HISTORY_WEIGHT)
    })
  }
  if (hasWords) for (const term of across) if (!terms.has(term)) terms.set(term, ACROSS_WEIGHT)
  const languages = languagesOf(sequence)
  const isEnglish = sequence.every(isAscii) && (!languages[0] || languages.includes('en'))
  return {
    terms,
    sequence,
    codes: Uint16Array.from(sequence, sequenceCode),
    pairs: [...pairs.values()],
    languages,
    language: hasSpaces ? (isEnglish ? 'english' : 'foreign') : 'unspaced',
    unfinished: ENDS_WITH_WORD.test(message) ? sequence.at(-1) : undefined,
    ownLanguage(words) {
      if (words.every(isSpaced) !== hasSpaces) return 0
      if (!hasSpaces) return Number(LETTERS.every(some => some.test(words.join('')) === some.test(sequence.join(''))))
      const others = languagesOf(words)
      return languages[0] && others[0] && others.filter(one => languages.includes(one)).length / others.length
    },
    isFunctional(some) {
      // Asked for the same words once per shown skill.
      const text = some.join(' ')
      const known = functional.get(text) ?? (some.every(isSpaced) ? some.every(isFunctionWord) : isFunctional(some))
      functional.set(text, known)
      return known
    },
    written: writtenForms(message),
  }
}

/** Weighs terms by rarity: the library's own idf, blended with that of skills at large while the library is small. */
export function weighTerms(query: AnalyzedQuery, segments: Segments, corpus: CorpusStatistics): QueryTerm[] {
  let live = 0
  for (const { segment, dead } of segments) live += segment.length - dead.size
  const { languages, isFunctional } = query
  const weighed = [...query.terms].map(([term, weight]) => {
    // Parts of camelCase words, n-grams and words of the history have no other forms.
    const hasForms = isSpaced(term) && query.terms.get(term) === 1 && query.sequence.includes(term)
    const isUnfinished = term === query.unfinished
    const forms = hasForms
      ? findForms(term, segments, { languages, isFunctional, inflect: corpus.inflect, isUnfinished })
      : [findExact(term, segments)]
    const documents = forms.reduce((sum, form) => sum + documentsOf(form, segments), 0)
    const corpusIdf = forms[0]?.term === term ? corpus.idf(term) : Math.min(...forms.map(form => corpus.idf(form.term)))
    return { term, documents: Math.min(documents, live), corpusIdf, weight, forms }
  })
  // Skills in the script of an n-gram: in a library of English skills, every Chinese word is rare.
  const inScript = weighed.reduce((most, { term, documents }) => (isSpaced(term) ? most : Math.max(most, documents)), 0)
  const terms = weighed.map(({ documents, ...term }) => {
    const skills = isSpaced(term.term) ? live : inScript
    const ownShare = skills / (skills + BACKGROUND_WEIGHT)
    return { ...term, idf: ownShare * idfOf(skills, documents) + (1 - ownShare) * term.corpusIdf }
  })
  return limitHistory(terms)
}

function limitHistory(terms: QueryTerm[]): QueryTerm[] {
  let sum = 0
  for (const { idf, weight } of terms) if (weight === HISTORY_WEIGHT) sum += idf * weight
  if (sum <= MAX_HISTORY_IDF) return terms
  const scale = MAX_HISTORY_IDF / sum
  return terms.map(term => (term.weight === HISTORY_WEIGHT ? { ...term, weight: term.weight * scale } : term))
}

/**
 * The BM25F score of a skill with the whole message at full saturation: the heaviest words and all n-grams. A long message says more than
 * what it asks for, and no skill has all of it.
 */
export function maxRelevance(terms: readonly QueryTerm[]): number {
  const relevanceOf = ({ idf, weight }: QueryTerm): number => idf * weight * (K1 + 1)
  const words = terms.filter(({ term }) => isSpaced(term)).map(relevanceOf)
  const grams = terms.filter(({ term }) => !isSpaced(term)).map(relevanceOf)
  return [...words.sort((a, b) => b - a).slice(0, COVERED_WORDS), ...grams].reduce((sum, one) => sum + one, 0)
}

/** Maps a term to its spelling in the message (調研 for 调研, AI for ai), or to itself if the message does not contain it as a run. */
function writtenForms(message: string): (term: string) => string {
  let runs: { folded: string; written: string }[] | undefined
  return term => {
    runs ??= [...message.matchAll(isAscii(message) ? /[a-z0-9]+/gi : /[\p{L}\p{N}\p{M}]+/gu)]
      .map(([written]) => ({ written, folded: sequenceOf(written).join('') }))
      .filter(({ folded, written }) => folded.length === written.length)
    const run = runs.find(({ folded }) => folded === term) ?? runs.find(({ folded }) => folded.includes(term))
    if (!run) return term
    const start = run.folded.indexOf(term)
    return run.written.slice(start, start + term.length)
  }
}
