import { isSpaced } from '../../core/text/character-classes.js'
import type { Lexicon } from '../index/lexicon.js'
import { idfOf, K1 } from '../index/weights.js'
import type { CorpusStatistics } from './corpus-statistics.js'
import { type AnalyzedQuery, HISTORY_WEIGHT, isFunctionalIn } from './query.js'
import type { Segments } from './searched-segment.js'
import { documentsOf, findExact, findForms, type WordForm } from './word-forms.js'

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

/** The terms of a message, weighed by their rarity in the searched segments. */
export interface WeighedTerms {
  terms: readonly QueryTerm[]
  /** The terms of what is pasted beside it. They find and order skills. Everything that judges the message reads `terms` alone. */
  pasted: readonly QueryTerm[]
}

/** Number of live skills at which the library's own statistics weigh as much as those of the corpus. */
const BACKGROUND_WEIGHT = 20
/**
 * Maximum sum of idf of all history terms, about five rare words: enough for "yes, do that", while a long conversation cannot drown a
 * specific message. Chosen on the dev set: after a change of topic R@1 gains 1.5 points (en) and 5 (zh); follow-ups lose .4 and 4.
 */
const MAX_HISTORY_IDF = 24
/** Words of a message that a skill can be expected to have. */
const COVERED_WORDS = 12

/** Weighs the terms of a message and of what is pasted beside it. */
export function weighQuery(
  query: AnalyzedQuery,
  segments: Segments,
  corpus: CorpusStatistics,
): WeighedTerms {
  const terms = weighTerms(query, segments, corpus)
  const { pasted } = query
  if (pasted.size === 0) return { terms, pasted: [] }
  return { terms, pasted: weighTerms({ ...query, terms: pasted }, segments, corpus) }
}

/** The same terms, with the postings that a lexicon has of their forms. */
export function bindTerms({ terms, pasted }: WeighedTerms, lexicon: Lexicon): WeighedTerms {
  const bind = (term: QueryTerm): QueryTerm => ({
    ...term,
    forms: term.forms.map(form => ({ ...form, entries: [lexicon.find(form.term)] })),
  })
  return { terms: terms.map(bind), pasted: pasted.map(bind) }
}

/** Weighs terms by rarity: the library's own idf, blended with that of skills at large while the library is small. */
export function weighTerms(
  query: AnalyzedQuery,
  segments: Segments,
  corpus: CorpusStatistics,
): QueryTerm[] {
  let live = 0
  for (const { segment, dead } of segments) live += segment.length - dead.size
  const counted = [...query.terms].map(([term, weight]) => {
    const forms = formsOf(term, query, segments, corpus)
    const documents = forms.reduce((sum, form) => sum + documentsOf(form, segments), 0)
    return {
      term,
      documents: Math.min(documents, live),
      corpusIdf: corpusIdfOf(term, forms, corpus),
      weight,
      forms,
    }
  })
  // Skills in the script of an n-gram: in a library of English skills, every Chinese word is rare.
  const inScript = counted.reduce(
    (most, { term, documents }) => (isSpaced(term) ? most : Math.max(most, documents)),
    0,
  )
  const terms = counted.map(({ documents, ...term }) => {
    const skills = isSpaced(term.term) ? live : inScript
    const ownShare = skills / (skills + BACKGROUND_WEIGHT)
    return { ...term, idf: ownShare * idfOf(skills, documents) + (1 - ownShare) * term.corpusIdf }
  })
  return limitHistory(terms)
}

/** The words that count for a term of the message. Parts of camelCase words, n-grams and words of the history have no other forms. */
function formsOf(
  term: string,
  query: AnalyzedQuery,
  segments: Segments,
  corpus: CorpusStatistics,
): readonly WordForm[] {
  const hasForms = isSpaced(term) && query.terms.get(term) === 1 && query.sequence.includes(term)
  if (!hasForms) return [findExact(term, segments)]
  return findForms(term, segments, {
    languages: query.languages,
    isFunctional: words => isFunctionalIn(query, words, corpus),
    inflect: corpus.inflect,
    isUnfinished: term === query.unfinished,
  })
}

/** The idf of a term in skills at large. A term that was completed or corrected is as common as its most common form. */
function corpusIdfOf(term: string, forms: readonly WordForm[], corpus: CorpusStatistics): number {
  if (forms[0]?.term === term) return corpus.idf(term)
  return Math.min(...forms.map(form => corpus.idf(form.term)))
}

function limitHistory(terms: QueryTerm[]): QueryTerm[] {
  let sum = 0
  for (const { idf, weight } of terms) {
    if (weight === HISTORY_WEIGHT) sum += idf * weight
  }
  if (sum <= MAX_HISTORY_IDF) return terms
  const scale = MAX_HISTORY_IDF / sum
  return terms.map(term =>
    term.weight === HISTORY_WEIGHT ? { ...term, weight: term.weight * scale } : term,
  )
}

/**
 * The BM25F score of a skill with the whole message at full saturation: the heaviest words and all n-grams. A long message says more than
 * what it asks for, and no skill has all of it.
 */
export function maxRelevance(terms: readonly QueryTerm[]): number {
  const relevanceOf = ({ idf, weight }: QueryTerm): number => idf * weight * (K1 + 1)
  const words = terms.filter(({ term }) => isSpaced(term)).map(relevanceOf)
  const grams = terms.filter(({ term }) => !isSpaced(term)).map(relevanceOf)
  const heaviest = words.sort((a, b) => b - a).slice(0, COVERED_WORDS)
  return [...heaviest, ...grams].reduce((sum, one) => sum + one, 0)
}
