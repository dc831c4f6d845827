import { sequenceOf, termsOf } from '../../core/text/analyze.js'
import { isSpaced } from '../../core/text/character-classes.js'
import { GAP, indexOfPair, sequenceCode } from '../index/fingerprint.js'
import type { Segment } from '../index/open.js'
import { dot } from '../model/unit-vectors.js'
import type { Candidate } from './candidates.js'
import type { CorpusStatistics } from './corpus-statistics.js'
import { type OwnMessage, ownMessagesOf } from './own-messages.js'
import { ACROSS_WEIGHT, type AnalyzedQuery, isFunctionalIn, sharedLanguage } from './query.js'
import type { QueryEmbedding } from './query-embedding.js'
import type { QueryMatch } from './query-match.js'
import type { QueryTerm } from './query-terms.js'
import { isNoted } from './ruled-out.js'
import type { SearchedSegment } from './searched-segment.js'
import type { FieldName, MatchSignals, TermSignal } from './skill-match.js'
import type { WordForm } from './word-forms.js'
import { type WrittenRun, writtenForm, writtenRuns } from './written-form.js'

/** A message with what the explanations of all skills share. */
export interface ExplainedQuery extends QueryMatch {
  /** Distinct words and characters of the message that are part of no function word, in order. */
  content: readonly string[]
  runs: readonly WrittenRun[]
  /** Compares the message with those of a skill by meaning. */
  compared: QueryEmbedding | undefined
}

export function explainedQuery(match: QueryMatch): ExplainedQuery {
  const { embedding, calibrated } = match.embeddings
  return {
    ...match,
    content: contentOf(match),
    runs: writtenRuns(match.query.message),
    compared: embedding?.embedText ? embedding : calibrated,
  }
}

/**
 * Explains a match: the words that message and skill share, by field, and the rules that applied.
 * @param weights The weight of each form of each term of the message in the skill: see `findWeights`.
 */
export function signalsOf(
  candidate: Candidate,
  weights: readonly (readonly number[])[],
  explained: ExplainedQuery,
): MatchSignals {
  const { query, terms: queryTerms, segments } = explained
  const { segment } = segments[candidate.segmentIndex] as SearchedSegment
  const relevance = candidate.lexical + candidate.bonus
  const { contributions, formsOf } = findShared(queryTerms, weights)
  const messages = ownMessagesOf(segment, candidate.skill, explained.corpus)
  const { own } = candidate
  const similarMessage = own?.isEqual ? own.text : findSimilarMessage(messages, explained)
  const fieldsOf = fieldFinder(segment, candidate.skill, messages)

  const terms = findPhrases(explained, contributions)
    .map(({ text, parts, contribution }): TermSignal => {
      const forms = parts.length === 1 ? (formsOf.get(text) ?? []) : []
      const written = forms.length > 0 ? forms : [{ term: text, form: undefined }]
      const places = written.map(({ term, form }) => {
        const wanted = parts.length === 1 ? [term] : parts
        return { term, form, fields: fieldsOf(wanted) }
      })
      // The form in the name or description, if there is one.
      const { term, form, fields } =
        places.find(place => isHead(place.fields)) ?? (places[0] as (typeof places)[0])
      return {
        term,
        text: writtenForm(explained.runs, text),
        ...(form ? { form } : {}),
        fields,
        share: relevance > 0 ? Math.min(1, contribution / relevance) : 0,
      }
    })
    .sort((a, b) => b.share - a.share)
  const rules = [
    ...candidate.names,
    ...candidate.pairs.map(({ index }) => ({
      rule: 'pair' as const,
      text: query.pairs[index]?.text ?? '',
    })),
  ]
  const { similarity } = candidate
  return {
    terms,
    rules,
    missing: explained.content.filter(term => !contributions.has(term)),
    relevance,
    ...(similarMessage === undefined ? {} : { similarMessage }),
    ...(isNoted(candidate.ruledOut) ? { ruledOut: candidate.ruledOut.text } : {}),
    ...(similarity === undefined ? {} : { similarity }),
  }
}

/** The terms that a skill has. */
interface SharedTerms {
  /** The BM25F score of each. */
  contributions: ReadonlyMap<string, number>
  /** The forms of each word that the skill has. */
  formsOf: ReadonlyMap<string, readonly WordForm[]>
}

function findShared(
  queryTerms: readonly QueryTerm[],
  weights: readonly (readonly number[])[],
): SharedTerms {
  const contributions = new Map<string, number>()
  const formsOf = new Map<string, WordForm[]>()
  for (const [index, { term, idf, weight, forms }] of queryTerms.entries()) {
    const ofForms = weights[index] ?? []
    const sum = ofForms.reduce((total, ofForm) => total + ofForm, 0)
    if (sum === 0 || weight === ACROSS_WEIGHT) continue
    contributions.set(term, idf * weight * sum)
    const found = forms.filter((_, form) => (ofForms[form] ?? 0) > 0)
    if (isSpaced(term)) formsOf.set(term, found)
  }
  return { contributions, formsOf }
}

function contentOf({ query, corpus }: QueryMatch): string[] {
  const content = query.sequence.filter((_, at) => !isPartOfFunctionWord(query, at, corpus))
  return [...new Set(content)]
}

/** Whether a word or character is a function word, or part of one with its neighbor: 什 is a part of 什么. */
function isPartOfFunctionWord(query: AnalyzedQuery, at: number, corpus: CorpusStatistics): boolean {
  const { sequence } = query
  const alone = sequence.slice(at, at + 1)
  const withPrevious = sequence.slice(Math.max(0, at - 1), at + 1)
  const withNext = sequence.slice(at, at + 2)
  return [alone, withPrevious, withNext].some(words => isFunctionalIn(query, words, corpus))
}

/** Tells whether the name, description or tags of a skill contain a term. */
export function headFinder(segment: Segment, skill: number): (term: string) => boolean {
  const head = headOf(segment, skill)
  return term => hasRun(head, (isSpaced(term) ? [term] : sequenceOf(term)).map(sequenceCode))
}

/** Finds the fields of a skill that contain a word or run. */
function fieldFinder(
  segment: Segment,
  skill: number,
  messages: readonly OwnMessage[],
): (parts: readonly string[]) => FieldName[] {
  const head = headOf(segment, skill)
  const [name = '', displayName = ''] = segment.names.get(skill).split('\n', 2)
  const nameEnd = endOfTexts(head, displayName === '' || displayName === name ? 1 : 2)
  const names = head.subarray(0, nameEnd)
  const description = head.subarray(nameEnd)
  // Parts of camelCase words are not in the sequence of a name.
  let nameTerms: ReadonlySet<string> | undefined
  const isNamePart = (term: string): boolean => {
    nameTerms ??= termsOf(`${name} ${displayName}`)
    return nameTerms.has(term)
  }
  return parts => {
    const codes = parts.map(sequenceCode)
    const fields: FieldName[] = []
    if (hasRun(names, codes) || (isWord(parts) && isNamePart(parts[0] as string))) {
      fields.push('name')
    }
    if (hasRun(description, codes)) fields.push('description')
    if (fields.length > 0) return fields
    const isInMessage = gramsOf(parts).some(gram =>
      messages.some(({ features }) => features.terms.has(gram)),
    )
    fields.push(isInMessage ? 'message' : 'body')
    return fields
  }
}

/** The words of name, description and tags, in order. */
function headOf(segment: Segment, skill: number): Uint16Array {
  return segment.sequenceOf(skill).subarray(0, segment.headOf(skill))
}

function isHead(fields: readonly FieldName[]): boolean {
  return fields.includes('name') || fields.includes('description')
}

interface Phrase {
  text: string
  parts: string[]
  contribution: number
}

/** The words of the message that the skill has; overlapping n-grams of ideographs are merged into runs. */
function findPhrases(
  { query, corpus }: QueryMatch,
  contributions: ReadonlyMap<string, number>,
): Phrase[] {
  const found = new Map<string, Phrase>()
  const { sequence } = query
  // A term counts for the first run that has it.
  const counted = new Set<string>()
  let at = 0
  while (at < sequence.length) {
    const word = sequence[at] as string
    const end = isGram(word) ? endOfRun(sequence, at, contributions) : at + 1
    const parts = sequence.slice(at, end)
    let contribution = 0
    for (const gram of gramsOf(parts)) {
      if (!counted.has(gram)) contribution += contributions.get(gram) ?? 0
      counted.add(gram)
    }
    const text = parts.join('')
    if (contribution > 0) found.set(text, { text, parts, contribution })
    at = end
  }
  // A part of a camelCase word counts for the whole word, or replaces it if the skill has only the part.
  for (const [term, contribution] of contributions) {
    if (counted.has(term) || query.terms.get(term) !== 1 || !isSpaced(term)) continue
    const whole = [...found.values()].find(({ text }) => text.includes(term))
    if (whole) whole.contribution += contribution
    else found.set(term, { text: term, parts: [term], contribution })
  }
  // Beside a longer run, a single ideograph is noise.
  const all = [...found.values()].filter(({ parts }) => !isFunctionalIn(query, parts, corpus))
  return all.some(({ parts }) => parts.length > 1)
    ? all.filter(({ text, parts }) => parts.length > 1 || !isGram(text))
    : all
}

/** The end of the longest run of characters from `start` whose neighbors are all 2-grams of the skill. */
function endOfRun(
  sequence: readonly string[],
  start: number,
  contributions: ReadonlyMap<string, number>,
): number {
  let end = start + 1
  while (end < sequence.length) {
    const previous = sequence[end - 1] as string
    const next = sequence[end] as string
    if (!isGram(next) || !contributions.has(previous + next)) break
    end++
  }
  return end
}

function gramsOf(parts: readonly string[]): string[] {
  if (parts.length === 1) return [...parts]
  return [1, 2, 3].flatMap(length =>
    parts.slice(0, parts.length - length + 1).map((_, at) => parts.slice(at, at + length).join('')),
  )
}

function isWord(parts: readonly string[]): boolean {
  return parts.length === 1 && !isGram(parts[0] as string)
}

/** True for one character of a script that is indexed as n-grams. */
function isGram(text: string): boolean {
  return text.length === 1 && !isSpaced(text)
}

/** The end of the first `texts` texts of a sequence. */
function endOfTexts(sequence: Uint16Array, texts: number): number {
  let at = -1
  for (let text = 0; text < texts; text++) {
    at = sequence.indexOf(GAP, at + 1)
    if (at < 0) return sequence.length
  }
  return at
}

/** True if a text contains the word, or every two neighbors of a run. */
function hasRun(text: Uint16Array, codes: readonly number[]): boolean {
  if (codes.length === 1) return text.includes(codes[0] as number)
  return codes.every(
    (code, index) => index === 0 || indexOfPair(text, codes[index - 1] as number, code) >= 0,
  )
}

/** Minimum share of the query's idf that a message must cover, and minimum cosine without that. */
const MIN_COVERAGE = 0.3
const MIN_COSINE = 0.5

/** Finds the message of a skill in the language of the user that is most like the user's message, by words and by meaning. */
function findSimilarMessage(
  messages: readonly OwnMessage[],
  { query, terms: queryTerms, corpus, compared }: ExplainedQuery,
): string | undefined {
  const total = queryTerms.reduce((sum, { idf, weight }) => sum + idf * weight, 0)
  let similar: string | undefined
  let most = 0
  for (const message of messages) {
    const { text, features } = message
    const { terms } = features
    const covered = queryTerms.reduce((sum, { idf, weight, forms }) => {
      const shares = forms.map(({ term, share }) => (terms.has(term) ? share : 0))
      return sum + idf * weight * Math.max(0, ...shares)
    }, 0)
    const coverage = total > 0 ? covered / total : 0
    const own = sharedLanguage(query, [...terms], corpus) ?? (coverage >= MIN_COVERAGE ? 1 : 0)
    if (own === 0) continue
    const cosine = compared ? cosineTo(message, compared) : 0
    if (coverage < MIN_COVERAGE && cosine < MIN_COSINE) continue
    const value = own + coverage + cosine
    if (value > most) {
      most = value
      similar = text
    }
  }
  return similar
}

/** 0 if the embedder is asynchronous. */
function cosineTo(message: OwnMessage, { space, vector, embedText }: QueryEmbedding): number {
  const known = message.embedded?.space === space ? message.embedded.vector : undefined
  const own = known ?? embedText?.(message.text)
  if (!own) return 0
  // Zeros: a part of the model is not loaded yet.
  if (own.some(Boolean)) message.embedded = { space, vector: own }
  return dot(own, vector)
}
