import { isAscii } from '../../core/text/analyze.js'
import type { SpacedLanguage } from '../../core/text/language/language.js'
import type { TermEntry } from '../index/lexicon.js'
import { findPostings } from '../index/postings.js'
import type { CorpusStatistics } from './corpus-statistics.js'
import type { Inflections } from './inflections.js'
import type { Segments } from './searched-segment.js'
import type { TermForm } from './skill-match.js'

/** A word that skills have in place of a word of the message. */
export interface WordForm {
  term: string
  /** Absent for the word itself. */
  form?: TermForm
  /** Weight of an occurrence, relative to one of the word itself. */
  share: number
  /** Location of its postings in each segment. */
  entries: (TermEntry | undefined)[]
}

/** Chosen on the dev set: inflections raise R@1 in English by 1.2 points without a model, in Spanish by 4. The others are guesses. */
const SHARES: Readonly<Record<TermForm, number>> = {
  inflection: 0.7,
  completion: 0.4,
  correction: 0.5,
}
/** Minimum length of the start of a word, maximum bytes that complete it, and maximum completions. */
const MIN_START = 3
const MAX_REST = 24
const MAX_COMPLETIONS = 8
/** Minimum length of a word with two letters swapped, and of one with another typing error: "lunch" is not "launch". */
const MIN_SWAPPED = 4
const MIN_CORRECTED = 6
const MAX_CORRECTIONS = 3
/** Number of letters at the start of a word without typing errors. */
const TRUSTED = 2

/** The facts of a message that decide on the forms of its words. */
export interface FormOptions extends Pick<CorpusStatistics, 'inflect' | 'isFunctional'> {
  languages: readonly SpacedLanguage[]
  /** True if the user may still be typing the word. */
  isUnfinished: boolean
}

/** Finds a word as written. */
export function findExact(term: string, segments: Segments): WordForm {
  return { term, share: 1, entries: segments.map(({ segment }) => segment.lexicon.find(term)) }
}

/** Finds the forms of a word that live skills have: inflections, else completions, else corrections, else the word itself. */
export function findForms(
  word: string,
  segments: Segments,
  { languages, isUnfinished, inflect, isFunctional }: FormOptions,
): readonly WordForm[] {
  const isLive = (form: WordForm): boolean => documentsOf(form, segments) > 0
  const isContent = (other: string): boolean => !isFunctional([other])
  const inflected = (of: readonly SpacedLanguage[]): WordForm[] => {
    const inflections = inflect(word, of)
    return inflections ? findInflections(word, inflections, segments) : [findExact(word, segments)]
  }
  const attempts = [
    () => inflected(languages.length > 0 ? languages : ['en']),
    // English words are common in messages of other languages, but not the other way round. `[]`: all languages.
    () => inflected(languages.length > 0 ? ['en'] : []),
    () => (isUnfinished ? findCompletions(word, segments, isContent) : []),
    () => findCorrections(word, segments, isContent),
  ]
  for (const find of attempts) {
    const found = find().filter(isLive)
    if (found.length > 0) return found
  }
  return [findExact(word, segments)]
}

/** Finds the inflected forms of a word, and the word itself. */
function findInflections(
  word: string,
  { prefix, forms, longest }: Inflections,
  segments: Segments,
): WordForm[] {
  const maxRest = (longest - prefix.length) * bytesOfLetter(word)
  const accepts = (term: string): boolean => term === word || forms.has(term)
  const wanted = [word, ...forms]
  const found = findWithPrefix({ form: 'inflection', prefix, maxRest, accepts, wanted }, segments)
  const { entries = [] } = found.get(word) ?? {}
  found.delete(word)
  // Sorted, so that the division into segments has no effect.
  return [
    { term: word, share: 1, entries },
    ...[...found.values()].sort((a, b) => (a.term < b.term ? -1 : 1)),
  ]
}

/** Finds the most frequent words that start with an unfinished word. */
function findCompletions(
  start: string,
  segments: Segments,
  accepts: (term: string) => boolean,
): WordForm[] {
  if (start.length < MIN_START) return []
  const found = findWithPrefix(
    { form: 'completion', prefix: start, maxRest: MAX_REST, accepts },
    segments,
  )
  return mostFrequent(found.values(), segments, MAX_COMPLETIONS)
}

/** Finds the most frequent words that differ from a word by one typing error after its first two letters. */
function findCorrections(
  word: string,
  segments: Segments,
  accepts: (term: string) => boolean,
): WordForm[] {
  if (word.length < MIN_SWAPPED || /\d/.test(word)) return []
  const maxRest = (word.length + 1 - TRUSTED) * bytesOfLetter(word)
  const isAccepted = (term: string): boolean => isTypingError(word, term) && accepts(term)
  const prefix = word.slice(0, TRUSTED)
  const found = findWithPrefix(
    { form: 'correction', prefix, maxRest, accepts: isAccepted },
    segments,
  )
  return mostFrequent(found.values(), segments, MAX_CORRECTIONS)
}

/** Counts the live skills that have a word. */
export function documentsOf({ entries }: WordForm, segments: Segments): number {
  let documents = 0
  for (const [index, { segment, dead }] of segments.entries()) {
    const entry = entries[index]
    if (!entry) continue
    let { count } = entry
    if (dead.size > 0) {
      findPostings(segment, entry, Uint32Array.from(dead), () => {
        count -= 1
      })
    }
    // A damaged count must not reach the idf of other segments.
    documents += Math.min(Math.max(count, 0), segment.length - dead.size)
  }
  return documents
}

/** True if one inserted, missing or wrong letter, or two swapped neighbors, make one word the other. */
function isTypingError(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const x = a.slice(start, a.length - end)
  const y = b.slice(start, b.length - end)
  if (x.length === 2 && y.length === 2) return x[0] === y[1] && x[1] === y[0]
  return a.length >= MIN_CORRECTED && x.length <= 1 && y.length <= 1
}

/** Bytes of a letter of the same script in UTF-8. */
function bytesOfLetter(word: string): number {
  return isAscii(word) ? 1 : 2
}

/** The words of a lexicon that count as forms of a word. */
interface WantedForms {
  form: TermForm
  prefix: string
  /** Maximum bytes after the prefix, in UTF-8. */
  maxRest: number
  accepts(term: string): boolean
  /** The only words that are accepted, if they are known. */
  wanted?: readonly string[]
}

function findWithPrefix(
  { form, prefix, maxRest, accepts, wanted }: WantedForms,
  segments: Segments,
): Map<string, WordForm> {
  const found = new Map<string, WordForm>()
  for (const [index, { segment }] of segments.entries()) {
    const add = (term: string, entry: TermEntry): void => {
      let word = found.get(term)
      if (!word) {
        if (!accepts(term)) return
        word = { term, form, share: SHARES[form], entries: [] }
        found.set(term, word)
      }
      word.entries[index] = entry
    }
    segment.lexicon.findPrefix(prefix, maxRest, add, wanted)
  }
  return found
}

/** Counts are added over all segments before any word is dropped, so the division into segments has no effect. */
function mostFrequent(words: Iterable<WordForm>, segments: Segments, limit: number): WordForm[] {
  return [...words]
    .map(word => ({ word, documents: documentsOf(word, segments) }))
    .sort((a, b) => b.documents - a.documents || (a.word.term < b.word.term ? -1 : 1))
    .slice(0, limit)
    .map(({ word }) => word)
}
