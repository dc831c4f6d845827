import { isAscii, termsOf } from '../../core/text/analyze.js'
import { isSpaced } from '../../core/text/character-classes.js'
import type { CorpusStatistics } from './corpus-statistics.js'
import type { AnalyzedQuery } from './query.js'
import type { QueryTerm } from './query-terms.js'

// What words say is their rarity in skills at large. A skill that has "run" and "test" has little of a message, though it has all of it.

/** Logarithm of 1 and the sum of rarities that shared words usually have: then they say neither more nor less. */
const USUAL = 1.5

/**
 * How much the words say that a skill has. Of English messages alone: words of other languages are not counted in skills at large, and a
 * skill in English has none of them.
 * @param weights Of each form of each term in the skill: see `findWeights`.
 */
export function saidEvidence(
  { language }: Pick<AnalyzedQuery, 'language'>,
  terms: readonly QueryTerm[],
  weights: readonly (readonly number[])[],
): number {
  if (language !== 'english') return 0
  let said = 0
  for (const [index, { weight, corpusIdf }] of terms.entries()) {
    const isShared = weights[index]?.some(ofForm => ofForm > 0)
    if (weight === 1 && isShared) said += corpusIdf
  }
  return Math.log1p(said) - USUAL
}

/** The sum of rarities from which a message says enough for one skill: one rare word, or two. */
const ENOUGH = 5
/** Rarity of a word in a language whose words are not counted in skills at large: there, common ones are unknown too. */
const UNCOUNTED = 3
/** What each further word adds to its rarity: common words together, such as "send an email", are a wish. */
const FURTHER = 1
/** Characters of a word in scripts without spaces. A longer run is several. */
const WORD_LENGTH = 3

/** How far a message says enough to act on one skill, 0 to 1. One common word, such as "commit" or 测试, is a subject and no wish. */
export function wishOf(
  { language, message, words }: Pick<AnalyzedQuery, 'language' | 'message' | 'words'>,
  terms: readonly QueryTerm[],
  corpus: Pick<CorpusStatistics, 'idf'>,
): number {
  // In scripts without spaces, Latin words are names.
  const isCounted = language === 'unspaced' || (language === 'english' && isAscii(message))
  const spaced = terms.filter(({ term }) => isSpaced(term))
  let said = FURTHER * Math.max(0, spaced.length + words.length - 1)
  for (const { corpusIdf } of spaced) {
    said += isCounted ? corpusIdf : Math.min(corpusIdf, UNCOUNTED)
  }
  for (const word of words) {
    const grams = [...termsOf(word)].filter(term => !isSpaced(term))
    const rarest = Math.max(0, ...grams.map(corpus.idf))
    said += rarest * Math.max(1, word.length / WORD_LENGTH)
  }
  return Math.min(1, said / ENOUGH)
}
